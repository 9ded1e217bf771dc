import { createHash } from 'node:crypto'
import test from 'ava'
import { CONTEXT, createDocumentLoader } from '../../../protocol/contexts/index.ts'
import { type CborMap, encodeCbor } from '../../../protocol/cose/cbor.ts'
import { HEADER, signCoseSign1 } from '../../../protocol/cose/sign1.ts'
import { createProofCheck, type Json } from '../../../protocol/data-integrity/index.ts'
import { verificationKey } from '../../../protocol/data-integrity/keys.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { jwsSigningInput, parseCompactJws } from '../../../protocol/jws.ts'
import { openEnvelope, openPresentation } from '../../../protocol/semantic-credentials/enveloped/index.ts'
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
  const [p256Key, edKey] = ['vm-p256', 'vm-ed25519'].map((name) => verificationKey(method(`${name}.json`)))
  if (!p256Key || !edKey) return t.fail()
  const of = (name: string) => vectorText(`${VECTORS}/${name}.txt`)
  const ofBase64 = (name: string) => Buffer.from(of(name), 'base64')
  const jwtOf = (name: string) => openEnvelope(asJwt(of(name)))
  t.is(jwtOf('credential-jose-minimal').signatureFault(p256Key), undefined)
  t.is(jwtOf('credential-jose-unknown-extensions').credential.id, 'http://university.example/credentials/1872')
  t.is(jwtOf('credential-issuer-match-signed').signatureFault(edKey), undefined)
  t.is(jwtOf('credential-jose-bad-signature').signatureFault(edKey)?.code, 'envelope.signature')
  t.is(openEnvelope(asCose(ofBase64('credential-cose-minimal'))).signatureFault(p256Key), undefined)
  t.throws(() => openEnvelope(asJwt(of('credential-jose-bad-media-type'))), { code: 'envelope.type' })
  t.throws(() => openEnvelope(asJwt(of('credential-jose-vc-vp-claims'))), { code: 'envelope.claim_of_1_1' })
  t.throws(() => openEnvelope(asCose(ofBase64('credential-cose-bad-media-type'))), { code: 'envelope.type' })
})

withVectors('the presentations of the W3C suite for JOSE and COSE, by their names', (t) => {
  const [p384Key, edKey] = ['vm-p384', 'vm-ed25519'].map((name) => verificationKey(method(`${name}.json`)))
  if (!p384Key || !edKey) return t.fail()
  const of = (name: string) => vectorText(`${VECTORS}/${name}.txt`).trim()
  const presented = (id: string) => openPresentation({ ...enveloped(id), type: 'EnvelopedVerifiablePresentation' })
  const ofJwt = (name: string) => presented(`data:application/vp+jwt,${of(name)}`)
  const ofCose = (name: string) => presented(`data:application/vp+cose;base64,${of(name)}`)
  t.is(ofJwt('presentation-jose-multiple').signatureFault(p384Key), undefined)
  t.is(ofCose('presentation-cose-single').signatureFault(p384Key), undefined)
  t.is(ofCose('presentation-cose-single').signatureFault(edKey)?.code, 'envelope.key_unfit')
  t.is(ofJwt('presentation-jose-bad-credential').signatureFault(edKey), undefined)
  t.like(withoutEnvelopes(ofJwt('presentation-jose-bad-credential').presentation), {
    verifiableCredential: [{ id: 'not-a-credential' }],
  })
  t.throws(() => ofJwt('presentation-jose-bad-media-type'), { code: 'envelope.type' })
  t.throws(() => ofCose('presentation-cose-bad-media-type'), { code: 'envelope.type' })
})

const asSdJwt = (text: string) => enveloped(`data:application/vc+sd-jwt,${text.trim()}`)

withVectors('the SD-JWTs of the W3C suite, by their names (VC-JOSE-COSE 1.0, section 3.2)', (t) => {
  const p384Key = verificationKey(method('vm-p384.json'))
  const of = (name: string) => asSdJwt(vectorText(`${VECTORS}/${name}.txt`))
  const selective = openEnvelope(of('credential-sdjwt-selective'))
  t.is(selective.signatureFault(p384Key), undefined)
  t.like(selective.credential.credentialSubject, { firstName: 'Jane', lastName: 'Doe', birthDate: '1990-01-01' })
  t.false('_sd' in Object(selective.credential.credentialSubject))
  t.is(openEnvelope(of('credential-sdjwt-bad-signature')).signatureFault(p384Key)?.code, 'envelope.signature')
  t.throws(() => openEnvelope(of('credential-sdjwt-bad-media-type')), { code: 'envelope.type' })
  // signed with ES512, which the platform does not verify
  t.throws(() => openEnvelope(of('credential-sdjwt-nested')), { code: 'envelope.algorithm' })
})

interface MadeSdJwt {
  payload?: Json
  header?: Json
  disclosures?: string[]
  end?: string
}

const disclosure = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
const digest = (text: string) => createHash('sha256').update(text).digest('base64url')

const HIDDEN = disclosure('c2FsdHNhbHRzYWx0c2FsdA', 'course', 'CS-101')

async function sdJwt({ payload = {}, header = {}, disclosures = [HIDDEN], end = '' }: MadeSdJwt = {}): Promise<Json> {
  const subject = { id: 'did:example:holder', _sd: [digest(HIDDEN)] }
  const content = credentialOf(ed25519, { credentialSubject: subject, ...payload })
  const signed = await jwt({ header: { typ: 'vc+sd-jwt', ...header }, payload: content })
  return asSdJwt([signed, ...disclosures, end].join('~'))
}

test('a credential as SD-JWT verifies with what is disclosed and without it', async (t) => {
  t.is(await verdict(await sdJwt()), 'verified')
  t.is(await verdict(await sdJwt({ disclosures: [] })), 'verified')
  t.like(openEnvelope(await sdJwt()).credential.credentialSubject, { course: 'CS-101' })
  t.deepEqual(openEnvelope(await sdJwt({ disclosures: [] })).credential.credentialSubject, { id: 'did:example:holder' })
})

const SD_JWT_CASES: [what: string, made: MadeSdJwt, code: string][] = [
  [
    'a disclosure that nothing names',
    { disclosures: [disclosure('c2FsdA', 'course', 'CS-102')] },
    'envelope.malformed',
  ],
  ['a disclosure twice', { disclosures: [HIDDEN, HIDDEN] }, 'envelope.malformed'],
  ['a key binding', { end: 'eyJhbGciOiJFZERTQSJ9.e30.AAAA' }, 'envelope.key_binding'],
  ['typ of an SD-JWT VC', { header: { typ: 'dc+sd-jwt' } }, 'envelope.type'],
  ['typ vc+jwt', { header: { typ: 'vc+jwt' } }, 'envelope.type'],
  ['alg none', { header: { alg: 'none' } }, 'envelope.unsigned'],
  ['alg of another key', { header: { alg: 'ES256' } }, 'envelope.key_unfit'],
  ['crit', { header: { crit: ['x'] } }, 'envelope.critical'],
  ['iss of another', { payload: { iss: 'did:example:x' } }, 'envelope.contradiction'],
  ['the claim vc', { payload: { vc: {} } }, 'envelope.claim_of_1_1'],
  ['exp in the past', { payload: { exp: 1 } }, 'envelope.expired'],
  ['kid of another', { header: { kid: stranger.verificationMethod } }, 'envelope.key_of_another'],
]

for (const [what, made, code] of SD_JWT_CASES)
  test(`an SD-JWT with ${what}: ${code}`, async (t) => {
    t.is(await verdict(await sdJwt(made)), code)
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
