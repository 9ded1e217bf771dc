import { randomBytes } from 'node:crypto'
import test from 'ava'
import { CONTEXT, createDocumentLoader } from '../../../protocol/contexts/index.ts'
import {
  createProofCheck,
  deriveCredential,
  ephemeralSecret,
  type Json,
  type ProofType,
  signCredential,
} from '../../../protocol/data-integrity/index.ts'
import { type DidDocument, publicKey } from '../../../protocol/dids/index.ts'
import { verificationMethod } from '../../../protocol/dids/methods.ts'
import { Refusal } from '../../../protocol/errors.ts'
import {
  normaliseForVerify,
  normaliseSignPayload,
  type VerifyRequest,
  verifyCredential,
  withStatus,
} from '../../../protocol/semantic-credentials/index.ts'
import {
  bbsSigner,
  ed25519Signer,
  p256Signer,
  resolveTestDid,
  type TestSigner,
} from '../../support/credentials/signers.ts'

const NAMES = ['givenName', 'familyName', 'alumniOf', 'email', 'address', 'worksFor']
const CLAIMS = {
  AlumniCredential: 'https://example.edu/vocab#AlumniCredential',
  ...Object.fromEntries(NAMES.map((name) => [name, `https://schema.org/${name}`])),
}

const documentLoader = createDocumentLoader()
const checkProof = createProofCheck({ documentLoader })
const now = new Date('2026-03-01T12:00:00Z')

const subject = { id: 'did:example:jamie', givenName: 'Jamie', familyName: 'Doe', alumniOf: 'Example University' }
const payloadOf = (signer: TestSigner, base: string = CONTEXT.credentialsV1): Json => ({
  '@context': [base, CLAIMS],
  type: ['AlumniCredential'],
  issuer: {
    id: signer.did,
    name: 'ABC University',
    logoUrl: 'https://example.edu/logo.png',
    iconUrl: 'https://example.edu/icon.png',
  },
  name: 'Course credential',
  description: 'The holder attended the course.',
  credentialBranding: { backgroundColor: '#B00AA0', watermarkImageUrl: 'https://example.edu/watermark.png' },
  credentialSubject: subject,
})

const DRAWN = { hmacKey: randomBytes(32), ephemeral: ephemeralSecret(randomBytes(48)) }

async function issue(signer: TestSigner, proofType: ProofType, payload = payloadOf(signer), status?: Json) {
  const { credential } = normaliseSignPayload(payload, { proofType, revocable: status !== undefined, now })
  const complete = status === undefined ? credential : withStatus(credential, status)
  return signCredential({ credential: complete, proofType, signer, now, ...DRAWN }, { documentLoader })
}

const verify = (credential: Json, more: Partial<VerifyRequest> = {}) =>
  verifyCredential({ credential: normaliseForVerify(credential), now, resolveDid: resolveTestDid, checkProof, ...more })

const reasons = async (credential: Json, more: Partial<VerifyRequest> = {}) => {
  const { verified, reason } = await verify(credential, more)
  return { verified, types: reason.map(({ type }) => type) }
}

type MakeSigner = () => TestSigner | Promise<TestSigner>
const SIGNERS: Record<ProofType, MakeSigner> = {
  Ed25519Signature2018: ed25519Signer,
  'eddsa-rdfc-2022': ed25519Signer,
  'eddsa-2022': ed25519Signer,
  'ecdsa-rdfc-2019': p256Signer,
  BbsSignature2022: bbsSigner,
  'bbs-2023': bbsSigner,
  'eddsa-jcs-2022': ed25519Signer,
  'ecdsa-jcs-2019': p256Signer,
  'ecdsa-sd-2023': p256Signer,
  Ed25519Signature2020: ed25519Signer,
}

for (const [proofType, makeSigner] of Object.entries(SIGNERS) as [ProofType, MakeSigner][]) {
  for (const base of [CONTEXT.credentialsV1, CONTEXT.credentialsV2]) {
    test(`${proofType} in ${base} is signed and verified, and breaks when a claim changes`, async (t) => {
      const signer = await makeSigner()
      const signed = await issue(signer, proofType, payloadOf(signer, base))
      t.deepEqual(await verify(signed), { verified: true, reason: [] })
      const tampered = { ...signed, credentialSubject: { ...subject, alumniOf: 'Another University' } }
      t.deepEqual(await reasons(tampered), { verified: false, types: ['Proof'] })
    })
  }
}

test('what each proof type answers', async (t) => {
  const [ed25519, bbs] = [ed25519Signer(), await bbsSigner()]
  const detached = (await issue(ed25519, 'Ed25519Signature2018')).proof as Json
  t.is(detached.type, 'Ed25519Signature2018')
  t.regex(String(detached.jws), /^[\w-]+\.\.[\w-]+$/)
  t.is(detached.created, '2026-03-01T12:00:00Z')
  const base = (await issue(bbs, 'BbsSignature2022')).proof as Json
  t.deepEqual([base.type, base.cryptosuite], ['DataIntegrityProof', 'bbs-2023'])
  t.true(String(base.proofValue).startsWith('u2V0C'))
  await t.throwsAsync(issue(ed25519, 'bbs-2023'), { code: 'key.unsupported' })
})

