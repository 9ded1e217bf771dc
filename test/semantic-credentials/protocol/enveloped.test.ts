import test from 'ava'
import { CONTEXT, createDocumentLoader } from '../../../protocol/contexts/index.ts'
import { type CborMap, encodeCbor } from '../../../protocol/cose/cbor.ts'
import { HEADER, signCoseSign1 } from '../../../protocol/cose/sign1.ts'
import { createProofCheck, type Json } from '../../../protocol/data-integrity/index.ts'
import { verificationKey } from '../../../protocol/data-integrity/keys.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { jwsSigningInput, parseCompactJws } from '../../../protocol/jws.ts'
import { openEnvelope } from '../../../protocol/semantic-credentials/enveloped/index.ts'
import { normaliseForVerify, verifyCredential } from '../../../protocol/semantic-credentials/index.ts'
import { withoutEnvelopes } from '../../../protocol/semantic-credentials/presentations/envelopes.ts'
import { vectorJson, vectorText, withVectors } from '../../support/credentials/conformance-vectors.ts'
import { ed25519Signer, p256Signer, resolveTestDid, type TestSigner } from '../../support/credentials/signers.ts'

const now = new Date('2026-03-01T12:00:00Z')
const checkProof = createProofCheck({ documentLoader: createDocumentLoader() })
const [ed25519, p256, stranger] = [ed25519Signer(), p256Signer(), ed25519Signer()]

const credentialOf = ({ did }: TestSigner, more: Json = {}): Json => ({
  '@context': [CONTEXT.credentialsV2],
  type: ['VerifiableCredential'],
  issuer: did,
  validFrom: '2026-01-01T00:00:00Z',
  credentialSubject: { id: 'did:example:holder' },
  ...more,
})

const enveloped = (id: string): Json => ({
  '@context': CONTEXT.credentialsV2,
  id,
  type: 'EnvelopedVerifiableCredential',
})

interface Made {
  signer?: TestSigner
  header?: Json
  payload?: Json | Uint8Array
}

const alg = ({ keyType }: TestSigner) => (keyType === 'p256' ? 'ES256' : 'EdDSA')

async function jwt({ signer = ed25519, header = {}, payload = credentialOf(signer) }: Made = {}): Promise<string> {
  const members = { alg: alg(signer), typ: 'vc+jwt', cty: 'vc', kid: signer.verificationMethod, ...header }
  const input = jwsSigningInput(members, payload)
  return `${input}.${Buffer.from(await signer.sign(Buffer.from(input))).toString('base64url')}`
}

const asJwt = (text: string) => enveloped(`data:application/vc+jwt,${text}`)
const bytes = (text: string) => new TextEncoder().encode(text)
const asCose = (message: Uint8Array) =>
  enveloped(`data:application/vc+cose;base64,${Buffer.from(message).toString('base64')}`)

interface MadeCose {
  signer?: TestSigner
  header?: CborMap
  payload?: Uint8Array
  detached?: boolean
}

const cose = ({ signer = ed25519, header = new Map(), payload, detached = false }: MadeCose = {}) =>
  signCoseSign1(
    {
      protected: new Map([
        [HEADER.kid, bytes(signer.verificationMethod)],
        [HEADER.typ, 'application/vc+cose'],
        [HEADER.contentType, 'application/vc'],
        ...header,
      ]),
      payload: payload ?? bytes(JSON.stringify(credentialOf(signer))),
      detached,
    },
    signer,
  )

/** `verified`, or the code of the first reason. */
async function verdict(envelope: Json): Promise<string> {
  try {
    const opened = openEnvelope(envelope)
    const credential = normaliseForVerify(opened.credential)
    const request = { credential, envelope: opened, now, resolveDid: resolveTestDid, checkProof }
    const { verified, reason } = await verifyCredential(request)
    return verified ? 'verified' : String(reason[0]?.code ?? reason[0]?.type)
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}

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

const VECTORS = 'vc-jose-cose-inputs/tests/input'
const method = (name: string) => ({
  ...vectorJson<{ id: string; type: string; controller: string }>(`${VECTORS}/${name}`),
  secretKeyJwk: undefined,
  type: 'JsonWebKey',
})

withVectors('the inputs of the W3C suite for JOSE and COSE, by their names', (t) => {
  const key = verificationKey(method('vm-p256.json'))
  const of = (name: string) => vectorText(`${VECTORS}/${name}.txt`)
  const jose = openEnvelope(asJwt(of('credential-jose-minimal')))
  t.is(jose.signatureFault(key), undefined)
  const message = Buffer.from(of('credential-cose-minimal'), 'base64')
  t.is(openEnvelope(asCose(message)).signatureFault(key), undefined)
  t.throws(() => openEnvelope(asJwt(of('credential-jose-bad-media-type'))), { code: 'envelope.type' })
  t.throws(() => openEnvelope(asJwt(of('credential-jose-vc-vp-claims'))), { code: 'envelope.claim_of_1_1' })
})
