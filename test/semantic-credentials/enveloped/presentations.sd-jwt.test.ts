import { createHash } from 'node:crypto'
import test from 'ava'
import { CONTEXT } from '../../../protocol/contexts/index.ts'
import { createDid, payload } from '../../support/credentials/credentials.ts'
import { failedIn, verifyPresentation } from '../../support/credentials/presentations.ts'
import type { Json } from '../../support/credentials/vc-api.ts'
import { joseHolder } from '../../support/enveloped/holders.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let issuer: string
test.before(async () => {
  world = await openWorld()
  issuer = await createDid(world, 'p256')
})
test.after.always(() => world?.close())

const EXPECTED = { challenge: 'the-challenge', domain: 'verifier.example' }

async function credentialFor(holder: string): Promise<Json> {
  const body = {
    payload: payload(issuer, { credentialSubject: { id: holder, course: 'CS-101' } }),
    proofType: 'vc+sd-jwt',
    revocable: false,
  }
  const reply = await world.ask('/v1/credentials/web-semantic/sign', { token: world.token, body })
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.json<{ credential: Json }>().credential
}

const disclosure = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
const digest = (text: string) => createHash('sha256').update(text).digest('base64url')
const AS_SD_JWT = { typ: 'vp+sd-jwt' }
const asSdJwt = (text: string): Json => ({
  '@context': CONTEXT.credentialsV2,
  id: `data:application/vp+sd-jwt,${text}`,
  type: 'EnvelopedVerifiablePresentation',
})

test('vp+sd-jwt verifies with what is disclosed of it (VC-JOSE-COSE 1.0, section 3.2.2; D-891)', async (t) => {
  const holder = await joseHolder('ES512')
  const credential = await credentialFor(holder.did)
  const shown = disclosure('c2FsdHNhbHRzYWx0c2FsdA', credential)
  const hidden = disclosure('dGxhc3RsYXN0bGFzdGxhcw', 'termsOfUse', { type: 'Terms' })
  const content = {
    '@context': [CONTEXT.credentialsV2],
    type: ['VerifiablePresentation'],
    holder: holder.did,
    nonce: EXPECTED.challenge,
    aud: EXPECTED.domain,
    verifiableCredential: [{ '...': digest(shown) }],
    _sd: [digest(hidden)],
  }
  const jwt = await holder.sign(content, AS_SD_JWT)
  const presentation = asSdJwt(`${jwt}~${shown}~`)
  t.like(await verifyPresentation(world, presentation, EXPECTED), { verified: true, reason: '' })
  t.deepEqual(failedIn(await verifyPresentation(world, presentation, { ...EXPECTED, challenge: 'another-one' })), [
    ['challenge', '/id'],
  ])
  const refusals: [text: string, reason: RegExp][] = [
    [`${jwt}~${shown}~${shown}~`, /^form at \/id: envelope\.malformed/],
    [`${jwt}~${shown}~${await holder.sign({}, { typ: 'kb+jwt' })}`, /^form at \/id: envelope\.key_binding/],
    [jwt, /^form at \/id: envelope\.malformed/],
    [`${await holder.sign(content, { typ: 'vc+sd-jwt' })}~${shown}~`, /^form at \/id: envelope\.type/],
    [
      `${await holder.sign({ ...content, iss: issuer }, AS_SD_JWT)}~${shown}~`,
      /^form at \/id: envelope\.contradiction/,
    ],
    [`${jwt.replace(/.{20}$/, 'A'.repeat(20))}~${shown}~`, /^holderProof at \/id: envelope\.signature/],
    [`${await holder.sign({ ...content, exp: 1 }, AS_SD_JWT)}~${shown}~`, /^holderProof at \/id: envelope\.expired/],
  ]
  for (const [text, reason] of refusals)
    t.regex((await verifyPresentation(world, asSdJwt(text), EXPECTED)).reason, reason)
})