test('a proof holds in every form that a DID document may give the key in', async (t) => {
  const signer = ed25519Signer()
  const signed = await issue(signer, 'eddsa-rdfc-2022')
  const key = publicKey('ed25519', signer.publicKey)
  for (const type of [
    'Multikey',
    'JsonWebKey2020',
    'Ed25519VerificationKey2018',
    'Ed25519VerificationKey2020',
  ] as const) {
    const method = verificationMethod(signer.verificationMethod, signer.did, type, key)
    const document: DidDocument = { id: signer.did, verificationMethod: [method], assertionMethod: [method.id] }
    t.deepEqual(await reasons(signed, { resolveDid: async () => document }), { verified: true, types: [] }, type)
  }
  const p256 = p256Signer()
  const method = verificationMethod(
    p256.verificationMethod,
    p256.did,
    'JsonWebKey2020',
    publicKey('p256', p256.publicKey),
  )
  const document: DidDocument = { id: p256.did, assertionMethod: [method] }
  t.true((await verify(await issue(p256, 'ecdsa-rdfc-2019'), { resolveDid: async () => document })).verified)
})

test('a key that the issuer does not allow for assertions, or another issuer, is named Issuer', async (t) => {
  const [signer, other] = [ed25519Signer(), ed25519Signer()]
  const signed = await issue(signer, 'eddsa-rdfc-2022')
  const document = await resolveTestDid(signer.did)
  const resolve = (assertionMethod: string[]) => async () => ({ ...document, assertionMethod })
  t.deepEqual(await reasons(signed, { resolveDid: resolve([]) }), { verified: false, types: ['Issuer'] })
  const lent = {
    ...document,
    verificationMethod: document.verificationMethod?.map((method) => ({ ...method, controller: other.did })),
  }
  t.deepEqual(await reasons(signed, { resolveDid: async () => lent }), { verified: false, types: ['Issuer'] })
  t.deepEqual(await reasons({ ...signed, issuer: other.did }), { verified: false, types: ['Issuer', 'Proof'] })
  const missing = () => Promise.reject(new Refusal('did.not_found', 'no such DID'))
  t.deepEqual(await reasons(signed, { resolveDid: missing }), { verified: false, types: ['Issuer'] })
})

test('validity is checked against the clock: NotYetValid, Expired', async (t) => {
  const signer = ed25519Signer()
  const payload = { ...payloadOf(signer), issuanceDate: '2026-04-01T00:00:00Z', expirationDate: '2026-06-01T00:00:00Z' }
  const signed = await issue(signer, 'eddsa-rdfc-2022', payload)
  const at = (time: string) => reasons(signed, { now: new Date(time) })
  t.deepEqual(await at('2026-03-31T23:59:59Z'), { verified: false, types: ['NotYetValid'] })
  t.deepEqual(await at('2026-04-01T00:00:00Z'), { verified: true, types: [] })
  t.deepEqual(await at('2026-06-01T00:00:00Z'), { verified: false, types: ['Expired'] })
})

test('status is asked of the caller: Revoked, Suspended, StatusUnavailable', async (t) => {
  const signer = ed25519Signer()
  const list = 'https://issuer.example/v1/revocation-lists/1'
  const entry = {
    id: `${list}#7`,
    type: 'RevocationList2020Status',
    revocationListIndex: '7',
    revocationListCredential: list,
  }
  const signed = await issue(signer, 'eddsa-rdfc-2022', payloadOf(signer), entry)
  const asked: unknown[] = []
  const answer = (state: 'valid' | 'revoked' | 'suspended') =>
    reasons(signed, {
      status: async (one) => {
        asked.push(one)
        return { state }
      },
    })
  t.deepEqual(await answer('valid'), { verified: true, types: [] })
  t.deepEqual(await answer('revoked'), { verified: false, types: ['Revoked'] })
  t.deepEqual(await answer('suspended'), { verified: false, types: ['Suspended'] })
  t.deepEqual(asked[0], entry)
  t.deepEqual(await reasons(signed), { verified: false, types: ['StatusUnavailable'] })
  const away = () => Promise.reject(new Refusal('status.unreachable', 'the list is away'))
  t.deepEqual(await reasons(signed, { status: away }), { verified: false, types: ['StatusUnavailable'] })
  await t.throwsAsync(verify(signed, { status: () => Promise.reject(new Error('a bug of ours')) }), {
    message: 'a bug of ours',
  })
})

