import { randomBytes } from 'node:crypto'
import test from 'ava'
import { CONTEXT, createDocumentLoader } from '../../../protocol/contexts/index.ts'
import { bbsData } from '../../../protocol/data-integrity/bbs.ts'
import { baseProofValue, bbsProofValue, parseBaseProofValue } from '../../../protocol/data-integrity/bbs-value.ts'
import { hashData, jwsInput } from '../../../protocol/data-integrity/hash.ts'
import { createProofCheck, type Json, signCredential } from '../../../protocol/data-integrity/index.ts'
import { verificationKey } from '../../../protocol/data-integrity/keys.ts'
import { assertPlain } from '../../../protocol/data-integrity/plain.ts'
import { publicKeyOf, toJwk } from '../../../protocol/dids/index.ts'
import { normaliseForVerify, verifyCredential } from '../../../protocol/semantic-credentials/index.ts'
import { prove } from '../../support/credentials/proofs.ts'
import {
  bbsSigner,
  ed25519Signer,
  p256Signer,
  resolveTestDid,
  type TestSigner,
} from '../../support/credentials/signers.ts'
import { unusedBitSet } from '../../support/frame/base64url.ts'

const documentLoader = createDocumentLoader()
const checkProof = createProofCheck({ documentLoader })
const now = new Date('2026-03-01T12:00:00Z')

const verify = async (credential: Json, resolveDid = resolveTestDid) => {
  const request = { credential: normaliseForVerify(credential), now, resolveDid, checkProof }
  const { verified, reason } = await verifyCredential(request)
  return verified ? ['verified'] : reason.map(({ type }) => type)
}

const by = (issuer: TestSigner, more: Json = {}): Json => ({
  '@context': [CONTEXT.credentialsV2, CONTEXT.ed25519Signature2018],
  type: ['VerifiableCredential'],
  issuer: issuer.did,
  validFrom: '2026-01-01T00:00:00Z',
  credentialSubject: { id: 'did:example:holder' },
  ...more,
})

test('a suite is made with its own kind of key: ECDSA is no EdDSA, whoever signs (VC-DI EdDSA 1.0, section 2.1)', async (t) => {
  const [ed25519, p256] = [ed25519Signer(), p256Signer()]
  t.deepEqual(await verify({ ...by(ed25519), proof: await prove(by(ed25519), ed25519) }), ['verified'])
  t.deepEqual(await verify({ ...by(p256), proof: await prove(by(p256), p256) }), ['Proof'])
  const crossed = { cryptosuite: 'ecdsa-rdfc-2019' }
  t.deepEqual(await verify({ ...by(p256), proof: await prove(by(p256), p256, crossed) }), ['verified'])
  t.deepEqual(await verify({ ...by(ed25519), proof: await prove(by(ed25519), ed25519, crossed) }), ['Proof'])
})

test('a DID that begins with the issuer’s is another’s: its proofs are not the issuer’s (Data Model 2.0, section 4.7)', async (t) => {
  const issuer = 'did:web:issuer.example'
  for (const did of [`${issuer}.evil.example`, `${issuer}:users:mallory`, `${issuer}2`]) {
    const key = ed25519Signer()
    const mallory = { ...key, did, verificationMethod: `${did}#key` }
    const text = JSON.stringify(await resolveTestDid(key.did))
    const renamed = text.replaceAll(key.verificationMethod, mallory.verificationMethod).replaceAll(key.did, did)
    const signed = async (document: Json) =>
      verify({ ...document, proof: await prove(document, mallory) }, async () => JSON.parse(renamed))
    t.deepEqual(await signed(by(mallory)), ['verified'])
    t.deepEqual(await signed({ ...by(mallory), issuer }), ['Issuer'], did)
  }
})

