import { randomBytes } from 'node:crypto'
import {
  createDiscloseCryptosuite,
  createSignCryptosuite,
  createVerifyCryptosuite,
} from '@digitalbazaar/bbs-2023-cryptosuite'
import { DataIntegrityProof } from '@digitalbazaar/data-integrity'
import * as ecdsaJcs2019 from '@digitalbazaar/ecdsa-jcs-2019-cryptosuite'
import { cryptosuite as ecdsaRdfc2019 } from '@digitalbazaar/ecdsa-rdfc-2019-cryptosuite'
import * as ecdsaSd2023 from '@digitalbazaar/ecdsa-sd-2023-cryptosuite'
import { Ed25519Signature2018 } from '@digitalbazaar/ed25519-signature-2018'
import { Ed25519Signature2020 } from '@digitalbazaar/ed25519-signature-2020'
import { cryptosuite as eddsa2022 } from '@digitalbazaar/eddsa-2022-cryptosuite'
import * as eddsaJcs2022 from '@digitalbazaar/eddsa-jcs-2022-cryptosuite'
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
  ephemeralSecret,
  isSelective,
  type Json,
  type ProofType,
  signCredential,
  suiteOf,
} from '../../../protocol/data-integrity/index.ts'
import { type MethodType, verificationMethod } from '../../../protocol/dids/methods.ts'
import {
  normaliseForVerify,
  normaliseSignPayload,
  verifyCredential,
} from '../../../protocol/semantic-credentials/index.ts'
import {
  bbsSigner,
  ed25519Signer,
  p256Signer,
  p384Signer,
  resolveTestDid,
  type TestSigner,
} from '../../support/credentials/signers.ts'

const now = new Date('2026-03-01T12:00:00Z')
const documentLoader = createDocumentLoader()
const checkProof = createProofCheck({ documentLoader })

const METHODS: Partial<Record<ProofType, readonly [string, MethodType]>> = {
  Ed25519Signature2018: [CONTEXT.ed25519Signature2018, 'Ed25519VerificationKey2018'],
  Ed25519Signature2020: [CONTEXT.ed25519Signature2020, 'Ed25519VerificationKey2020'],
}

