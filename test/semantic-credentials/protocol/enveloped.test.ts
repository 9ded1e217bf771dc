import test from 'ava'
import { CONTEXT } from '../../../protocol/contexts/index.ts'
import { encodeCbor } from '../../../protocol/cose/cbor.ts'
import { HEADER } from '../../../protocol/cose/sign1.ts'
import type { Json } from '../../../protocol/data-integrity/index.ts'
import { toJwk } from '../../../protocol/dids/index.ts'
import { parseCompactJws } from '../../../protocol/jws.ts'
import { openEnvelope, openPresentation } from '../../../protocol/semantic-credentials/enveloped/index.ts'
import { envelopeReasons, presenterReasons } from '../../../protocol/semantic-credentials/enveloped/verify.ts'
import { withoutEnvelopes } from '../../../protocol/semantic-credentials/presentations/envelopes.ts'
import {
  asCose,
  asJwt,
  bytes,
  cose,
  credentialOf,
  ed25519,
  enveloped,
  jwt,
  p256,
  stranger,
  verdict,
} from '../../support/enveloped/credentials.ts'

test('credentials of data model 2.0 verify as vc+jwt and as vc+cose (VC-JOSE-COSE 1.0, sections 3.1 and 3.3)', async (t) => {
  for (const signer of [ed25519, p256]) {
    t.is(await verdict(asJwt(await jwt({ signer }))), 'verified')
    t.is(await verdict(asCose(await cose({ signer }))), 'verified')
  }
  const fragment = ed25519.verificationMethod.split('#')[1] ?? ''
  for (const kid of [fragment, `#${fragment}`]) t.is(await verdict(asJwt(await jwt({ header: { kid } }))), 'verified')
  t.is(await verdict(asJwt(await jwt({ header: { typ: 'application/vc+jwt', cty: undefined } }))), 'verified')
  const claims = { iss: ed25519.did, sub: 'did:example:holder', nbf: 1_767_225_600, exp: 1_900_000_000 }
  t.is(await verdict(asJwt(await jwt({ payload: credentialOf(ed25519, claims) }))), 'verified')
})

const twice = `{"issuer":"${stranger.did}",${JSON.stringify(credentialOf(ed25519)).slice(1)}`

const CASES: [what: string, envelope: () => Promise<Json>, code: string][] = [
  ['no data: URL', async () => enveloped('https://issuer.example/1'), 'envelope.url'],
  ['another media type', async () => enveloped(`data:application/jwt,${await jwt()}`), 'envelope.media_type'],
  ['a parameter', async () => enveloped(`data:application/vc+jwt;v=1,${await jwt()}`), 'envelope.url'],
  ['a JWT in base64', async () => enveloped(`data:application/vc+jwt;base64,${await jwt()}`), 'envelope.encoding'],
  ['COSE as text', async () => enveloped('data:application/vc+cose,0oRD'), 'envelope.encoding'],
  ['two parts', async () => asJwt('e30.e30'), 'envelope.malformed'],
  ['four parts', async () => asJwt(`${await jwt()}.e30`), 'envelope.malformed'],
  ['no JSON', async () => asJwt(await jwt({ payload: bytes('credential') })), 'envelope.malformed'],
  ['a list', async () => asJwt(await jwt({ payload: bytes('[]') })), 'envelope.malformed'],
  [
    'a name that libraries drop',
    async () => asJwt(await jwt({ payload: bytes('{"__proto__":{}}') })),
    'envelope.malformed',
  ],
  ['alg none', async () => asJwt(await jwt({ header: { alg: 'none' } })), 'envelope.unsigned'],
  ['alg HS256', async () => asJwt(await jwt({ header: { alg: 'HS256' } })), 'envelope.algorithm'],
  ['alg of another key', async () => asJwt(await jwt({ header: { alg: 'ES256' } })), 'envelope.key_unfit'],
  ['typ of a presentation', async () => asJwt(await jwt({ header: { typ: 'vp+jwt' } })), 'envelope.type'],
  ['another cty', async () => asJwt(await jwt({ header: { cty: 'vp' } })), 'envelope.content_type'],
  ['crit', async () => asJwt(await jwt({ header: { crit: ['b64'], b64: false } })), 'envelope.critical'],
  ['no kid', async () => asJwt(await jwt({ header: { kid: undefined } })), 'envelope.key_missing'],
  [
    'kid of another DID',
    async () => asJwt(await jwt({ signer: stranger, payload: credentialOf(ed25519) })),
    'envelope.key_of_another',
  ],
  ['detached', async () => asJwt((await jwt()).replace(/\.[^.]+\./, '..')), 'envelope.detached'],
  ['another signature', async () => asJwt(`${await jwt()}`.replace(/.{20}$/, 'A'.repeat(20))), 'envelope.signature'],
  ['a member twice', async () => asJwt(await jwt({ payload: bytes(twice) })), 'envelope.duplicate_member'],
  ['claim vc', async () => asJwt(await jwt({ payload: credentialOf(ed25519, { vc: {} }) })), 'envelope.claim_of_1_1'],
  [
    'another iss',
    async () => asJwt(await jwt({ payload: credentialOf(ed25519, { iss: 'x' }) })),
    'envelope.contradiction',
  ],
  [
    'another sub',
    async () => asJwt(await jwt({ payload: credentialOf(ed25519, { sub: 'x' }) })),
    'envelope.contradiction',
  ],
  [
    'another jti',
    async () => asJwt(await jwt({ payload: credentialOf(ed25519, { jti: 'x' }) })),
    'envelope.contradiction',
  ],
  ['exp as text', async () => asJwt(await jwt({ payload: credentialOf(ed25519, { exp: 'x' }) })), 'envelope.malformed'],
  ['expired', async () => asJwt(await jwt({ payload: credentialOf(ed25519, { exp: 1 }) })), 'envelope.expired'],
  ['to come', async () => asJwt(await jwt({ payload: credentialOf(ed25519, { nbf: 4e9 }) })), 'envelope.not_yet_valid'],
  ['an envelope within', async () => asJwt(await jwt({ payload: asJwt(await jwt()) })), 'envelope.nested'],
  ['no CBOR', async () => asCose(bytes('x')), 'envelope.malformed'],
  [
    'COSE, another typ',
    async () => asCose(await cose({ header: new Map([[HEADER.typ, 'application/vp+cose']]) })),
    'envelope.type',
  ],
  [
    'COSE, another content',
    async () => asCose(await cose({ header: new Map([[HEADER.contentType, 'a/b']]) })),
    'envelope.content_type',
  ],
  ['COSE, detached', async () => asCose(await cose({ detached: true })), 'envelope.detached'],
  ['COSE, a member twice', async () => asCose(await cose({ payload: bytes(twice) })), 'envelope.duplicate_member'],
  [
    'COSE, alg outside of the signature',
    async () => asCose(encodeCbor([encodeCbor(new Map()), new Map([[HEADER.alg, -8]]), bytes('{}'), bytes('x')])),
    'envelope.unprotected_algorithm',
  ],
  [
    'COSE, kid of another DID',
    async () => asCose(await cose({ signer: stranger, payload: bytes(JSON.stringify(credentialOf(ed25519))) })),
    'envelope.key_of_another',
  ],
]

