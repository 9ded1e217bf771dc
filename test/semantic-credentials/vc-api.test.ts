import test from 'ava'
import { createDid, payload } from '../support/credentials/credentials.ts'
import { makeHolder } from '../support/credentials/holders.ts'
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

test.serial('what does not verify is a 400 that names every failed check (VC API, Verify Credential)', async (t) => {
  const signed = await issue(payload(did))
  const good = await call('credentials/verify', { verifiableCredential: signed, options: { checks: ['proof'] } })
  t.is(good.status, 200)
  t.like(good.json(), { verified: true, errors: [] })
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
