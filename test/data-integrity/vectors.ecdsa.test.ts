import { readFileSync } from 'node:fs'
import { p256, p384 } from '@noble/curves/nist.js'
import test from 'ava'
import { base58btc } from 'multiformats/bases/base58'
import { createDocumentLoader } from '../../protocol/contexts/index.ts'
import { hashData, hashJson } from '../../protocol/data-integrity/hash.ts'
import {
  completeProof,
  createProofCheck,
  deriveCredential,
  type Json,
  prepareProof,
} from '../../protocol/data-integrity/index.ts'
import { parseSdBase } from '../../protocol/data-integrity/selective-value.ts'
import { dereference, fromMultibase } from '../../protocol/dids/index.ts'
import { resolveDidKey } from '../../protocol/dids/key.ts'
import { vectorJson, withVectors } from '../support/credentials/conformance-vectors.ts'

interface KeyPair {
  publicKeyMultibase: string
  secretKeyMultibase: string
}

interface Vectors {
  keys: { p256: KeyPair; p384: KeyPair; sd: { baseKeyPair: KeyPair; proofKeyPair: KeyPair; hmacKeyString: string } }
  hashed: { suite: string; curve: 'p256' | 'p384'; combinedHash: string; signed: Json & { proof: Json } }[]
  sd: {
    name: string
    mandatoryPointers: string[]
    selectivePointers: string[]
    base: Json & { proof: Json }
    derived: Json & { proof: Json }
  }[]
}

const vectors = JSON.parse(
  readFileSync(new URL('../support/data-integrity/vc-di-ecdsa.json', import.meta.url), 'utf8'),
) as Vectors

const contexts = new Map([
  ['https://www.w3.org/ns/credentials/examples/v2', 'contexts/w3c-ns-credentials-examples-v2.jsonld'],
  ['https://w3id.org/citizenship/v4rc1', 'contexts/w3id-citizenship-v4rc1.jsonld'],
])
const load = (path: string | undefined) => (path === undefined ? undefined : vectorJson(path))
const documentLoader = createDocumentLoader({ contexts: (url) => load(contexts.get(url)) })
const checkProof = createProofCheck({ documentLoader })

/** Verifies the single proof of a document with the key that it names, whoever the issuer is. */
const check = ({ proof, ...document }: Json & { proof: Json }) => {
  const id = String(proof.verificationMethod)
  const did = id.split('#')[0] ?? ''
  return checkProof({ document, proof, method: dereference(resolveDidKey(did), id, 'assertionMethod').method })
}

/** A secret key in multibase, after its two bytes of multicodec. */
const secretOf = ({ secretKeyMultibase }: KeyPair) => base58btc.decode(secretKeyMultibase).slice(2)

for (const { suite, curve, combinedHash, signed } of vectors.hashed)
  withVectors(
    `${suite} with ${curve}: hashes and signature are those of Data Integrity ECDSA 1.0, appendix A`,
    async (t) => {
      const { proof, ...document } = signed
      const { proofValue: _, ...options } = proof
      const digest = curve === 'p384' ? 'sha384' : 'sha256'
      const { bytes } =
        suite === 'ecdsa-jcs-2019'
          ? hashJson(document, options, digest)
          : await hashData(document, options, { documentLoader, digest })
      t.is(Buffer.from(bytes).toString('hex'), combinedHash)
      const { created, verificationMethod } = options
      const prepared = await prepareProof(
        {
          ...{ credential: document, proofType: suite as 'ecdsa-jcs-2019', keyType: curve },
          ...{ created: String(created), verificationMethod: String(verificationMethod) },
        },
        { documentLoader },
      )
      t.is(prepared.kind === 'proofValue' && Buffer.from(prepared.data).toString('hex'), combinedHash)
      const { [curve]: pair } = vectors.keys
      const curveOf = { p256, p384 }[curve]
      t.is(base58btc.encode(curveOf.sign(bytes, secretOf(pair), { lowS: false })), String(proof.proofValue))
      t.deepEqual(await check(signed), { verified: true })
      t.false((await check({ ...signed, name: 'Another name' })).verified)
    },
  )

/** The same signature with the lower s. */
const lower = (signature: Uint8Array): string => {
  const { r, s } = p256.Signature.fromBytes(signature)
  const { ORDER } = p256.Point.Fn
  return Buffer.from(new p256.Signature(r, s > ORDER / 2n ? ORDER - s : s).toBytes()).toString('hex')
}

for (const { name, mandatoryPointers, selectivePointers, base, derived } of vectors.sd) {
  withVectors(
    `ecdsa-sd-2023 (${name}): the base proof is reproduced but for the higher s (ECDSA 1.0, appendix A)`,
    async (t) => {
      const { proof, ...credential } = base
      const { baseKeyPair, proofKeyPair, hmacKeyString } = vectors.keys.sd
      const prepared = await prepareProof(
        {
          credential,
          proofType: 'ecdsa-sd-2023',
          created: String(proof.created),
          verificationMethod: String(proof.verificationMethod),
          hmacKey: Buffer.from(hmacKeyString, 'hex'),
          ephemeral: secretOf(proofKeyPair),
          mandatoryPointers,
        },
        { documentLoader },
      )
      const made = await completeProof(credential, prepared, {
        verificationMethod: String(proof.verificationMethod),
        ...fromMultibase(baseKeyPair.publicKeyMultibase),
        sign: async (data) => p256.sign(data, secretOf(baseKeyPair), { lowS: true }),
        bbsSign: () => Promise.reject(new Error('not a BBS key')),
      })
      const [ours, theirs] = [Object(made.proof), proof].map((each) => parseSdBase(each.proofValue))
      t.deepEqual([ours?.publicKey, ours?.hmacKey], [theirs?.publicKey, theirs?.hmacKey])
      t.deepEqual(ours?.mandatoryPointers, theirs?.mandatoryPointers)
      t.deepEqual(ours?.signatures.map(lower), theirs?.signatures.map(lower))
      t.is(lower(ours?.signature ?? new Uint8Array()), lower(theirs?.signature ?? new Uint8Array()))
    },
  )

  withVectors(`ecdsa-sd-2023 (${name}): base and derived proofs verify, and break when a claim changes`, async (t) => {
    t.deepEqual(await check(base), { verified: true })
    t.deepEqual(await check(derived), { verified: true })
    for (const signed of [base, derived])
      t.false((await check({ ...signed, validFrom: '2020-01-01T00:00:00Z' })).verified)
  })

  withVectors(`ecdsa-sd-2023 (${name}): the derived proof is the published one`, async (t) => {
    const made = await deriveCredential({ credential: base, disclose: selectivePointers }, { documentLoader })
    t.deepEqual(made, derived)
  })
}

test('the vectors are those of four signed suites and two with selective disclosure', (t) => {
  t.deepEqual([vectors.hashed.length, vectors.sd.length], [4, 2])
})
