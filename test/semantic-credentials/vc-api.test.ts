import test from 'ava'
import { createDid, payload } from '../support/credentials/credentials.ts'
import { makeHolder } from '../support/credentials/holders.ts'
import { prove } from '../support/credentials/proofs.ts'
import { ed25519Signer } from '../support/credentials/signers.ts'
import { codesOf, type Json, pathsOf, vcApi, vcApiIssue, vcApiSettings } from '../support/credentials/vc-api.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let did: string
test.before(async () => {
  world = await openWorld()
  did = await createDid(world)
})
test.after.always(() => world?.close())

const settings = (vcApi: boolean, token?: string) => vcApiSettings(world, vcApi, token)
const call = (path: string, body: unknown, token?: string) => vcApi(world, path, body, token)
const issue = (credential: Json, options?: Json, path?: string) => vcApiIssue(world, credential, options, path)

test.serial(
  'off unless the tenant turns it on, and then for its own tokens alone (W3C VC API, Authorization)',
  async (t) => {
    const body = { credential: payload(did) }
    const off = await call('credentials/issue', body)
    t.is(off.status, 403)
    t.deepEqual(codesOf(off.text), ['vc_api.off'])
    t.is((await settings(true)).status, 200)
    t.is((await call('credentials/issue', body)).status, 201)
    t.is((await call('credentials/issue', body, '')).status, 401)
    const other = await world.tokenOf(await world.addTenant())
    t.is((await call('credentials/issue', body, other)).status, 403)
    await settings(true, other)
    t.deepEqual(codesOf((await call('credentials/issue', body, other)).text)[0], 'credential.issuer_unknown')
    const reader = await world.tokenOf(world.first, 'semantic-credentials:read')
    t.is((await call('credentials/issue', body, reader)).status, 403)
  },
)

test.serial(
  'a value that has not the form of its type is signed as it is here, as conforming credentials are (D-1034)',
  async (t) => {
    const days = { day: { '@id': 'https://a.example/#day', '@type': 'http://www.w3.org/2001/XMLSchema#dateTime' } }
    const { '@context': contexts, ...rest } = payload(did, { credentialSubject: { day: '01-01-1990' } })
    const given = { '@context': [...(contexts as Json[]), days], ...rest }
    for (const suite of ['eddsa-rdfc-2022', 'eddsa-jcs-2022']) {
      const signed = await issue(given, undefined, `${suite}/credentials/issue`)
      t.deepEqual((signed.credentialSubject as Json).day, '01-01-1990', suite)
      const verified = await call('credentials/verify', { verifiableCredential: signed })
      t.is(verified.status, 200, verified.text)
    }
  },
)

test.serial(
  'a credential is signed as it is: nothing of it is set or replaced (VC API, Issue Credential)',
  async (t) => {
    const given = payload(did, {
      id: 'urn:uuid:a3f2b0d0-96a5-4c58-9a5c-1a5f7f3c5a11',
      validFrom: '2026-01-01T00:00:00Z',
    })
    const { proof, ...signed } = await issue(given)
    t.deepEqual(signed, given)
    t.is((proof as Json).cryptosuite, 'eddsa-rdfc-2022')
    for (const [change, code] of [
      [{ '@context': undefined }, 'credential.base_context'],
      [{ type: ['AlumniCredential'] }, 'credential.type'],
      [{ issuer: undefined }, 'credential.uri'],
      [{ credentialSubject: undefined }, 'credential.required'],
      [{ validFrom: 'yesterday' }, 'credential.date_time'],
    ] as const) {
      const refused = await call('credentials/issue', { credential: { ...given, ...change } })
      t.is(refused.status, 400)
      t.deepEqual(codesOf(refused.text), ['credential.invalid', code])
    }
    const stranger = await call('credentials/issue', {
      credential: payload('did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'),
    })
    t.is(codesOf(stranger.text)[0], 'credential.issuer_unknown')
    t.deepEqual(pathsOf(stranger.text), ['credential.issuer'])
  },
)

