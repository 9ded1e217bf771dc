import {
  canonicalizeAndGroup,
  createHmac,
  createHmacIdLabelMapFunction,
  hashCanonizedProof,
  hashMandatory,
} from '@digitalbazaar/di-sd-primitives'
import { createDiscloseCryptosuite, createVerifyCryptosuite } from '@digitalbazaar/ecdsa-sd-2023-cryptosuite'
import { p256 } from '@noble/curves/nist.js'
import { base58btc } from 'multiformats/bases/base58'
import { toMultibase } from '../dids/index.ts'
import { Refusal } from '../errors.ts'
import type { Json } from './hash.ts'
import { nativeKey, type VerificationKey, verifySignature } from './keys.ts'
import { unknownPointers } from './pointers.ts'
import { asRefusal } from './refusals.ts'
import { deriveFrom, orFalse, type SelectiveOptions, verifyDerived } from './selective.ts'
import { isBaseProof, isSdDerived, parseSdBase, type SdData } from './selective-value.ts'

const utf8 = new TextEncoder()

/** What the issuer and the key of a proof sign (VC Data Integrity ECDSA 1.0, sections 3.4.2 to 3.4.4). */
async function signedParts(
  document: Json,
  proof: Json,
  { hmacKey, mandatoryPointers, publicKey }: Pick<SdData, 'hmacKey' | 'mandatoryPointers' | 'publicKey'>,
  options: SelectiveOptions,
): Promise<{ data: Uint8Array; messages: Uint8Array[]; statements: string }> {
  try {
    const proofHash = await hashCanonizedProof({ document, proof, options })
    const { groups } = await canonicalizeAndGroup({
      document,
      labelMapFactoryFunction: createHmacIdLabelMapFunction({ hmac: await createHmac({ key: hmacKey }) }),
      groups: { mandatory: mandatoryPointers },
      options,
    })
    const mandatory = [...groups.mandatory.matching.values()]
    const others = [...groups.mandatory.nonMatching.values()]
    const { mandatoryHash } = await hashMandatory({ mandatory })
    return {
      data: Buffer.concat([proofHash, publicKey, mandatoryHash]),
      messages: others.map((statement) => utf8.encode(statement)),
      statements: [...mandatory, ...others].join(''),
    }
  } catch (error) {
    throw asRefusal(error, document)
  }
}

/**
 * Returns the parts of a base proof for the issuer to sign, and the statements. `proof` has no proofValue; `ephemeral` is
 * the private key of this proof, which is used here and kept nowhere. Throws as `canonize` does.
 */
export async function sdData(
  document: Json,
  proof: Json,
  keep: { hmacKey: Uint8Array; ephemeral: Uint8Array; mandatoryPointers: string[] },
  options: SelectiveOptions,
): Promise<SdData & { statements: string }> {
  const { hmacKey, ephemeral, mandatoryPointers } = keep
  const key = { keyType: 'p256', publicKey: p256.getPublicKey(ephemeral) } as const
  const publicKey = base58btc.decode(toMultibase(key))
  const { data, messages, statements } = await signedParts(
    document,
    proof,
    { hmacKey, mandatoryPointers, publicKey },
    options,
  )
  const signatures = messages.map((message) => p256.sign(message, ephemeral, { lowS: true }))
  return { data, publicKey, hmacKey, signatures, mandatoryPointers, statements }
}

/** Checks every signature of a base proof; the library itself verifies derived proofs only. */
async function verifyBase(document: Json, proof: Json, key: VerificationKey, options: SelectiveOptions) {
  const base = parseSdBase(proof.proofValue)
  if (base === undefined || unknownPointers(document, base.mandatoryPointers).length > 0) return false
  const { proofValue: _, ...configuration } = proof
  const { data, messages } = await signedParts(document, configuration, base, options)
  const own = nativeKey({ keyType: 'p256', publicKey: base.publicKey.subarray(2) })
  if (base58btc.encode(base.publicKey) !== toMultibase(own)) return false
  return (
    base.signatures.length === messages.length &&
    verifySignature(key, data, base.signature) &&
    base.signatures.every((signature, at) => verifySignature(own, messages[at] ?? new Uint8Array(), signature))
  )
}

/** Verifies a base or a derived ecdsa-sd-2023 proof. Throws `Refusal` for errors of the document, not of the proof. */
export const verifySd = (
  document: Json,
  proof: Json,
  key: VerificationKey,
  options: SelectiveOptions,
): Promise<boolean> =>
  orFalse(async () => {
    if (isBaseProof(proof)) return verifyBase(document, proof, key, options)
    if (!isSdDerived(proof.proofValue)) return false
    return verifyDerived(document, proof, key, { ...options, cryptosuite: createVerifyCryptosuite() })
  })

/** Derives a proof that discloses the members of the pointers and the mandatory ones; `['']` is everything. */
export async function deriveSd(
  document: Json,
  proof: Json,
  selectivePointers: string[],
  options: SelectiveOptions,
): Promise<Json> {
  if (parseSdBase(proof.proofValue) === undefined)
    throw new Refusal(
      'credential.not_derivable',
      'A credential can be derived only from a base proof; send the credential as it was signed.',
    )
  const cryptosuite = createDiscloseCryptosuite({ selectivePointers })
  return deriveFrom(document, proof, { ...options, cryptosuite, pointers: selectivePointers })
}
