import { createECDH, createPublicKey, diffieHellman, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { PublicKey } from './keys.ts'

/** Names of OpenSSL, and lengths of compressed points. */
const EC = {
  p256: { name: 'prime256v1', bytes: 33 },
  p384: { name: 'secp384r1', bytes: 49 },
  p521: { name: 'secp521r1', bytes: 67 },
} as const

export type EcAgreementType = keyof typeof EC
/** Types of keys that agree on a secret: the curves of DIDComm v2 (Curves and Content Encryption Algorithms). */
export type AgreementKeyType = 'x25519' | EcAgreementType

/** A public key that agrees on a secret. */
export type AgreementKey = PublicKey & { keyType: AgreementKeyType }

export const isAgreementKey = (key: PublicKey): key is AgreementKey =>
  key.keyType === 'x25519' || Object.hasOwn(EC, key.keyType)

/** What OpenSSL says of a point that is none of the curve, and of an all-zero X25519 secret. */
const REFUSED = ['ERR_CRYPTO_ECDH_INVALID_PUBLIC_KEY', 'ERR_OSSL_FAILED_DURING_DERIVATION']

function unlessRefused(agree: () => Uint8Array): Uint8Array | undefined {
  try {
    return agree()
  } catch (error) {
    if (error instanceof Error && 'code' in error && REFUSED.includes(String(error.code))) return undefined
    throw error
  }
}

/**
 * X25519 (RFC 7748, 6.1): 32 bytes. Undefined for a peer key of wrong length or small order, whose secret is all zero.
 */
export function x25519Secret(privateKey: KeyObject, peerPublicKey: Uint8Array): Uint8Array | undefined {
  if (peerPublicKey.length !== 32) return undefined
  const x = Buffer.from(peerPublicKey).toString('base64url')
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' })
  const secret = unlessRefused(() => diffieHellman({ privateKey, publicKey }))
  return secret?.every((byte) => byte === 0) ? undefined : secret
}

const probe = generateKeyPairSync('x25519').privateKey

/** Whether a key agrees on a secret at all: an X25519 key of small order does not, and points of EC keys are checked. */
export const isSound = ({ keyType, publicKey }: AgreementKey): boolean =>
  keyType !== 'x25519' || x25519Secret(probe, publicKey) !== undefined

/**
 * ECDH (SEC 1, 3.3.1): the x-coordinate, of the length of the curve. `peerPublicKey`: a compressed point. Undefined for
 * bytes that are no point of the curve.
 */
export function ecSecret(
  keyType: EcAgreementType,
  scalar: Uint8Array,
  peerPublicKey: Uint8Array,
): Uint8Array | undefined {
  const { name, bytes } = EC[keyType]
  if (peerPublicKey.length !== bytes) return undefined
  const ecdh = createECDH(name)
  ecdh.setPrivateKey(scalar)
  return unlessRefused(() => ecdh.computeSecret(peerPublicKey))
}

/** The public key of a scalar: a compressed point. */
export function ecPublicKey(keyType: EcAgreementType, scalar: Uint8Array): Uint8Array {
  const ecdh = createECDH(EC[keyType].name)
  ecdh.setPrivateKey(scalar)
  return new Uint8Array(ecdh.getPublicKey(null, 'compressed'))
}