test.serial(
  'an address per proof type; the issuer may make more mandatory, and never less (VC-DI BBS 1.0, 3.3)',
  async (t) => {
    const bbs = await createDid(world, 'bls12381g2')
    const options = {
      mandatoryPointers: ['/credentialSubject/course'],
      credentialStatus: { type: 'BitstringStatusListEntry' },
    }
    const base = await issue(payload(bbs), options, 'bbs-2023/credentials/issue')
    const derived = await call('credentials/derive', { verifiableCredential: base, options: { selectivePointers: [] } })
    t.is(derived.status, 201)
    const { verifiableCredential } = derived.json<{ verifiableCredential: Json }>()
    t.like(verifiableCredential.credentialSubject, { course: 'CS-101' })
    for (const member of ['issuer', 'validFrom', 'credentialStatus'])
      t.deepEqual(verifiableCredential[member], base[member])
    t.is((await call('credentials/verify', { verifiableCredential })).status, 200)
    const nothing = await call('bbs-2023/credentials/issue', {
      credential: payload(bbs),
      options: { mandatoryPointers: ['/no'] },
    })
    t.is(codesOf(nothing.text)[0], 'credential.pointer_invalid')
    const useless = await call('credentials/issue', { credential: payload(did), options })
    t.is(codesOf(useless.text)[0], 'request.invalid')
    const unknown = await call('rot13/credentials/issue', { credential: payload(did) })
    t.is(codesOf(unknown.text)[0], 'credential.proof_type_unsupported')
  },
)

const MADE = {
  credentialForm: 'passed',
  credentialIssuer: 'passed',
  credentialProof: 'passed',
  credentialValidity: 'passed',
  credentialStatus: 'passed',
}
const PROOF_ALONE = { ...MADE, credentialIssuer: 'skipped', credentialValidity: 'skipped', credentialStatus: 'skipped' }
const outcomesOf = (text: string) =>
  Object.fromEntries(JSON.parse(text).checks.map(({ check, outcome }: Record<string, string>) => [check, outcome]))

test.serial('what does not verify is a 400 that names every failed check (VC API, Verify Credential)', async (t) => {
  const signed = await issue(payload(did))
  const good = await call('credentials/verify', { verifiableCredential: signed })
  t.is(good.status, 200)
  t.like(good.json(), { verified: true, errors: [] })
  t.deepEqual(outcomesOf(good.text), { ...MADE, credentialStatus: 'skipped' })
  const changed = { ...signed, validUntil: '2020-01-01T00:00:00Z', validFrom: '2019-01-01T00:00:00Z' }
  const bad = await call('credentials/verify', { verifiableCredential: changed })
  t.is(bad.status, 400)
  t.deepEqual(codesOf(bad.text), ['credential.not_verified', 'Proof', 'Expired'])
  const answer = await call('credentials/verify', {
    verifiableCredential: signed,
    options: { challenge: 'c', domain: 'd' },
  })
  t.deepEqual(codesOf(answer.text), ['credential.not_verified', 'Proof', 'Proof'])
  for (const [verifiableCredential, status] of [
    [null, 400],
    ['a.b.c', 400],
    [{}, 400],
    [{ proof: [] }, 400],
  ] as const)
    t.is((await call('credentials/verify', { verifiableCredential })).status, status)
})

test.serial(
  'a presentation is proved by its holder and verified with its credentials (VC API, Presentations)',
  async (t) => {
    const options = { challenge: 'the-challenge', domain: 'verifier.example' }
    const presentation = {
      '@context': ['https://www.w3.org/ns/credentials/v2'],
      type: ['VerifiablePresentation'],
      holder: did,
      verifiableCredential: [await issue(payload(did))],
    }
    const proved = await call('presentations/prove', { presentation, options })
    t.is(proved.status, 201)
    const { verifiablePresentation } = proved.json<{ verifiablePresentation: Json }>()
    t.is((await call('presentations/verify', { verifiablePresentation, options })).status, 200)
    const wrong = await call('presentations/verify', { verifiablePresentation, options: { challenge: 'another' } })
    t.is(wrong.status, 400)
    t.deepEqual(codesOf(wrong.text), ['presentation.not_verified', 'challenge'])
    const stranger = { ...presentation, holder: makeHolder().did }
    const other = { ...options, verificationMethod: `${stranger.holder}#x` }
    for (const [body, path] of [
      [{ presentation: stranger, options }, 'presentation.holder'],
      [{ presentation, options: other }, 'options.verificationMethod'],
    ] as const) {
      const refused = await call('presentations/prove', body)
      t.is(codesOf(refused.text)[0], 'presentation.signer_unknown')
      t.deepEqual(pathsOf(refused.text), [path])
    }
  },
)

