import test from 'ava'
import type { ListedIssuer } from '../../../protocol/credentials/trust.ts'
import { Refusal, Unavailable } from '../../../protocol/errors.ts'
import type { Json } from '../../../protocol/json.ts'
import type { CheckName } from '../../../protocol/sd-jwt-credentials/faults.ts'
import { faulty } from '../../../protocol/sd-jwt-credentials/faults.ts'
import type { VerificationRules } from '../../../protocol/sd-jwt-credentials/verify.ts'
import { holderKey, ISSUER, jwtOf, NOW, SESSION, testKey, verify } from '../../support/sd-jwt/tokens.ts'

const HEADER = { alg: 'ES256', typ: 'dc+sd-jwt', kid: `${ISSUER}#key` }
const iat = Math.floor(NOW.getTime() / 1_000)
const VCT = 'https://types.example/person'
const STATUS = { status_list: { idx: 7, uri: 'https://issuer.example/list' } }

const credential = async (claims: Json = {}, key?: ReturnType<typeof testKey>) =>
  `${await jwtOf(HEADER, { iss: ISSUER, iat, vct: VCT, ...claims }, key)}~`

const codesOf = async (text: string, rules: Partial<VerificationRules>) =>
  (await verify(text, rules)).faults.map(({ check, code }) => [check, code])

const unavailable = new Unavailable('outbound', 'The server does not answer.')

/** Credentials that are not, or may not be, their issuer's, with the rules that say so. */
const NOT_GENUINE: Record<string, { text(): Promise<string>; rules?: Partial<VerificationRules> }> = {
  Signature: { text: () => credential({ status: STATUS }, testKey()) },
  Header: { text: async () => `${await jwtOf({ ...HEADER, typ: 'JWT' }, { iss: ISSUER, vct: VCT, status: STATUS })}~` },
  Claims: { text: () => credential({ status: STATUS, sub: 1 }) },
  Trust: { text: () => credential({ status: STATUS }), rules: { find: () => ({ fault: 'It is not listed.' }) } },
  IssuerKey: {
    text: () => credential({ status: STATUS }),
    rules: { issuerKey: () => Promise.reject(new Refusal('did.not_found', 'There is no such DID.')) },
  },
}

for (const [check, { text, rules }] of Object.entries(NOT_GENUINE))
  test(`nothing is fetched for a credential that fails at ${check}`, async (t) => {
    const asked: string[] = []
    const verdict = await verify(await text(), {
      ...rules,
      typeFaults: async () => {
        asked.push('type')
        return []
      },
      statusOf: async () => {
        asked.push('status')
        return 'valid'
      },
    })
    t.deepEqual([...new Set(verdict.faults.map((fault) => fault.check))], [check as CheckName])
    t.deepEqual(asked, [])
    const results = Object.fromEntries(verdict.checks.map(({ name, result }) => [name, result]))
    t.like(results, { TypeMetadata: 'skipped', Status: 'skipped', KeyBinding: 'skipped', Policy: 'skipped' })
  })

test('status and type are asked for, with what the credential says, also where its time is over', async (t) => {
  const asked: unknown[] = []
  const integrity = `sha256-${'A'.repeat(43)}=`
  const verdict = await verify(await credential({ status: STATUS, exp: iat, 'vct#integrity': integrity }), {
    typeFaults: async ({ claims }, vct, digest) => {
      asked.push([claims.vct, vct, digest])
      return [{ check: 'TypeMetadata', code: 'sd_jwt.claim_missing', message: 'A claim is missing.' }]
    },
    statusOf: async (entry, { issuer }) => {
      asked.push([entry, issuer])
      return 'valid'
    },
  })
  t.deepEqual(asked, [
    [VCT, VCT, integrity],
    [{ index: 7, url: 'https://issuer.example/list' }, ISSUER],
  ])
  t.deepEqual(
    verdict.faults.map(({ code }) => code),
    ['sd_jwt.expired', 'sd_jwt.claim_missing'],
  )
  t.deepEqual(verdict.status, { index: 7, url: 'https://issuer.example/list' })
  t.deepEqual(verdict.warnings, [])
})

test('a status that nobody checks is a warning, and one of another form is not supported', async (t) => {
  const { verified, warnings, status } = await verify(await credential({ status: STATUS }))
  t.deepEqual([verified, warnings, status?.index], [true, ['StatusNotChecked'], 7])
  const none = await verify(await credential())
  t.deepEqual([none.warnings, 'status' in none], [[], false])
  for (const list of [{ idx: -1 }, { idx: 1.5 }, { idx: '7' }, { uri: 'no url' }, { uri: 1 }, { uri: undefined }]) {
    const claims = { status: { status_list: { ...STATUS.status_list, ...list } } }
    const codes = await codesOf(await credential(claims), { statusOf: async () => 'valid' })
    t.deepEqual(codes, [['Status', 'sd_jwt.status_unsupported']], JSON.stringify(list))
  }
  t.deepEqual(
    await codesOf(await credential({ status: { status_list: { idx: 0, uri: 'https://a.example' } } }), {}),
    [],
  )
})

