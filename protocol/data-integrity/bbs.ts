import { createDiscloseCryptosuite, createVerifyCryptosuite } from '@digitalbazaar/bbs-2023-cryptosuite'
import { verifySignature } from '@digitalbazaar/bbs-signatures'
import { DataIntegrityProof } from '@digitalbazaar/data-integrity'
import {
  canonicalizeAndGroup,
  createHmac,
  createHmacIdLabelMapFunction,
  hashCanonizedProof,
  hashMandatory,
} from '@digitalbazaar/di-sd-primitives'
import type { DocumentLoader } from '../contexts/index.ts'
import { toMultibase } from '../dids/index.ts'
import { Refusal, Unavailable } from '../errors.ts'
import { type BbsData, isBaseProof, parseBaseProofValue } from './bbs-value.ts'
import type { Json } from './hash.ts'
import type { VerificationKey } from './keys.ts'
import { checkPointers, unknownPointers } from './pointers.ts'
import { asRefusal, refusalOf } from './refusals.ts'

export interface BbsOptions {
  documentLoader: DocumentLoader
}

/** Blank node labels in the order of their HMACs, so that a derived proof does not show how many are hidden. */
async function shuffledLabels(hmacKey: Uint8Array) {
  const labels = createHmacIdLabelMapFunction({ hmac: await createHmac({ key: hmacKey }) })
  return async (input: { canonicalIdMap: Map<string, string> }) => {
    const map = await labels(input)
    const sorted = [...map.values()].sort()
    return new Map([...map].map(([id, label]): [string, string] => [id, `b${sorted.indexOf(label)}`]))
  }
}

/** Returns header, messages and statements of a base proof. `proof` has no proofValue. Throws as `canonize` does. */
export async function bbsData(
  document: Json,
  proof: Json,
  keep: { hmacKey: Uint8Array; mandatoryPointers: string[] },
  options: BbsOptions,
): Promise<BbsData & { statements: string }> {
  const { hmacKey, mandatoryPointers } = keep
  try {
    const proofHash = await hashCanonizedProof({ document, proof, options })
    const { groups } = await canonicalizeAndGroup({
      document,
      labelMapFactoryFunction: await shuffledLabels(hmacKey),
      groups: { mandatory: mandatoryPointers },
      options,
    })
    const { mandatoryHash } = await hashMandatory({ mandatory: [...groups.mandatory.matching.values()] })
    const messages = [...groups.mandatory.nonMatching.values()].map((statement) => new TextEncoder().encode(statement))
    const { matching, nonMatching } = groups.mandatory
    const statements = [...matching.values(), ...nonMatching.values()].join('')
    return { header: Buffer.concat([proofHash, mandatoryHash]), messages, hmacKey, mandatoryPointers, statements }
  } catch (error) {
    throw asRefusal(error, document)
  }
}

/** Checks the issuer's signature inside a base proof; the library itself verifies derived proofs only. */
async function verifyBase(document: Json, proof: Json, key: VerificationKey, options: BbsOptions): Promise<boolean> {
  const base = parseBaseProofValue(proof.proofValue)
  if (base === undefined || !Buffer.from(base.publicKey).equals(key.publicKey)) return false
  if (unknownPointers(document, base.mandatoryPointers).length > 0) return false
  const { proofValue: _, ...configuration } = proof
  const { header, messages } = await bbsData(document, configuration, base, options)
  if (!Buffer.from(header).equals(base.header)) return false
  return verifySignature({
    publicKey: key.publicKey,
    signature: base.signature,
    header,
    messages,
    ciphersuite: 'BLS12-381-SHA-256',
  })
}

/** Verifies a base or a derived bbs-2023 proof. Throws `Refusal` for errors of the document, not of the proof. */
export async function verifyBbs(
  document: Json,
  proof: Json,
  key: VerificationKey,
  options: BbsOptions,
): Promise<boolean> {
  const method = {
    '@context': 'https://w3id.org/security/multikey/v1',
    type: 'Multikey',
    id: String(proof.verificationMethod),
    publicKeyMultibase: toMultibase(key),
  }
  const documentLoader = async (url: string) =>
    url === method.id ? { contextUrl: null, documentUrl: url, document: method } : options.documentLoader(url)
  try {
    if (isBaseProof(proof)) return await verifyBase(document, proof, key, options)
    const suite = new DataIntegrityProof({ cryptosuite: createVerifyCryptosuite() })
    const { verified, error } = await suite.verifyProof({ proof, proofSet: [proof], document, documentLoader })
    const refusal = refusalOf(error, document)
    if (refusal) throw refusal
    return verified
  } catch (error) {
    if (error instanceof Refusal || error instanceof Unavailable) throw error
    return false // other errors of the BBS libraries mean a malformed signature, point or scalar
  }
}

/** Derives a proof that discloses the members of the pointers and the mandatory ones; `['']` is everything. */
export async function deriveBbs(
  document: Json,
  proof: Json,
  disclose: { selectivePointers: string[]; presentationHeader: Uint8Array },
  { documentLoader }: BbsOptions,
): Promise<Json> {
  if (!isBaseProof(proof))
    throw new Refusal(
      'credential.not_derivable',
      'A credential can be derived only from a bbs-2023 base proof; send the credential as it was signed.',
    )
  checkPointers(document, disclose.selectivePointers)
  const suite = new DataIntegrityProof({ cryptosuite: createDiscloseCryptosuite(disclose) })
  try {
    const purpose = { term: 'assertionMethod' }
    return { ...(await suite.derive({ document, purpose, proofSet: [proof], documentLoader })) }
  } catch (error) {
    const refusal = refusalOf(error, document)
    if (refusal) throw refusal
    throw new Refusal(
      'credential.not_derivable',
      'The base proof of the credential is malformed, or it does not belong to this credential.',
    )
  }
}
