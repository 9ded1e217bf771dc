import test from 'ava'
import { createDocumentLoader } from '../../../protocol/contexts/index.ts'
import { createProofCheck, type ProofCheck } from '../../../protocol/data-integrity/verify.ts'
import { resolveDidKey } from '../../../protocol/dids/key.ts'
import { createDid, sign, verify } from '../../support/credentials/credentials.ts'
import { refusal } from '../../support/credentials/templates.ts'
import { vcApiSettings } from '../../support/credentials/vc-api.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let did: string
test.before(async () => {
  world = await openWorld()
  await vcApiSettings(world, true, world.token)
  did = await createDid(world)
})
test.after.always(() => world?.close())

const post = (path: string, body: unknown) => world.ask(path, { token: world.token, body })
const V2 = 'https://www.w3.org/ns/credentials/v2'

/** Each verify operation, the member that holds the document, and the code for an object that is none. */
const VERIFY = [
  ['/v1/credentials/web-semantic/verify', 'payload', 'credential.malformed'],
  ['/v1/credentials/web-semantic/presentations/verify', 'presentation', 'presentation.malformed'],
  ['/vc-api/credentials/verify', 'verifiableCredential', 'credential.malformed'],
  ['/vc-api/presentations/verify', 'verifiablePresentation', 'presentation.malformed'],
] as const

for (const [path, member, code] of VERIFY)
  test(`${path}: an answer of signing as ${member} is refused with the member to send`, async (t) => {
    const inner = member.endsWith('resentation') ? 'presentation' : 'credential'
    const { id, credential } = await sign(world, did)
    const reply = await post(path, { [member]: { id, [inner]: credential } })
    t.is(refusal(reply, 400), code, reply.text)
    t.regex(reply.json<{ detail: string }>().detail, new RegExp(`its member ${inner}\\b`))
  })

for (const [path, member, code] of VERIFY)
  test(`${path}: what is no document is a 400 that names ${member} (D-250)`, async (t) => {
    for (const body of [{}, ...[null, [], 'x', 7, true].map((value) => ({ [member]: value }))]) {
      const reply = await post(path, body)
      const shown = `${JSON.stringify(body)}: ${reply.text}`
      t.is(refusal(reply, 400), 'request.invalid', shown)
      t.is(reply.json<{ errors: { path: string }[] }>().errors[0]?.path, member, shown)
    }
    for (const document of [{}, { id: 'urn:uuid:1' }, { toString2: 1 }]) {
      const reply = await post(path, { [member]: document })
      t.is(refusal(reply, 400), code, reply.text)
      const { errors } = reply.json<{ errors: { path: string; code: string }[] }>()
      t.deepEqual(
        errors.map((each) => [each.path, each.code]),
        [
          [`${member}.@context`, 'required'],
          [`${member}.type`, 'required'],
        ],
      )
    }
  })

test('a document with a context or a type is verified, and what it lacks stands in the verdict (D-250)', async (t) => {
  for (const document of [{ '@context': [V2] }, { type: ['VerifiableCredential'] }, { '@context': null }]) {
    const { verified, reason } = await verify(world, document)
    t.false(verified)
    t.deepEqual([...new Set(reason.map(({ type }) => type))], ['Syntax'], JSON.stringify(document))
  }
  const { credential } = await sign(world, did)
  const { type: _, ...rest } = credential
  t.is((await verify(world, rest)).reason[0]?.type, 'Syntax')
})

test('an empty object among the credentials of a presentation is a verdict on that credential', async (t) => {
  const presentation = { '@context': [V2], type: ['VerifiablePresentation'], holder: did, verifiableCredential: [{}] }
  const proved = await post('/vc-api/presentations/prove', {
    presentation: { ...presentation, verifiableCredential: [] },
    options: {},
  })
  t.is(proved.status, 201, proved.text)
  const reply = await post('/v1/credentials/web-semantic/presentations/verify', { presentation })
  t.is(reply.status, 200, reply.text)
  const { verified, checks } = reply.json<{ verified: boolean; checks: { check: string; outcome: string }[] }>()
  t.false(verified)
  t.true(checks.some(({ check, outcome }) => check === 'credentialForm' && outcome === 'failed'))
})

test('what an envelope does not contain is one reason, with its code (VC Data Model 2.0, section 4.12)', async (t) => {
  const enveloped = {
    '@context': [V2],
    id: 'data:application/vc+sd-jwt,eyJhbGciOiJFZERTQSJ9.e30.AAAA',
    type: 'EnvelopedVerifiableCredential',
  }
  const { verified, reason } = await verify(world, enveloped)
  t.false(verified)
  t.is(reason.length, 1)
  t.is(reason[0]?.type, 'Syntax')
  t.regex(JSON.stringify(reason[0]), /envelope\.\w+/)
  const reply = await post('/vc-api/credentials/verify', { verifiableCredential: enveloped })
  t.is(refusal(reply, 400), 'credential.not_verified', reply.text)
  t.is(reply.json<{ errors: unknown[] }>().errors.length, 1, reply.text)
})

test('a supported cryptosuite below another proof type is not called unsupported', async (t) => {
  const check = createProofCheck({ documentLoader: createDocumentLoader() })
  const method = resolveDidKey(did).verificationMethod?.[0]
  const reasonOf = async (proof: Record<string, unknown>) =>
    JSON.stringify(await check({ document: { '@context': [V2] }, proof, method } as ProofCheck))
  t.regex(await reasonOf({ type: 'Proof', cryptosuite: 'eddsa-rdfc-2022' }), /must have the type DataIntegrityProof/)
  t.regex(
    await reasonOf({ type: 'DataIntegrityProof', cryptosuite: 'ecdsa-xi-2023' }),
    /ecdsa-xi-2023 are not supported/,
  )
})

test('a value that has not the form of its type is a 400 that names it, when it is signed (D-267)', async (t) => {
  const term = { '@id': 'https://a.example/#day', '@type': 'http://www.w3.org/2001/XMLSchema#date' }
  const request = (day: unknown) => ({
    payload: {
      '@context': [V2, { day: term }],
      type: ['VerifiableCredential'],
      issuer: did,
      credentialSubject: { day },
    },
    proofType: 'eddsa-rdfc-2022',
    revocable: false,
  })
  const refused = await post('/v1/credentials/web-semantic/sign', request('2026-02-31'))
  t.is(refusal(refused, 400), 'credential.value_type', refused.text)
  t.is(refused.json<{ errors: { path: string }[] }>().errors[0]?.path, 'payload.credentialSubject.day')
  t.is((await post('/v1/credentials/web-semantic/sign', request('2026-02-28'))).status, 200)
})
