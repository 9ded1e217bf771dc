import { p384 } from '@noble/curves/nist.js'
import test from 'ava'
import { base58btc } from 'multiformats/bases/base58'
import { base64url } from 'multiformats/bases/base64'
import { CONTEXT, createDocumentLoader } from '../../protocol/contexts/index.ts'
import { hashData } from '../../protocol/data-integrity/hash.ts'
import { createProofCheck, type Json } from '../../protocol/data-integrity/index.ts'
import { toMultibase, type VerificationMethod } from '../../protocol/dids/index.ts'
import { didKeyMethodId, didKeyOf } from '../../protocol/dids/key.ts'
import { Refusal } from '../../protocol/errors.ts'
import { prove } from '../support/credentials/proofs.ts'
import { ed25519Signer, type TestSigner } from '../support/credentials/signers.ts'

const documentLoader = createDocumentLoader()
const check = createProofCheck({ documentLoader })

const DOCUMENT: Json = {
  '@context': [CONTEXT.credentialsV2, CONTEXT.ed25519Signature2018],
  type: ['VerifiableCredential'],
  issuer: 'did:example:issuer',
  credentialSubject: { id: 'did:example:holder' },
}

const methodOf = ({ keyType, publicKey, did, verificationMethod }: TestSigner): VerificationMethod => ({
  id: verificationMethod,
  type: 'Multikey',
  controller: did,
  publicKeyMultibase: toMultibase({ keyType, publicKey }),
})

const signer = ed25519Signer()

/** `verified`, or what is wrong with a proof by this key. */
async function verdict(proof: Json, document = DOCUMENT, by = signer): Promise<string> {
  const answer = await check({ document, proof, method: methodOf(by) })
  return answer.verified ? 'verified' : answer.message
}

const NO_MATCH = 'The eddsa-rdfc-2022 signature does not match the document.'

test('a proof value is base58 or base64url, told apart by its first letter (Controlled Identifiers 1.0, section 2.4)', async (t) => {
  const proof = await prove(DOCUMENT, signer)
  const bytes = base58btc.decode(String(proof.proofValue))
  t.is(await verdict(proof), 'verified')
  t.is(await verdict({ ...proof, proofValue: base64url.encode(bytes) }), 'verified')
  for (const proofValue of [
    '',
    'u',
    'z',
    'zO',
    'u*',
    'mAAAA',
    undefined,
    null,
    7,
    [proof.proofValue],
    'u'.repeat(2_000),
  ])
    t.is(await verdict({ ...proof, proofValue }), NO_MATCH, String(proofValue).slice(0, 20))
  t.is(await verdict(proof, { ...DOCUMENT, id: 'urn:x:1' }), NO_MATCH)
})

test('P-384 signs hashes of SHA-384 (VC Data Integrity ECDSA 1.0, section 3.2)', async (t) => {
  const { secretKey, publicKey } = p384.keygen()
  const key = { keyType: 'p384', publicKey } as const
  const did = didKeyOf('p384', publicKey)
  const verificationMethod = didKeyMethodId(did, key)
  const options = {
    type: 'DataIntegrityProof',
    cryptosuite: 'ecdsa-rdfc-2019',
    verificationMethod,
    proofPurpose: 'assertionMethod',
  }
  const by = { ...signer, ...key, did, verificationMethod }
  const signed = async (digest: 'sha256' | 'sha384') => {
    const { bytes } = await hashData(DOCUMENT, options, { documentLoader, digest })
    return { ...options, proofValue: base58btc.encode(p384.sign(bytes, secretKey)) }
  }
  t.is(await verdict(await signed('sha384'), DOCUMENT, by), 'verified')
  t.regex(await verdict(await signed('sha256'), DOCUMENT, by), /does not match/)
})

test('a proof of another type, suite or key is refused before its signature is looked at', async (t) => {
  const proof = await prove(DOCUMENT, signer)
  t.is(
    await verdict({ ...proof, type: 'Other' }),
    'A eddsa-rdfc-2022 proof must have the type DataIntegrityProof, and it has another.',
  )
  t.is(await verdict({ type: 'Other' }), 'Proofs of type Other are not supported.')
  t.is(await verdict({ ...proof, cryptosuite: 'other' }), 'Proofs of type other are not supported.')
  t.is(await verdict({ type: 'x'.repeat(200) }), `Proofs of type ${'x'.repeat(100)} are not supported.`)
  t.is(
    await verdict({ ...proof, cryptosuite: 'ecdsa-rdfc-2019' }),
    'A ecdsa-rdfc-2019 proof cannot have a key of type ed25519.',
  )
})

test('a proof brings known contexts alone, by their URLs (VC Data Integrity 1.0, section 4.6)', async (t) => {
  const own = async (context: unknown) => verdict(await prove(DOCUMENT, signer, { '@context': context }))
  t.is(await own(CONTEXT.credentialsV2), 'verified')
  t.is(await own([CONTEXT.credentialsV2, CONTEXT.dataIntegrityV2]), 'verified')
  const proof = await prove(DOCUMENT, signer)
  for (const context of ['https://x.example/', [CONTEXT.credentialsV2, 'https://x.example/'], [7], [null], {}])
    t.regex(await verdict({ ...proof, '@context': context }), /not one of the bundled contexts/)
})

test('a document that imports contexts is refused with every proof (JSON-LD 1.1, section 4.1.10)', async (t) => {
  const document = { ...DOCUMENT, '@context': [CONTEXT.credentialsV2, { '@import': CONTEXT.credentialsV2 }] }
  const error = await t.throwsAsync(verdict({ type: 'Other' }, document), { instanceOf: Refusal })
  t.is(error.code, 'context.invalid')
})

test('a document with texts that bbs-2023 does not sign is refused before the curve is loaded (D-131)', async (t) => {
  const bbs = { ...signer, keyType: 'bls12381g2' as const }
  const proof = { type: 'DataIntegrityProof', cryptosuite: 'bbs-2023', proofValue: 'u2V0DAAAA' }
  const document = { ...DOCUMENT, credentialSubject: { id: 'did:example:holder', name: 'a _:b' } }
  // the generator of G2, compressed
  const publicKey = Buffer.from(
    '93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e' +
      '024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8',
    'hex',
  )
  const error = await t.throwsAsync(verdict(proof, document, { ...bbs, publicKey }), { instanceOf: Refusal })
  t.deepEqual([error.code, error.errors[0]?.code], ['credential.invalid', 'credential.unsigned'])
})
