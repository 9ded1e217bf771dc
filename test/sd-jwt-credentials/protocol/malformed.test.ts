import test from 'ava'
import { Refusal, Unavailable } from '../../../protocol/errors.ts'
import type { Json } from '../../../protocol/json.ts'
import { digestOf } from '../../../protocol/sd-jwt-credentials/disclosures.ts'
import { addKeyBinding, KEY_BINDING_TYPE } from '../../../protocol/sd-jwt-credentials/key-binding.ts'
import type { VerificationRules } from '../../../protocol/sd-jwt-credentials/verify.ts'
import {
  claims,
  disclosureOf,
  holderKey,
  ISSUER,
  issue,
  issuerKey,
  jwtOf,
  NOW,
  partsOf,
  present,
  SESSION,
  testKey,
  verify,
} from '../../support/sd-jwt/tokens.ts'

const HEADER = { alg: 'ES256', typ: 'dc+sd-jwt', kid: `${ISSUER}#key` }
const iat = Math.floor(NOW.getTime() / 1_000)
const PAYLOAD: Json = { iss: ISSUER, iat, vct: 'https://types.example/person', cnf: { jwk: holderKey.jwk } }

interface Case {
  text(): Promise<string>
  rules?: Partial<VerificationRules>
}

/** Signed claims, and disclosures as JSON values or as texts of their own. */
const signed = async (payload: unknown, disclosures: string[] = [], header: unknown = HEADER) =>
  `${[await jwtOf(header, payload), ...disclosures].join('~')}~`

const of = (payload: Json | string, disclosures: string[] = [], header: unknown = HEADER): Case => ({
  text: () => signed(typeof payload === 'string' ? payload : { ...PAYLOAD, ...payload }, disclosures, header),
})

const digest = (encoded: string) => digestOf(encoded, 'sha-256')

/** A credential whose `_sd` has the digests of these disclosures. */
const disclosing = (...disclosures: string[]): Case => of({ _sd: disclosures.map(digest) }, disclosures)

const D = (...parts: unknown[]) => disclosureOf(parts)
const name = D('salt', 'given_name', 'Ada')
const element = D('salt', 'DK')

const binding = (change: { header?: Json; payload?: Json; key?: typeof holderKey }): Case => ({
  rules: { keyBinding: SESSION },
  text: async () => {
    const presented = await issue()
    const payload = { iat, aud: SESSION.audience, nonce: SESSION.nonce, sd_hash: digest(presented) }
    const header = { alg: 'ES256', typ: KEY_BINDING_TYPE, ...change.header }
    return `${presented}${await jwtOf(header, { ...payload, ...change.payload }, change.key ?? holderKey)}`
  },
})

const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)