test('a proof brings no contexts but known ones, not even such that change nothing (VC-DI 1.0, section 4.6)', async (t) => {
  const signer = ed25519Signer()
  const document = by(signer)
  const withContexts = async (contexts: unknown) =>
    verify({ ...document, proof: await prove(document, signer, { '@context': contexts }) })
  t.deepEqual(await withContexts([CONTEXT.credentialsV2]), ['verified'])
  for (const contexts of [
    [CONTEXT.credentialsV2, { unused: 'https://x.example/unused' }],
    [CONTEXT.credentialsV2, {}],
    { '@vocab': 'https://x.example/' },
  ])
    t.deepEqual(await withContexts(contexts), ['Proof'], JSON.stringify(contexts))
})

test('what a credential imports is refused on verifying as on signing (JSON-LD 1.1, section 4.1.10)', async (t) => {
  const signer = ed25519Signer()
  const document = by(signer)
  const proof = await prove(document, signer)
  const importing = { '@import': CONTEXT.credentialsV2 }
  t.deepEqual(await verify({ ...document, '@context': [document['@context'], importing].flat(), proof }), ['Context'])
})

test('the header of a detached JWS says EdDSA over what is not encoded, and nothing else (RFC 7797, section 6)', async (t) => {
  const signer = ed25519Signer()
  const document = by(signer)
  const options = {
    type: 'Ed25519Signature2018',
    created: '2026-03-01T12:00:00Z',
    verificationMethod: signer.verificationMethod,
    proofPurpose: 'assertionMethod',
  }
  const { bytes } = await hashData(document, options, { documentLoader })
  const signed = async (members: object) => {
    const header = Buffer.from(JSON.stringify(members)).toString('base64url')
    const signature = Buffer.from(await signer.sign(jwsInput(bytes, header))).toString('base64url')
    return verify({ ...document, proof: { ...options, jws: `${header}..${signature}` } })
  }
  const right = { alg: 'EdDSA', b64: false, crit: ['b64'] }
  t.deepEqual(await signed(right), ['verified'])
  t.deepEqual(await signed({ ...right, kid: signer.verificationMethod }), ['verified'])
  for (const wrong of [
    { ...right, alg: 'none' },
    { ...right, alg: 'HS256' },
    { ...right, b64: true },
    { alg: 'EdDSA', crit: ['b64'] },
    { alg: 'EdDSA', b64: false },
    { ...right, crit: [] },
    { ...right, crit: ['b64', 'exp'] },
    { ...right, crit: 'b64' },
    { ...right, jwk: { kty: 'OKP' } },
    { ...right, jku: 'https://x.example' },
    [],
  ])
    t.deepEqual(await signed(wrong), ['Proof'], JSON.stringify(wrong))
})

test('a detached JWS and a base proof value have one form: no padding, no unused bit that is set (RFC 7515, section 2)', async (t) => {
  const signer = ed25519Signer()
  const signed = await signCredential(
    { credential: by(signer), proofType: 'Ed25519Signature2018', signer, now },
    { documentLoader },
  )
  const { jws, ...options } = Object(signed.proof) as Json
  const text = String(jws)
  t.deepEqual(await verify({ ...signed, proof: { ...options, jws: text } }), ['verified'])
  for (const other of [`${text}==`, unusedBitSet(text), text.replace('..', '=..'), `${text}!`, `${text}\n`])
    t.deepEqual(await verify({ ...signed, proof: { ...options, jws: other } }), ['Proof'], other)
  const issuer = await bbsSigner()
  const base = await signCredential(
    { credential: by(issuer), proofType: 'bbs-2023', signer: issuer, now, hmacKey: randomBytes(32) },
    { documentLoader },
  )
  const { proofValue, ...configuration } = Object(base.proof) as Json
  t.deepEqual(await verify(base), ['verified'])
  for (const other of [`${proofValue}=`, `${proofValue}==`, `${proofValue}!`, `${proofValue} `])
    t.deepEqual(await verify({ ...base, proof: { ...configuration, proofValue: other } }), ['Proof'], other)
})

