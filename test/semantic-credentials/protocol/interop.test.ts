import { randomBytes } from 'node:crypto'
import {
  createDiscloseCryptosuite,
  createSignCryptosuite,
  createVerifyCryptosuite,
} from '@digitalbazaar/bbs-2023-cryptosuite'
import { DataIntegrityProof } from '@digitalbazaar/data-integrity'
import { cryptosuite as ecdsaRdfc2019 } from '@digitalbazaar/ecdsa-rdfc-2019-cryptosuite'
import { Ed25519Signature2018 } from '@digitalbazaar/ed25519-signature-2018'
import { cryptosuite as eddsa2022 } from '@digitalbazaar/eddsa-2022-cryptosuite'
import { cryptosuite as eddsaRdfc2022 } from '@digitalbazaar/eddsa-rdfc-2022-cryptosuite'
import { derive, issue, verifyCredential as peerVerifies } from '@digitalbazaar/vc'
import { p256 } from '@noble/curves/nist.js'
import test from 'ava'
import { base58btc } from 'multiformats/bases/base58'
import { bundledOnly, createDocuments } from '../../../activities/documents/index.ts'
import { CONTEXT, createDocumentLoader } from '../../../protocol/contexts/index.ts'
import {
  createProofCheck,
  deriveCredential,
  type Json,
  type ProofType,
  signCredential,
} from '../../../protocol/data-integrity/index.ts'
import { verificationMethod } from '../../../protocol/dids/methods.ts'
import {
  normaliseForVerify,
  normaliseSignPayload,
  verifyCredential,
} from '../../../protocol/semantic-credentials/index.ts'
import {
  bbsSigner,
  ed25519Signer,
  p256Signer,
  resolveTestDid,
  type TestSigner,
} from '../../support/credentials/signers.ts'

const now = new Date('2026-03-01T12:00:00Z')
const documentLoader = createDocumentLoader()
const checkProof = createProofCheck({ documentLoader })

/** The peers load keys and DID documents as JSON-LD, each with the context that their suite knows. */
const peerLoader = (signer: TestSigner, proofType: ProofType) => async (url: string) => {
  const is2018 = proofType === 'Ed25519Signature2018'
  const method = {
    '@context': is2018 ? CONTEXT.ed25519Signature2018 : 'https://w3id.org/security/multikey/v1',
    ...verificationMethod(
      signer.verificationMethod,
      signer.did,
      is2018 ? 'Ed25519VerificationKey2018' : 'Multikey',
      signer,
    ),
  }
  const controller = { '@context': 'https://www.w3.org/ns/did/v1', id: signer.did, assertionMethod: [method.id] }
  const own = url === signer.verificationMethod ? method : url === signer.did ? controller : undefined
  return own === undefined ? documentLoader(url) : { contextUrl: null, documentUrl: url, document: own }
}

const peerSigner = (signer: TestSigner, algorithm: string) => ({
  id: signer.verificationMethod,
  algorithm,
  publicKey: signer.publicKey,
  sign: ({ data }: { data: Uint8Array }) => signer.sign(data),
  multisign: signer.bbsSign,
})

interface Peer {
  makeSigner: () => TestSigner | Promise<TestSigner>
  signs: (signer: TestSigner) => object
  verifies: () => object
}
const dataIntegrity = (makeSigner: () => TestSigner, algorithm: string, cryptosuite: object): Peer => ({
  makeSigner,
  signs: (signer) => new DataIntegrityProof({ signer: peerSigner(signer, algorithm), cryptosuite, date: now }),
  verifies: () => new DataIntegrityProof({ cryptosuite }),
})
const PEERS: [ProofType, Peer][] = [
  ['eddsa-rdfc-2022', dataIntegrity(ed25519Signer, 'Ed25519', eddsaRdfc2022)],
  ['eddsa-2022', dataIntegrity(ed25519Signer, 'Ed25519', eddsa2022)],
  ['ecdsa-rdfc-2019', dataIntegrity(p256Signer, 'P-256', ecdsaRdfc2019)],
  [
    'Ed25519Signature2018',
    {
      makeSigner: ed25519Signer,
      signs: (signer) => new Ed25519Signature2018({ signer: peerSigner(signer, 'EdDSA'), date: now.toISOString() }),
      verifies: () => new Ed25519Signature2018(),
    },
  ],
  [
    'bbs-2023',
    {
      makeSigner: bbsSigner,
      signs: (signer) =>
        new DataIntegrityProof({
          signer: peerSigner(signer, 'Bls12381G2'),
          cryptosuite: createSignCryptosuite({ mandatoryPointers: ['/issuer'] }),
          date: null,
        }),
      verifies: () => new DataIntegrityProof({ cryptosuite: createVerifyCryptosuite() }),
    },
  ],
]