const CASES: Record<string, Case> = {
  too_large: { text: async () => `${'A'.repeat(1024 * 1024)}~` },
  no_tilde: { text: () => jwtOf(HEADER, PAYLOAD) },
  too_many_disclosures: of(
    {},
    Array.from({ length: 100_000 }, () => 'W10'),
  ),
  jwt_parts: { text: async () => 'e30.e30~' },
  jwt_not_base64url: { text: async () => 'e30=.e30.AA~' },
  jwt_not_signed: { text: async () => 'e30.e30.~' },
  jwt_header_not_json: of({}, [], '{'),
  jwt_header_not_utf8: { text: async () => '_w.e30.AA~' },
  jwt_header_member_unsafe: of({}, [], '{"alg":{"toString":1}}'),
  jwt_payload_not_json: of('{"vct"'),
  jwt_payload_member_repeated: of('{"vct":"a","vct":"b"}'),
  jwt_payload_too_deep: of({ claim: deep(60) }),
  jwt_payload_too_many_values: of({ claim: Array.from({ length: 25_001 }, () => 0) }),
  jwt_not_object: of('[]'),
  typ: of({}, [], { ...HEADER, typ: 'JWT' }),
  crit: of({}, [], { ...HEADER, crit: ['b64'], b64: false }),
  alg: of({}, [], { ...HEADER, alg: 'none' }),
  key_unfit: of({}, [], { ...HEADER, alg: 'EdDSA' }),
  signature: {
    text: async () => `${await jwtOf(HEADER, PAYLOAD, testKey())}~`,
  },
  hash_algorithm: of({ _sd_alg: 'md5' }),
  disclosure_empty: of({}, ['']),
  disclosure_not_base64url: of({}, ['W10=']),
  disclosure_not_json: of({}, [Buffer.from('[1').toString('base64url')]),
  disclosure_not_utf8: of({}, ['_w']),
  disclosure_member_repeated: of({}, [Buffer.from('["s","n",{"a":1,"a":2}]').toString('base64url')]),
  disclosure_too_deep: of({}, [D('salt', 'name', deep(60))]),
  disclosure_too_many_values: of({}, [
    D(
      'salt',
      'name',
      Array.from({ length: 25_001 }, () => 0),
    ),
  ]),
  disclosure_not_array: of({}, [disclosureOf({})]),
  disclosure_length: disclosing(D('salt', 'name', 1, 2)),
  disclosure_salt: disclosing(D(1, 'name', 2)),
  disclosure_name: disclosing(D('salt', 1, 2)),
  disclosure_name_reserved: disclosing(D('salt', '_sd', [])),
  disclosure_repeated: of({ _sd: [digest(name)] }, [name, name]),
  disclosure_unreferenced: of({ _sd: [digest(D('other', 'given_name', 'Ada'))] }, [name]),
  disclosure_of_element: disclosing(element),
  disclosure_of_member: of({ list: [{ '...': digest(name) }] }, [name]),
  digest_repeated: of({ _sd: [digest(name)], other: { _sd: [digest(name)] } }, [name]),
  digest_not_text: of({ _sd: [1] }),
  digests_not_array: of({ _sd: digest(name) }),
  element_members: of({ list: [{ '...': digest(element), more: 1 }] }, [element]),
  name_taken: of({ _sd: [digest(name)], given_name: 'Eve' }, [name]),
  name_reserved: of({ claim: { '...': 'a' } }),
  name_unsafe: of(JSON.stringify({ ...PAYLOAD, claim: 1 }).replace('"claim"', '"__proto__"')),
  never_selective: disclosing(D('salt', 'exp', 1)),
  too_many_digests: of({ _sd: Array.from({ length: 5_001 }, (_, at) => `${at}`) }),
  too_many_values: of({ list: Array.from({ length: 6_000 }, () => 0) }),
  too_deep: nestedDisclosures(40),
  vct_missing: of({ vct: undefined }),
  vct_form: of({ vct: 'a type' }),
  vct_integrity_form: of({ 'vct#integrity': 'md5-AAAA' }),
  aka_vcts_form: of({ aka_vcts: [PAYLOAD.vct] }),
  sub_form: of({ sub: 1 }),
  cnf_form: of({ cnf: 'key' }),
  status_form: of({ status: 1 }),
  type_not_accepted: { ...of({}), rules: { types: ['https://types.example/other'] } },
  issued_in_future: of({ iat: iat + 60 }),
  not_yet_valid: of({ nbf: iat + 60 }),
  expired: of({ exp: iat }),
  exp_form: of({ exp: '2030-01-01' }),
  iat_form: of({ iat: '0' }),
  nbf_form: of({ nbf: null }),
  iss_form: { ...of({ iss: 1 }) },
  kid_form: of({}, [], { ...HEADER, kid: 1 }),
  kid_of_other: of({}, [], { ...HEADER, kid: 'did:example:other#key' }),
  issuer_missing: of({ iss: undefined }),
  issuer_unsupported: of({ iss: 'http://issuer.example' }),
  issuer_ambiguous: of({}, [], { ...HEADER, x5c: ['AA=='] }),
  x5c_form: of({ iss: undefined }, [], { ...HEADER, x5c: [] }),
  issuer_key: {
    ...of({}),
    rules: {
      issuerKey: async () => {
        throw new Refusal('did.not_found', 'There is no such DID.')
      },
    },
  },
  issuer_unavailable: {
    ...of({}),
    rules: {
      issuerKey: async () => {
        throw new Unavailable('outbound', 'The server does not answer.')
      },
    },
  },
  issuer_not_allowed: {
    ...of({}),
    rules: { reasonsAgainst: async () => [{ type: 'IssuerNotAllowed', message: 'The policy forbids it.' }] },
  },
  status_unsupported: { ...of({ status: { other: 1 } }), rules: { statusOf: async () => 'valid' } },
  revoked: {
    ...of({ status: { status_list: { idx: 1, uri: 'https://a.example/l' } } }),
    rules: { statusOf: async () => 'revoked' },
  },
  suspended: {
    ...of({ status: { status_list: { idx: 1, uri: 'https://a.example/l' } } }),
    rules: { statusOf: async () => 'suspended' },
  },
  key_binding_missing: { text: () => issue(), rules: { keyBinding: SESSION } },
  key_binding_unexpected: { text: async () => present(await issue()), rules: { keyBinding: 'refused' } },
  key_binding_parts: { text: async () => `${await issue()}AA` },
  key_binding_no_key: {
    text: async () => present(await issue({ terms: { holder: undefined } })),
    rules: { keyBinding: SESSION },
  },
  key_binding_key_unsupported: {
    rules: { keyBinding: SESSION },
    text: async () =>
      addKeyBinding(
        await signed({ ...PAYLOAD, cnf: { kid: 'key' } }),
        { alg: 'ES256', ...SESSION, issuedAt: NOW, algorithm: 'sha-256' },
        holderKey.sign,
      ),
  },
  key_binding_typ: binding({ header: { typ: 'JWT' } }),
  key_binding_crit: binding({ header: { crit: ['exp'] } }),
  key_binding_alg: binding({ header: { alg: 'none' } }),
  key_binding_alg_of_other_key: binding({ header: { alg: 'EdDSA' } }),
  key_binding_signature: binding({ key: issuerKey }),
  key_binding_nonce: binding({ payload: { nonce: 'another' } }),
  key_binding_aud: binding({ payload: { aud: 'https://other.example' } }),
  key_binding_iat_form: binding({ payload: { iat: undefined } }),
  key_binding_iat_future: binding({ payload: { iat: iat + 60 } }),
  key_binding_iat_old: binding({ payload: { iat: iat - 301 } }),
  key_binding_expired: binding({ payload: { exp: iat } }),
  key_binding_not_yet_valid: binding({ payload: { nbf: iat + 60 } }),
  key_binding_sd_hash: binding({ payload: { sd_hash: digest('another') } }),
}

