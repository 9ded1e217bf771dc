import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
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
  const key = ['ed25519', 'p256', 'p384'].includes(publicKey.keyType) ? nativeKey(publicKey) : publicKey
  if (text.length <= MAX_CACHED) keys.set(text, key)
  return key
}

/** Private key of an ephemeral P-256 key, from at least 48 random bytes (FIPS 186-5, appendix A.2.1). */
export const ephemeralSecret = (seed: Uint8Array): Uint8Array => p256.utils.randomSecretKey(new Uint8Array(seed))

/** The orders of the curves (SEC 2, sections 2.4.2 and 2.5.1), in as many bytes as each half of a signature has. */
const ORDERS = {
  p256: Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex'),
  p384: Buffer.from(
    'ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973',
    'hex',
  ),
} as const

/** The digits of a number, without zero bytes before it. */
function digitsOf(bytes: Uint8Array): Uint8Array {
  let from = 0
  while (from < bytes.length && bytes[from] === 0) from += 1
  return bytes.subarray(from)
}

/** Bytes of a number in DER: one whose first bit is set gets a zero byte, since it would be negative without. */
const sizeOf = (digits: Uint8Array): number => digits.length + ((digits[0] ?? 0) > 0x7f ? 1 : 0)

/**
 * ECDSA's r‖s in DER (RFC 3279, section 2.2.3); undefined where they are not two numbers from 1 to below the order of the curve.
 * Both curves stay below 128 bytes, so that lengths are single bytes.
 */
export function ecdsaInDer(curve: keyof typeof ORDERS, signature: Uint8Array): Uint8Array | undefined {
  const order = ORDERS[curve]
  const half = order.length
  if (signature.length !== 2 * half) return undefined
  const [first, second] = [signature.subarray(0, half), signature.subarray(half)]
  if (Buffer.compare(first, order) >= 0 || Buffer.compare(second, order) >= 0) return undefined
  const [r, s] = [digitsOf(first), digitsOf(second)]
  if (r.length === 0 || s.length === 0) return undefined
  const [sizeOfR, sizeOfS] = [sizeOf(r), sizeOf(s)]
  const der = new Uint8Array(6 + sizeOfR + sizeOfS)
  der.set([0x30, 4 + sizeOfR + sizeOfS, 0x02, sizeOfR])
  der.set(r, 4 + sizeOfR - r.length)
  der.set([0x02, sizeOfS], 4 + sizeOfR)
  der.set(s, 6 + sizeOfR + sizeOfS - s.length)
  return der
}

/**
 * Ed25519 (RFC 8032), or ECDSA over SHA-256 (P-256) or SHA-384 (P-384) with r‖s as signature. node:crypto gets DER, since
 * its option for r‖s takes half as long as the signature does (D-326).
 */
export function verifySignature(
  { keyType, native }: VerificationKey,
  data: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (native === undefined) return false
  if (keyType === 'ed25519') return signature.length === 64 && verify(null, data, native, signature)
  const curve = keyType === 'p384' ? 'p384' : 'p256'
  const der = ecdsaInDer(curve, signature)
  return der !== undefined && verify(curve === 'p384' ? 'sha384' : 'sha256', data, native, der)
}