test('unknown contexts and undefined terms of a stranger are named Context, other shapes Syntax', async (t) => {
  const signer = ed25519Signer()
  const signed = await issue(signer, 'eddsa-rdfc-2022')
  const unknown = { ...signed, '@context': [...(signed['@context'] as unknown[]), 'https://unknown.example/v1'] }
  const { reason } = await verify(unknown)
  t.is(reason[0]?.type, 'Context')
  t.true(reason[0]?.message.includes('https://unknown.example/v1'))
  t.deepEqual(await reasons({ ...signed, looksSigned: true }), { verified: false, types: ['Context'] })
  t.deepEqual(await reasons({ ...signed, type: ['Alumni'], issuanceDate: '30 February' }), {
    verified: false,
    types: ['Syntax', 'Syntax'],
  })
  const labelled = { ...signed, credentialSubject: { ...subject, '@index': 'looks signed' } }
  t.deepEqual(await reasons(labelled), { verified: false, types: ['Syntax'] })
  const { proof: _, ...bare } = signed
  t.deepEqual(await reasons(bare), { verified: false, types: ['Proof'] })
  t.throws(() => normaliseForVerify('text'), { code: 'credential.malformed' })
})

test('the purpose, dates and members of a proof are checked before its signature', async (t) => {
  const signer = ed25519Signer()
  const signed = await issue(signer, 'Ed25519Signature2018')
  const proof = signed.proof as Json
  const [header, , signature] = String(proof.jws).split('.')
  const otherHeader = Buffer.from('{"alg":"none","b64":false,"crit":["b64"]}').toString('base64url')
  for (const change of [
    { proofPurpose: 'authentication' },
    { created: 'yesterday' },
    { created: '2026-03-01T12:00:01Z' },
    { expires: '2026-03-01T11:00:00Z' },
    { type: 'EcdsaSecp256k1Signature2019' },
    { jws: `${otherHeader}..${signature}` },
    { jws: `${header}.e30.${signature}` },
    { jws: undefined },
    { domain: 'added.example' },
  ]) {
    t.deepEqual(
      await reasons({ ...signed, proof: { ...proof, ...change } }),
      { verified: false, types: ['Proof'] },
      JSON.stringify(change),
    )
  }
})

test('of a proof set every proof must hold, and one must be the issuer’s', async (t) => {
  const [signer, witness] = [ed25519Signer(), p256Signer()]
  const { credential } = normaliseSignPayload(payloadOf(signer), {
    proofType: 'eddsa-rdfc-2022',
    revocable: false,
    now,
  })
  const sign = async (by: TestSigner, proofType: ProofType) =>
    (await signCredential({ credential, proofType, signer: by, now }, { documentLoader })).proof as Json
  const [own, detached, other] = [
    await sign(signer, 'eddsa-rdfc-2022'),
    await sign(signer, 'Ed25519Signature2018'),
    await sign(witness, 'ecdsa-rdfc-2019'),
  ]
  t.true((await verify({ ...credential, proof: [own, detached, other] })).verified)
  t.deepEqual(await reasons({ ...credential, proof: [other] }), { verified: false, types: ['Issuer'] })
  const broken = { ...other, proofValue: own.proofValue }
  t.deepEqual(await reasons({ ...credential, proof: [own, broken] }), { verified: false, types: ['Proof'] })
  t.deepEqual(await reasons({ ...credential, proof: Array(11).fill(own) }), { verified: false, types: ['Proof'] })
})

test('a derived BBS credential discloses what it is told and what is mandatory, and verifies', async (t) => {
  const signer = await bbsSigner()
  const payload = { ...payloadOf(signer), expirationDate: '2027-01-01T00:00:00Z' }
  const signed = await issue(signer, 'bbs-2023', payload)
  const derive = (disclose: string[] | 'everything') =>
    deriveCredential({ credential: signed, disclose }, { documentLoader })
  const derived = await derive(['/credentialSubject/givenName'])
  t.deepEqual(derived.credentialSubject, { id: subject.id, givenName: 'Jamie' })
  t.is(derived.expirationDate, '2027-01-01T00:00:00Z')
  t.is(derived.name, undefined)
  t.true((await verify(derived)).verified)
  t.deepEqual(await reasons({ ...derived, expirationDate: '2029-01-01T00:00:00Z' }), {
    verified: false,
    types: ['Proof'],
  })
  t.deepEqual((await derive('everything')).credentialSubject, subject)
  await t.throwsAsync(derive(['/credentialSubject/email']), { code: 'credential.pointer_invalid' })
  await t.throwsAsync(derive(['/__proto__']), { code: 'credential.pointer_invalid' })
  const again = deriveCredential({ credential: derived, disclose: 'everything' }, { documentLoader })
  await t.throwsAsync(again, { code: 'credential.not_derivable' })
})

test('a base proof of another key, or with changed parts, does not verify', async (t) => {
  const [signer, other] = [await bbsSigner(), await bbsSigner()]
  const signed = await issue(signer, 'bbs-2023')
  const proof = signed.proof as Json
  const moved = { ...signed, issuer: other.did, proof: { ...proof, verificationMethod: other.verificationMethod } }
  t.deepEqual(await reasons(moved), { verified: false, types: ['Proof'] })
  const value = String(proof.proofValue)
  for (const proofValue of [
    `${value.slice(0, 60)}AAAA${value.slice(64)}`,
    value.slice(0, -8),
    'u2V0C',
    'u2V0DhA',
    '',
    7,
  ]) {
    t.deepEqual(
      await reasons({ ...signed, proof: { ...proof, proofValue } }),
      { verified: false, types: ['Proof'] },
      String(proofValue).slice(0, 20),
    )
  }
})
