import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { p256, p384, p521 } from '@noble/curves/nist.js'
import { LRUCache } from 'lru-cache'
import { type PublicKey, publicKeyOf, toJwk, type VerificationMethod } from '../dids/index.ts'

/** A verification method's key, decoded and checked once. `native` is absent for curves that OpenSSL does not sign with. */
export interface VerificationKey extends PublicKey {
  native?: KeyObject
}

const keys = new LRUCache<string, VerificationKey>({ max: 5000 })
/** Longer keys are not cached: a JSON Web Key may have any further members. */
const MAX_CACHED = 2_000

/** A key that OpenSSL verifies with. Throws for a point that is none. */
export const nativeKey = (key: PublicKey): VerificationKey => ({
  ...key,
  native: createPublicKey({ key: { ...toJwk(key) }, format: 'jwk' }),
})

/**
 * Returns the public key of a verification method in any representation. Decoding and checking a point costs more than
 * a signature, so keys are cached by their text. Throws `Refusal('did.key_unsupported' | 'did.invalid')`.
 */
export function verificationKey(method: VerificationMethod): VerificationKey {
  const { type, publicKeyMultibase, publicKeyBase58, publicKeyJwk } = method
  const text = JSON.stringify([type, publicKeyMultibase, publicKeyBase58, publicKeyJwk])
  const cached = keys.get(text)
  if (cached !== undefined) return cached
  const publicKey = publicKeyOf(method)
  const key = ['ed25519', 'p256', 'p384', 'p521'].includes(publicKey.keyType) ? nativeKey(publicKey) : publicKey
  if (text.length <= MAX_CACHED) keys.set(text, key)
  return key
}

/** Private key of an ephemeral P-256 key, from at least 48 random bytes (FIPS 186-5, appendix A.2.1). */
export const ephemeralSecret = (seed: Uint8Array): Uint8Array => p256.utils.randomSecretKey(new Uint8Array(seed))

/** Hashes and forms of signatures of the curves. */
const ECDSA = {
  p256: { hash: 'sha256', curve: p256 },
  p384: { hash: 'sha384', curve: p384 },
  p521: { hash: 'sha512', curve: p521 },
} as const

const isEcdsa = (keyType: string): keyType is keyof typeof ECDSA => Object.hasOwn(ECDSA, keyType)

/** ECDSA's r‖s in DER (RFC 3279, section 2.2.3); undefined where they are not two numbers from 1 to below the order of the curve. */
export function ecdsaInDer(name: keyof typeof ECDSA, signature: Uint8Array): Uint8Array | undefined {
  try {
    return ECDSA[name].curve.Signature.fromBytes(signature, 'compact').toBytes('der')
  } catch {
    return undefined // of another length, or out of range
  }
}

/**
 * Ed25519 (RFC 8032), or ECDSA over SHA-256 (P-256), SHA-384 (P-384) or SHA-512 (P-521) with r‖s as signature. node:crypto
 * gets DER, since its option for r‖s takes half as long as the signature does (D-326).
 */
export function verifySignature(
  { keyType, native }: VerificationKey,
  data: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (native === undefined) return false
  if (keyType === 'ed25519') return signature.length === 64 && verify(null, data, native, signature)
  if (!isEcdsa(keyType)) return false
  const der = ecdsaInDer(keyType, signature)
  return der !== undefined && verify(ECDSA[keyType].hash, data, native, der)
}