const normalised = (signer: TestSigner, proofType: ProofType, base: string): Json =>
  normaliseSignPayload(
    {
      '@context': [base, CONTEXT.examplesV2],
      type: ['AlumniCredential'],
      issuer: { id: signer.did, name: 'ABC University', logoUrl: 'https://example.edu/logo.png' },
      name: 'Course credential',
      credentialSubject: { id: 'did:example:jamie', givenName: 'Jamie', alumniOf: 'Example University' },
    },
    { proofType, revocable: false, now },
  ).credential

for (const [proofType, peer] of PEERS) {
  for (const base of [CONTEXT.credentialsV1, CONTEXT.credentialsV2]) {
    test(`${proofType} in ${base}: ours verifies in @digitalbazaar/vc, and its in ours`, async (t) => {
      const signer = await peer.makeSigner()
      const loader = peerLoader(signer, proofType)
      const credential = normalised(signer, proofType, base)
      const ours = await signCredential(
        { credential, proofType, signer, now, hmacKey: randomBytes(32) },
        { documentLoader },
      )
      const shown =
        proofType === 'bbs-2023'
          ? await deriveCredential({ credential: ours, disclose: 'everything' }, { documentLoader })
          : ours
      const { verified, error } = await peerVerifies({
        credential: shown,
        suite: peer.verifies(),
        documentLoader: loader,
        now,
      })
      t.true(verified, String(error))
      const theirs = await issue({
        credential: structuredClone(credential),
        suite: peer.signs(signer),
        documentLoader: loader,
      })
      const request = { now, resolveDid: resolveTestDid, checkProof }
      t.deepEqual(await verifyCredential({ ...request, credential: normaliseForVerify(theirs) }), {
        verified: true,
        reason: [],
      })
    })
  }
}

test('an ECDSA proof verifies with either value of s, as others write it (FIPS 186-5, 6.4; D-161)', async (t) => {
  const signer = p256Signer()
  const credential = normalised(signer, 'ecdsa-rdfc-2019', CONTEXT.credentialsV2)
  const signed = await signCredential({ credential, proofType: 'ecdsa-rdfc-2019', signer, now }, { documentLoader })
  const { proof, ...document } = signed
  const { proofValue, ...configuration } = Object(proof) as Json
  const { r, s } = p256.Signature.fromBytes(base58btc.decode(String(proofValue)))
  for (const either of [s, p256.Point.Fn.ORDER - s]) {
    const value = base58btc.encode(new p256.Signature(r, either).toBytes())
    const request = { now, resolveDid: resolveTestDid, checkProof }
    const twin = { ...document, proof: { ...configuration, proofValue: value } }
    t.deepEqual(await verifyCredential({ ...request, credential: twin }), { verified: true, reason: [] })
  }
})

test('a proof that @digitalbazaar/vc derives from our base proof verifies here', async (t) => {
  const signer = await bbsSigner()
  const credential = normalised(signer, 'bbs-2023', CONTEXT.credentialsV2)
  const base = await signCredential(
    { credential, proofType: 'bbs-2023', signer, now, hmacKey: randomBytes(32) },
    { documentLoader },
  )
  const suite = new DataIntegrityProof({
    cryptosuite: createDiscloseCryptosuite({ selectivePointers: ['/credentialSubject/givenName'] }),
  })
  const derived = await derive({ verifiableCredential: base, suite, documentLoader: peerLoader(signer, 'bbs-2023') })
  t.deepEqual(derived.credentialSubject, { id: 'did:example:jamie', givenName: 'Jamie' })
  const request = { credential: normaliseForVerify(derived), now, resolveDid: resolveTestDid, checkProof }
  t.deepEqual(await verifyCredential(request), { verified: true, reason: [] })
})

const NAMES = ['Jamie', 'Zoë', '名前', '🎓', 'a"b\\c\n', '']

for (const [proofType, peer] of PEERS.filter(([name]) => name !== 'bbs-2023'))
  test(`${proofType}: credentials of one shape, signed one by one, verify in @digitalbazaar/vc (D-084)`, async (t) => {
    const documents = createDocuments({ threads: 1 })
    t.teardown(() => documents.close())
    const signer = await peer.makeSigner()
    const like = normalised(signer, proofType, CONTEXT.credentialsV2)
    for (const [nth, givenName] of [...NAMES, ...NAMES.toReversed()].entries()) {
      const credential = { ...like, credentialSubject: { id: `did:example:${nth}`, givenName } }
      const signed = await documents.sign({ credential, proofType, signer, now }, bundledOnly('tenant'))
      const loader = peerLoader(signer, proofType)
      const verdict = await peerVerifies({ credential: signed, suite: peer.verifies(), documentLoader: loader, now })
      t.true(verdict.verified, `${givenName}: ${verdict.error}`)
    }
  })