for (const [what, envelope, code] of CASES)
  test(`${what}: ${code}`, async (t) => {
    t.is(await verdict(await envelope()), code)
  })

const DID = 'did:web:issuer.example'
const NOW = new Date('2026-03-01T12:00:00Z')

/** The document of a DID whose key has this relationship. */
const documentOf = (relationship: string, more: Json = {}) => ({
  id: DID,
  verificationMethod: [
    { id: `${DID}#key`, type: 'JsonWebKey', controller: DID, publicKeyJwk: toJwk(ed25519), ...more },
  ],
  [relationship]: [`${DID}#key`],
})

test('the key of an envelope is one of the issuer, or of the presenter, for its purpose, until it ends', async (t) => {
  const header = { kid: `${DID}#key` }
  const opened = openEnvelope(asJwt(await jwt({ header, payload: credentialOf({ ...ed25519, did: DID }) })))
  const presentation = { '@context': [CONTEXT.credentialsV2], type: ['VerifiablePresentation'], holder: DID }
  const presented = openPresentation({
    ...enveloped(
      `data:application/vp+jwt,${await jwt({ header: { ...header, typ: 'vp+jwt', cty: 'vp' }, payload: presentation })}`,
    ),
    type: 'EnvelopedVerifiablePresentation',
  })
  const codes = async (relationship: string, more: Json = {}, issuer = DID) => {
    const rules = { now: NOW, resolveDid: async () => documentOf(relationship, more) }
    const ofIssuer = await envelopeReasons(opened, { ...rules, issuer, byIssuer: true, atItsTime: true })
    const ofPresenter = await presenterReasons(presented, { ...rules, controller: DID })
    return [ofIssuer, ofPresenter].map((reasons) => reasons.map(({ code }) => code?.replace('envelope.', '')).join())
  }
  t.deepEqual(await codes('assertionMethod'), ['', 'key_not_allowed'])
  t.deepEqual(await codes('authentication'), ['key_not_allowed', ''])
  for (const member of ['revoked', 'expires']) {
    const at = (time: string) => ({ [member]: time })
    t.deepEqual(await codes('assertionMethod', at('2026-02-01T00:00:00Z')), ['key_ended', 'key_not_allowed'])
    t.deepEqual(await codes('authentication', at('2026-02-01T00:00:00Z')), ['key_not_allowed', 'key_ended'])
    t.deepEqual(await codes('assertionMethod', at('2026-04-01T00:00:00Z')), ['', 'key_not_allowed'])
  }
  const [ofIssuer] = await codes('assertionMethod', {}, 'did:web:issuer')
  t.is(ofIssuer, 'key_of_another', 'a DID that begins as the other one is not it')
})

test('a text of dots is refused before its parts are decoded', (t) => {
  const dots = asJwt('.'.repeat(900_000))
  const before = performance.now()
  t.throws(() => openEnvelope(dots), { code: 'envelope.malformed' })
  t.is(parseCompactJws('.'.repeat(900_000)), undefined)
  t.true(performance.now() - before < 1_000)
})

test('the envelopes of a presentation are opened once, whatever the number of the checks', async (t) => {
  const presentation = { verifiableCredential: [asJwt(await jwt())] }
  const [first, second] = [withoutEnvelopes(presentation), withoutEnvelopes(presentation)]
  t.like(first, { verifiableCredential: [{ issuer: ed25519.did }] })
  t.is(first, second)
})

test('what stands beside an envelope is refused, because nobody has signed it', async (t) => {
  const envelope = asJwt(await jwt())
  t.throws(() => openEnvelope({ ...envelope, credentialSubject: { id: 'did:example:other' } }), {
    code: 'envelope.members',
  })
  t.throws(() => openEnvelope({ ...envelope, issuer: stranger.did }), { code: 'envelope.members' })
  for (const type of ['VerifiableCredential', ['EnvelopedVerifiableCredential', 'DegreeCredential'], undefined])
    t.throws(() => openEnvelope({ ...envelope, type }), { code: 'envelope.members' })
  t.is(openEnvelope({ ...envelope, type: ['EnvelopedVerifiableCredential'] }).credential.issuer, ed25519.did)
})