/** Expired, revoked, and signed with a key of a DID that is not its issuer. */
async function overdue(): Promise<Json> {
  const signer = ed25519Signer()
  const unsigned = payload('https://vc.example/issuers/5678', {
    id: 'urn:uuid:8a8b0f3e-54c3-4a38-9bd6-8b4d1c8a63e4',
    validFrom: '2020-01-01T00:00:00Z',
    validUntil: '2021-01-01T00:00:00Z',
    credentialStatus: {
      type: 'BitstringStatusListEntry',
      statusPurpose: 'revocation',
      statusListIndex: '1',
      statusListCredential: `${world.url}/v1/revocation-lists/8a8b0f3e-54c3-4a38-9bd6-8b4d1c8a63e4`,
    },
  })
  return { ...unsigned, proof: await prove(unsigned, signer) }
}

test.serial(
  'checks: ["proof"] asks for form and proof alone, and the answer names what it skipped (D-239)',
  async (t) => {
    const verifiableCredential = await overdue()
    const verify = (checks?: unknown, credential = verifiableCredential) =>
      call('credentials/verify', {
        verifiableCredential: credential,
        ...(checks !== undefined && { options: { checks } }),
      })
    t.deepEqual(codesOf((await verify()).text), ['credential.not_verified', 'Issuer', 'Expired', 'StatusUnavailable'])
    t.deepEqual(codesOf((await verify(null)).text).length, 4)
    const alone = await verify(['proof'])
    t.is(alone.status, 200, alone.text)
    t.deepEqual(outcomesOf(alone.text), PROOF_ALONE)
    for (const [check, code] of [
      ['credentialIssuer', 'Issuer'],
      ['credentialValidity', 'Expired'],
      ['credentialStatus', 'StatusUnavailable'],
    ] as const)
      t.deepEqual(codesOf((await verify(['proof', check])).text), ['credential.not_verified', code])
    const { credentialSubject: _, ...changed } = verifiableCredential
    t.deepEqual(codesOf((await verify(['proof'], { ...changed, credentialSubject: { id: 'did:example:b' } })).text), [
      'credential.not_verified',
      'Proof',
    ])
    t.deepEqual(codesOf((await verify(['proof'], changed)).text), ['credential.not_verified', 'Syntax'])
    for (const checks of [['proof', 'everything'], ['credentialStatus'], [], 'proof', [1], ['toString', 'proof']]) {
      const refused = await verify(checks)
      t.is(refused.status, 400)
      t.is(codesOf(refused.text)[0], 'request.invalid', JSON.stringify(checks))
      t.deepEqual(pathsOf(refused.text), ['options.checks'])
    }
  },
)

test.serial('checks: ["proof"] of a presentation leaves the same checks of its credentials out (D-239)', async (t) => {
  const presentation = {
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    type: ['VerifiablePresentation'],
    holder: did,
    verifiableCredential: [await overdue()],
  }
  const proved = await call('presentations/prove', { presentation, options: { challenge: 'c' } })
  const { verifiablePresentation } = proved.json<{ verifiablePresentation: Json }>()
  const all = await call('presentations/verify', { verifiablePresentation })
  t.deepEqual(codesOf(all.text), [
    'presentation.not_verified',
    'credentialIssuer',
    'credentialValidity',
    'credentialStatus',
  ])
  const alone = await call('presentations/verify', { verifiablePresentation, options: { checks: ['proof'] } })
  t.is(alone.status, 200, alone.text)
  t.like(outcomesOf(alone.text), { ...PROOF_ALONE, holderProof: 'passed' })
  const unknown = await call('presentations/verify', { verifiablePresentation, options: { checks: ['proofs'] } })
  t.deepEqual(codesOf(unknown.text)[0], 'request.invalid')
})
