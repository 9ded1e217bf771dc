import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { type PublicKey, publicKeyOf, toJwk, type VerificationMethod } from '../dids/index.ts'

/** A verification method's key, decoded and checked once. `native` is absent for curves that OpenSSL does not sign with. */
export interface VerificationKey extends PublicKey {
  native?: KeyObject
}

const keys = new LRUCache<string, VerificationKey>({ max: 5000 })
/** Longer keys are not cached: a JSON Web Key may have any further members. */
const MAX_CACHED = 2_000

/**
 * Returns the public key of a verification method in any representation. Decoding and checking a point costs more than
 * a signature, so keys are cached by their text. Throws `Refusal('did.key_unsupported' | 'did.invalid')`.
 */
export function verificationKey(method: VerificationMethod): VerificationKey {
  const { type, publicKeyMultibase, publicKeyBase58, publicKeyJwk } = method
  const text = JSON.stringify([type, publicKeyMultibase, publicKeyBase58, publicKeyJwk])
  const cached = keys.get(text)
  if (cached !== undefined) return cached
  const key: VerificationKey = publicKeyOf(method)
  if (['ed25519', 'p256', 'p384'].includes(key.keyType))
    key.native = createPublicKey({ key: { ...toJwk(key) }, format: 'jwk' })
  if (text.length <= MAX_CACHED) keys.set(text, key)
  return key
}

/** Ed25519 (RFC 8032), or ECDSA over SHA-256 (P-256) or SHA-384 (P-384) with r‖s as signature. */
export function verifySignature(
  { keyType, native }: VerificationKey,
  data: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (native === undefined) return false
  if (keyType === 'ed25519') return signature.length === 64 && verify(null, data, native, signature)
  return verify(keyType === 'p384' ? 'sha384' : 'sha256', data, { key: native, dsaEncoding: 'ieee-p1363' }, signature)
}