test('of a proof chain every proof that is named must be there, and none names itself or one that names it (VC-DI 1.0, section 4.7)', async (t) => {
  const [signer, witness] = [ed25519Signer(), ed25519Signer()]
  const document = by(signer)
  const first = await prove(document, signer, { id: 'urn:uuid:1' })
  const after = async (before: Json[], names: unknown, id = 'urn:uuid:2') =>
    prove({ ...document, proof: before }, witness, { id, previousProof: names })
  t.deepEqual(await verify({ ...document, proof: [first, await after([first], 'urn:uuid:1')] }), ['verified'])
  const missing = await after([first], ['urn:uuid:1', 'urn:uuid:9'])
  t.deepEqual(await verify({ ...document, proof: [first, missing] }), ['Proof'])
  const own = await prove(document, witness, { id: 'urn:uuid:2', previousProof: 'urn:uuid:2' })
  t.deepEqual(await verify({ ...document, proof: [first, own] }), ['Proof'])
  const none = await prove(document, witness, { id: 'urn:uuid:2', previousProof: [] })
  t.deepEqual(await verify({ ...document, proof: [first, none] }), ['Proof'])
  const one = await after([first], 'urn:uuid:3', 'urn:uuid:2')
  const other = await after([first], 'urn:uuid:2', 'urn:uuid:3')
  t.deepEqual(await verify({ ...document, proof: [first, one, other] }), ['Proof'])
  const twins = [first, { ...first }]
  t.deepEqual(await verify({ ...document, proof: [...twins, await after(twins, 'urn:uuid:1')] }), ['Proof'])
})

test('a base proof holds the key that signed it, and the hash of what it signed (VC-DI BBS 1.0, section 3.3.2)', async (t) => {
  const [signer, other] = [await bbsSigner(), await bbsSigner()]
  const document = by(signer)
  const options = {
    type: 'DataIntegrityProof',
    cryptosuite: 'bbs-2023',
    verificationMethod: signer.verificationMethod,
    proofPurpose: 'assertionMethod',
  }
  const keep = { hmacKey: randomBytes(32), mandatoryPointers: ['/issuer'] }
  const data = await bbsData(document, options, keep, { documentLoader })
  const proofValue = bbsProofValue(data, await signer.bbsSign(data), signer.publicKey)
  t.deepEqual(await verify({ ...document, proof: { ...options, proofValue } }), ['verified'])
  const value = parseBaseProofValue(proofValue)
  if (!value) return t.fail('our own proof value is read')
  for (const change of [
    { publicKey: other.publicKey },
    { header: randomBytes(64) },
    { mandatoryPointers: [] },
    { mandatoryPointers: ['/issuer', '/none'] },
  ]) {
    const changed = { ...options, proofValue: baseProofValue({ ...value, ...change }) }
    t.deepEqual(await verify({ ...document, proof: changed }), ['Proof'], Object.keys(change).join())
  }
})

test('what is signed is one node (D-130)', (t) => {
  t.notThrows(() => assertPlain({}, [{}]))
  for (const expanded of [[], [{}, {}]]) t.throws(() => assertPlain({}, expanded), { code: 'credential.invalid' })
})

test('a key is kept by its text, and a text of a stranger that is made long is not kept', async (t) => {
  const { did } = ed25519Signer()
  const [method] = (await resolveTestDid(did)).verificationMethod ?? []
  if (!method) return t.fail('a did:key has a method')
  t.is(verificationKey({ ...method }), verificationKey({ ...method }))
  const publicKeyJwk = { ...toJwk(publicKeyOf(method)), note: 'x'.repeat(100_000) }
  const long = { id: method.id, type: 'JsonWebKey', controller: did, publicKeyJwk }
  t.deepEqual(verificationKey(long).publicKey, verificationKey(method).publicKey)
  t.not(verificationKey(long), verificationKey(long))
})
