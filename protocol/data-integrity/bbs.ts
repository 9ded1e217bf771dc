import { createDiscloseCryptosuite, createVerifyCryptosuite } from '@digitalbazaar/bbs-2023-cryptosuite'
import { verifySignature } from '@digitalbazaar/bbs-signatures'
import {
  canonicalizeAndGroup,
  createHmac,
  createHmacIdLabelMapFunction,
  hashCanonizedProof,
  hashMandatory,
} from '@digitalbazaar/di-sd-primitives'
import { Refusal } from '../errors.ts'
import { type BbsData, parseBaseProofValue } from './bbs-value.ts'
import type { Json } from './hash.ts'
import type { VerificationKey } from './keys.ts'
import { unknownPointers } from './pointers.ts'
import { asRefusal } from './refusals.ts'
import { deriveFrom, orFalse, type SelectiveOptions, verifyDerived } from './selective.ts'
import { isBaseProof, isBbsDerived } from './selective-value.ts'

export type BbsOptions = SelectiveOptions

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
export const verifyBbs = (document: Json, proof: Json, key: VerificationKey, options: BbsOptions): Promise<boolean> =>
  orFalse(async () => {
    if (isBaseProof(proof)) return verifyBase(document, proof, key, options)
    if (!isBbsDerived(proof.proofValue)) return false
    return verifyDerived(document, proof, key, { ...options, cryptosuite: createVerifyCryptosuite() })
  })

/** Derives a proof that discloses the members of the pointers and the mandatory ones; `['']` is everything. */
export async function deriveBbs(
  document: Json,
  proof: Json,
  disclose: { selectivePointers: string[]; presentationHeader: Uint8Array },
  options: BbsOptions,
): Promise<Json> {
  if (!isBaseProof(proof))
    throw new Refusal(
      'credential.not_derivable',
      'A credential can be derived only from a base proof; send the credential as it was signed.',
    )
  const cryptosuite = createDiscloseCryptosuite(disclose)
  return deriveFrom(document, proof, { ...options, cryptosuite, pointers: disclose.selectivePointers })
}