test('who cannot be asked is another fault than an answer that does not fit; our own errors are no verdict', async (t) => {
  const failures: [unknown, CheckName, string][] = [
    [unavailable, 'Status', 'status_unavailable'],
    [new Refusal('outbound.refused', 'The address is private.'), 'Status', 'status_unavailable'],
    [new Refusal('status_list.unavailable', 'There is no list.'), 'Status', 'status_unavailable'],
    [new Refusal('status_list.not_verified', 'Another key signed the list.'), 'Status', 'status_list'],
    [faulty('IssuerKey', 'key_ended', 'The key of the list has ended.'), 'Status', 'key_ended'],
    [faulty('Syntax', 'malformed', 'The type is no JSON.'), 'TypeMetadata', 'malformed'],
    [unavailable, 'TypeMetadata', 'type_metadata_unavailable'],
    [new Refusal('type_metadata.unavailable', 'There is no document.'), 'TypeMetadata', 'type_metadata_unavailable'],
    [new Refusal('type_metadata.malformed', 'The document is no JSON.'), 'TypeMetadata', 'type_metadata'],
    [faulty('TypeMetadata', 'type_cycle', 'The type extends itself.'), 'TypeMetadata', 'type_cycle'],
    [new Refusal('outbound.refused', 'The address is private.'), 'IssuerKey', 'issuer_unavailable'],
    [faulty('Trust', 'issuer_not_listed', 'It is not listed.'), 'Trust', 'issuer_not_listed'],
  ]
  const text = await credential({ status: STATUS })
  const rulesFor = (check: CheckName, error: unknown): Partial<VerificationRules> => {
    const fail = () => Promise.reject(error)
    if (check === 'Status') return { statusOf: fail }
    return check === 'TypeMetadata' ? { typeFaults: fail } : { issuerKey: fail }
  }
  for (const [error, check, code] of failures)
    t.deepEqual(await codesOf(text, rulesFor(check, error)), [[check, `sd_jwt.${code}`]], code)
  for (const check of ['Status', 'TypeMetadata', 'IssuerKey'] as const)
    await t.throwsAsync(verify(text, rulesFor(check, new TypeError('ours'))), { message: 'ours' })
  const { checks } = await verify(text, rulesFor('Trust', faulty('Trust', 'issuer_not_listed', 'It is not listed.')))
  t.is(checks.find(({ name }) => name === 'IssuerKey')?.result, 'skipped', 'no key was looked for')
})

test('a listed issuer is named, and the policy is asked for it and all types of the credential', async (t) => {
  const listed: ListedIssuer = { listId: 'list', listName: 'Universities', entryName: 'Law school' }
  const found: string[] = []
  const judged: unknown[] = []
  const verdict = await verify(await credential({ aka_vcts: ['https://types.example/human'] }), {
    find: (issuer) => {
      found.push(issuer)
      return { listed }
    },
    reasonsAgainst: async (issuer, types) => {
      judged.push([issuer, types])
      return [{ type: 'VerifierNotAllowed', message: 'This verifier may not.' }]
    },
  })
  t.deepEqual([found, judged], [[ISSUER], [[ISSUER, [VCT, 'https://types.example/human']]]])
  t.deepEqual([verdict.trust, verdict.issuer], [listed, ISSUER])
  t.like(verdict.faults[0], { check: 'Policy', code: 'sd_jwt.verifier_not_allowed' })
  const none = await verify(await credential())
  t.deepEqual(['trust' in none, none.checks.find(({ name }) => name === 'Policy')?.result], [false, 'skipped'])
})

test('an accepted type may be another name of the credential, and names have their form', async (t) => {
  const other = 'https://types.example/human'
  const asked = { types: [other] }
  t.deepEqual(await codesOf(await credential({ aka_vcts: [other] }), asked), [])
  t.deepEqual(await codesOf(await credential({ aka_vcts: 'text' }), {}), [['Claims', 'sd_jwt.aka_vcts_form']])
  for (const names of [[], [1], [''], ['a b'], [other, VCT], [other, 'a\u0007']])
    t.deepEqual(await codesOf(await credential({ aka_vcts: names }), {}), [['Claims', 'sd_jwt.aka_vcts_form']])
  t.deepEqual(await codesOf(await credential({ vct: 'a'.repeat(2_048) }), {}), [])
  for (const vct of ['', 'a'.repeat(2_049), 1, null])
    t.deepEqual(await codesOf(await credential({ vct }), {}), [['Claims', 'sd_jwt.vct_form']])
})

test('a verdict has what could be read, whatever fails', async (t) => {
  t.deepEqual(Object.keys(await verify('no credential')).toSorted(), ['checks', 'faults', 'verified', 'warnings'])
  const unread = await verify(await credential({ _sd: 1 }))
  t.deepEqual([unread.header, unread.issuer, 'claims' in unread], [HEADER, ISSUER, false])
  const unknown = await verify(await credential({ given_name: 'Ada' }), {
    issuerKey: () => Promise.reject(unavailable),
  })
  t.deepEqual([unknown.claims?.given_name, 'issuer' in unknown], ['Ada', false])
  const [fault] = (await verify(await credential({ sub: 1, exp: 'soon' }))).faults
  t.is(fault?.path, '/sub')
})

test('a key in cnf that is no key of this platform makes a key binding fail, with its reason', async (t) => {
  const rules = { keyBinding: SESSION }
  for (const cnf of [{ jwk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' } }, { jwk: { kty: 'oct', k: 'AA' } }]) {
    const binding = await jwtOf({ alg: 'ES256', typ: 'kb+jwt' }, { iat }, holderKey)
    const codes = await codesOf(`${await credential({ cnf })}${binding}`, rules)
    t.deepEqual(codes, [['KeyBinding', 'sd_jwt.key_binding_key_unsupported']])
  }
})