/** The peers load keys and DID documents as JSON-LD, each with the context that their suite knows. */
const peerLoader = (signer: TestSigner, proofType: ProofType) => async (url: string) => {
  const [context, type] = METHODS[proofType] ?? (['https://w3id.org/security/multikey/v1', 'Multikey'] as const)
  const method = { '@context': context, ...verificationMethod(signer.verificationMethod, signer.did, type, signer) }
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
const dataIntegrity = (
  makeSigner: () => TestSigner,
  algorithm: string,
  cryptosuite: object,
  verifier = cryptosuite,
): Peer => ({
  makeSigner,
  signs: (signer) => new DataIntegrityProof({ signer: peerSigner(signer, algorithm), cryptosuite, date: now }),
  verifies: () => new DataIntegrityProof({ cryptosuite: verifier }),
})
const jcs = (makeSigner: () => TestSigner, algorithm: string, suite: typeof eddsaJcs2022): Peer =>
  dataIntegrity(makeSigner, algorithm, suite.createSignCryptosuite(), suite.createVerifyCryptosuite())
const PEERS: [proofType: ProofType, peer: Peer, by?: string][] = [
  ['eddsa-rdfc-2022', dataIntegrity(ed25519Signer, 'Ed25519', eddsaRdfc2022)],
  ['eddsa-2022', dataIntegrity(ed25519Signer, 'Ed25519', eddsa2022)],
  ['ecdsa-rdfc-2019', dataIntegrity(p256Signer, 'P-256', ecdsaRdfc2019)],
  ['eddsa-jcs-2022', jcs(ed25519Signer, 'Ed25519', eddsaJcs2022)],
  ['ecdsa-jcs-2019', jcs(p256Signer, 'P-256', ecdsaJcs2019)],
  ['ecdsa-rdfc-2019', dataIntegrity(p384Signer, 'P-384', ecdsaRdfc2019), ' by P-384'],
  ['ecdsa-jcs-2019', jcs(p384Signer, 'P-384', ecdsaJcs2019), ' by P-384'],
  [
    'ecdsa-sd-2023',
    dataIntegrity(
      p256Signer,
      'P-256',
      ecdsaSd2023.createSignCryptosuite({ mandatoryPointers: ['/issuer'] }),
      ecdsaSd2023.createVerifyCryptosuite(),
    ),
  ],
  [
    'Ed25519Signature2020',
    {
      makeSigner: ed25519Signer,
      signs: (signer) => new Ed25519Signature2020({ signer: peerSigner(signer, 'Ed25519'), date: now.toISOString() }),
      verifies: () => new Ed25519Signature2020(),
    },
  ],
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

/** The keys of one proof with selective disclosure. */
const drawn = () => ({ hmacKey: randomBytes(32), ephemeral: ephemeralSecret(randomBytes(48)) })

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

for (const [proofType, peer, by = ''] of PEERS) {
  for (const base of [CONTEXT.credentialsV1, CONTEXT.credentialsV2]) {
    test(`${proofType}${by} in ${base}: ours verifies in @digitalbazaar/vc, and its in ours`, async (t) => {
      const signer = await peer.makeSigner()
      const loader = peerLoader(signer, proofType)
      const credential = normalised(signer, proofType, base)
      const ours = await signCredential({ credential, proofType, signer, now, ...drawn() }, { documentLoader })
      const shown = isSelective(suiteOf(proofType))
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
  const base = await signCredential({ credential, proofType: 'bbs-2023', signer, now, ...drawn() }, { documentLoader })
  const suite = new DataIntegrityProof({
    cryptosuite: createDiscloseCryptosuite({ selectivePointers: ['/credentialSubject/givenName'] }),
  })
  const derived = await derive({ verifiableCredential: base, suite, documentLoader: peerLoader(signer, 'bbs-2023') })
  t.deepEqual(derived.credentialSubject, { id: 'did:example:jamie', givenName: 'Jamie' })
  const request = { credential: normaliseForVerify(derived), now, resolveDid: resolveTestDid, checkProof }
  t.deepEqual(await verifyCredential(request), { verified: true, reason: [] })
})

test('a proof that @digitalbazaar/vc derives from our ecdsa-sd-2023 base proof verifies here', async (t) => {
  const signer = p256Signer()
  const credential = normalised(signer, 'ecdsa-sd-2023', CONTEXT.credentialsV2)
  const request = { credential, proofType: 'ecdsa-sd-2023', signer, now, ...drawn() } as const
  const base = await signCredential(request, { documentLoader })
  const suite = new DataIntegrityProof({
    cryptosuite: ecdsaSd2023.createDiscloseCryptosuite({ selectivePointers: ['/credentialSubject/givenName'] }),
  })
  const loader = peerLoader(signer, 'ecdsa-sd-2023')
  const derived = await derive({ verifiableCredential: base, suite, documentLoader: loader })
  t.deepEqual(derived.credentialSubject, { id: 'did:example:jamie', givenName: 'Jamie' })
  const verifying = { now, resolveDid: resolveTestDid, checkProof }
  t.true((await verifyCredential({ ...verifying, credential: normaliseForVerify(derived) })).verified)
  const more = { ...derived, credentialSubject: { ...Object(derived.credentialSubject), alumniOf: 'Another' } }
  const { verified, reason } = await verifyCredential({ ...verifying, credential: normaliseForVerify(more) })
  t.deepEqual([verified, reason.map(({ type }) => type)], [false, ['Proof']])
})

const NAMES = ['Jamie', 'Zoë', '名前', '🎓', 'a"b\\c\n', '']

for (const [proofType, peer, by = ''] of PEERS.filter(([name]) => !isSelective(suiteOf(name))))
  test(`${proofType}${by}: credentials of one shape, signed one by one, verify in @digitalbazaar/vc (D-084)`, async (t) => {
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