/** Each disclosure has the digest of the next one in its value, so that the whole is deeper than each part. */
function nestedDisclosures(levels: number): Case {
  const disclosures: string[] = []
  let value: unknown = 1
  for (let level = 0; level < levels; level += 1) {
    const encoded = D('salt', 'claim', value)
    disclosures.push(encoded)
    value = { _sd: [digest(encoded)] }
  }
  return of(value as Json, disclosures)
}

for (const [code, { text, rules }] of Object.entries(CASES))
  test(`a malformed one has its own error: ${code}`, async (t) => {
    const verdict = await verify(await text(), rules)
    t.false(verdict.verified)
    t.deepEqual(
      verdict.faults.map((fault) => fault.code),
      [`sd_jwt.${code}`],
    )
    const [fault] = verdict.faults
    t.is(verdict.checks.find(({ name }) => name === fault?.check)?.result, 'failed')
  })

test('the table has more than 30 malformed ones, each with a code of its own', (t) => {
  t.true(Object.keys(CASES).length > 80)
})

test('names of prototypes are claims like others, and reach no prototype', async (t) => {
  const disclosed = D('salt', 'constructor', { prototype: { polluted: true } })
  const verdict = await verify(
    await signed({ ...PAYLOAD, _sd: [digest(disclosed), '__proto__'], toString: 'text' }, [disclosed]),
  )
  t.true(verdict.verified)
  t.deepEqual(
    Object.keys(verdict.claims ?? {}).filter((each) => !Object.hasOwn(PAYLOAD, each)),
    ['toString', 'constructor'],
  )
  t.false('polluted' in {})
})

test('a credential of the type before November 2024 verifies, with a warning', async (t) => {
  const verdict = await verify(await signed(PAYLOAD, [], { ...HEADER, typ: 'vc+sd-jwt' }))
  t.true(verdict.verified)
  t.deepEqual(verdict.warnings, ['OldType', 'KeyBindingNotChecked'])
})

test('a credential that is bound to a key has a warning where nobody asks for the key binding, with and without one', async (t) => {
  const warnings = async (text: string) => (await verify(text)).warnings
  const bound = await issue()
  t.deepEqual(await warnings(bound), ['KeyBindingNotChecked'])
  t.deepEqual(await warnings(await present(bound)), ['KeyBindingNotChecked'])
  t.deepEqual(await warnings(await issue({ terms: { holder: undefined } })), [])
})

test('a changed disclosure, and a left out one, have the sd_hash of another presentation (RFC 9901, section 4.3.1)', async (t) => {
  const presented = await present(await issue())
  const [jwt = '', ...rest] = presented.split('~')
  const verdict = await verify([jwt, ...rest.slice(1)].join('~'), { keyBinding: SESSION })
  t.true(verdict.faults.some(({ code }) => code === 'sd_jwt.key_binding_sd_hash'))
})

test('clocks may differ by the tolerance', async (t) => {
  const text = await signed({ ...PAYLOAD, iat: iat + 30, nbf: iat + 30, exp: iat })
  t.deepEqual((await verify(text, { toleranceMs: 60_000 })).faults, [])
  t.is((await verify(text)).faults.length, 3)
})

test('all of the claims survive the way through issuance, presentation and verification', async (t) => {
  const text = await issue()
  t.false(JSON.stringify(partsOf(text).payload).includes('Torvet'))
  const whole = await verify(await present(text), { keyBinding: SESSION })
  t.true(whole.verified)
  t.like(whole.claims, claims)
  const some = await verify(
    await present(text, [
      ['address', 'street'],
      ['nationalities', 1],
    ]),
    { keyBinding: SESSION },
  )
  t.true(some.verified)
  t.like(some.claims, { address: claims.address, nationalities: ['DE'], age: 42, given_name: undefined })
  // pointers into the claims, which have no element for what is not disclosed
  t.deepEqual(some.selective?.toSorted(), ['/address', '/address/street', '/nationalities/0'])
})
