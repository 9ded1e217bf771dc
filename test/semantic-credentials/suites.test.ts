import test from 'ava'
import { CONTEXT } from '../../protocol/contexts/index.ts'
import { createDid, payload, sign, verify } from '../support/credentials/credentials.ts'
import { type Json, vcApi, vcApiIssue, vcApiSettings } from '../support/credentials/vc-api.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let dids: { ed25519: string; p256: string; p384: string }
test.before(async () => {
  world = await openWorld()
  await vcApiSettings(world, true)
  dids = { ed25519: await createDid(world), p256: await createDid(world, 'p256'), p384: await createDid(world, 'p384') }
})
test.after.always(() => world?.close())

const types = async (credential: unknown) => (await verify(world, credential)).reason.map(({ type }) => type)

for (const [proofType, keyType] of [
  ['eddsa-jcs-2022', 'ed25519'],
  ['ecdsa-jcs-2019', 'p256'],
  ['ecdsa-jcs-2019', 'p384'],
  ['ecdsa-rdfc-2019', 'p384'],
  ['ecdsa-sd-2023', 'p256'],
  ['Ed25519Signature2020', 'ed25519'],
] as const)
  test.serial(
    `${proofType} by ${keyType}: signed, verified, revoked, presented (VC Data Integrity EdDSA and ECDSA 1.0)`,
    async (t) => {
      const { id, credential } = await sign(world, dids[keyType], { proofType, revocable: true })
      const proof = Object(credential.proof) as Json
      t.is(proof.cryptosuite ?? proof.type, proofType)
      t.deepEqual(await verify(world, credential), { verified: true, reason: [] })
      t.deepEqual(await types({ ...credential, validFrom: '2020-01-01T00:00:00Z' }), ['Proof'])
      const presentation = {
        '@context': [CONTEXT.credentialsV2],
        type: ['VerifiablePresentation'],
        holder: dids[keyType],
        verifiableCredential: [credential],
      }
      const holderProof = proofType === 'ecdsa-sd-2023' ? 'ecdsa-jcs-2019' : proofType
      const cryptosuite = holderProof.includes('-') ? { cryptosuite: holderProof } : { type: holderProof }
      const expected = { challenge: 'c-1', domain: 'verifier.example' }
      const proved = await vcApi(world, 'presentations/prove', {
        presentation,
        options: { ...cryptosuite, ...expected },
      })
      t.is(proved.status, 201, proved.text)
      const { verifiablePresentation } = proved.json<{ verifiablePresentation: Json }>()
      const verdict = await vcApi(world, 'presentations/verify', { verifiablePresentation, options: expected })
      t.is(verdict.status, 200, verdict.text)
      const body = { is_revoked: true }
      await world.ask(`/v1/credentials/web-semantic/${id}/revocation-status`, { token: world.token, body })
      t.deepEqual(await types(credential), ['Revoked'])
    },
  )

test.serial('a holder shows a part of an ecdsa-sd-2023 credential, and no header is bound into it', async (t) => {
  const options = { mandatoryPointers: ['/credentialSubject/id'] }
  const given = payload(dids.p256, { credentialSubject: { id: 'did:example:holder', course: ['CS-101', 'CS-102'] } })
  const base = await vcApiIssue(world, given, options, 'ecdsa-sd-2023/credentials/issue')
  const ask = (more: Json) =>
    world.ask('/v1/credentials/web-semantic/derive', { token: world.token, body: { credential: base, ...more } })
  const { credential } = (await ask({ selectivePointers: ['/credentialSubject/course/0'] })).json<{
    credential: Json
  }>()
  t.deepEqual(credential.credentialSubject, { id: 'did:example:holder', course: ['CS-101'] })
  t.deepEqual(await verify(world, credential), { verified: true, reason: [] })
  t.deepEqual(await types({ ...credential, credentialSubject: given.credentialSubject }), ['Proof'])
  const bound = await ask({ selectivePointers: [], presentationHeader: 'AAAA' })
  t.is(bound.status, 400)
  t.deepEqual(
    bound.json<{ errors: { path: string }[] }>().errors.map(({ path }) => path),
    ['presentationHeader'],
  )
})

test.serial('a proof over JSON covers every context: none can be appended, replaced or moved (D-870)', async (t) => {
  const { credential } = await sign(world, dids.ed25519, { proofType: 'eddsa-jcs-2022' })
  const proof = Object(credential.proof) as Json
  const contexts = [credential['@context']].flat()
  t.deepEqual(proof['@context'], credential['@context'])
  const other = { course: 'https://elsewhere.example/terms#title' }
  t.deepEqual(await types({ ...credential, '@context': [...contexts, other] }), ['Proof'])
  t.deepEqual(await types({ ...credential, '@context': [contexts[0], other] }), ['Proof'])
  const both = {
    ...credential,
    '@context': [...contexts, other],
    proof: { ...proof, '@context': [...contexts, other] },
  }
  t.deepEqual(await types(both), ['Proof'])
  const { '@context': _, ...bare } = proof
  t.deepEqual(await types({ ...credential, proof: bare }), ['Proof'])
  // the same statements, another text
  t.deepEqual(await types({ ...credential, type: 'VerifiableCredential' }), ['Proof'])
})
