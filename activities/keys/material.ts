import { createPrivateKey, createPublicKey, createSecretKey, type KeyObject, sign as nodeSign } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { p256, p384 } from '@noble/curves/nist.js'
import { ecSecret, x25519Secret } from '../../protocol/dids/agreement.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { KeyType } from './index.ts'
import { compactWithLowS, type EcdsaKeyType } from './low-s.ts'

/** Returns random bytes. */
export type Random = (size: number) => Uint8Array

/**
 * A private key as 32 bytes (RFC 8032 seed, P-256 and BLS12-381 scalar, RFC 7748 secret) or 48 (P-384 scalar), and its raw
 * public key.
 */
export interface KeyMaterial {
  secret: Uint8Array
  publicKey: Uint8Array
}

type CurveKeyType = Exclude<KeyType, 'bls12381g2'>

/**
 * The DER around the secret bytes: PKCS #8 of RFC 8410 for the two Edwards/Montgomery curves, SEC 1 of RFC 5915 for
 * P-256 and P-384.
 */
const DER = {
  ed25519: { type: 'pkcs8', head: '302e020100300506032b657004220420', tail: '' },
  x25519: { type: 'pkcs8', head: '302e020100300506032b656e04220420', tail: '' },
  p256: { type: 'sec1', head: '30310201010420', tail: 'a00a06082a8648ce3d030107' },
  p384: { type: 'sec1', head: '303e0201010430', tail: 'a00706052b81040022' },
} as const

const bytes = (base64url: string | undefined): Buffer => Buffer.from(base64url ?? '', 'base64url')

/** Loads secret bytes as a key of node:crypto; BLS12-381, which it does not know, as opaque secret bytes. */
export function importSecret(keyType: KeyType, secret: Uint8Array): KeyObject {
  if (keyType === 'bls12381g2') return createSecretKey(secret)
  const { type, head, tail } = DER[keyType]
  const key = Buffer.concat([Buffer.from(head, 'hex'), secret, Buffer.from(tail, 'hex')])
  return createPrivateKey({ key, format: 'der', type })
}

/** Raw public key of a private or public key: 32 bytes, or compressed (SEC 1, 2.3.3) 33 for P-256 and 49 for P-384. */
export function rawPublicKey(key: KeyObject): Uint8Array {
  const { x, y } = (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' })
  if (y === undefined) return bytes(x)
  const parity = 2 + ((bytes(y).at(-1) ?? 0) & 1)
  return Buffer.concat([Buffer.from([parity]), bytes(x)])
}

/**
 * Secrets of the curves. P-256 takes 48 random bytes, and P-384 takes 72, to be free of bias (FIPS 186-5, A.2.1).
 */
const SECRETS: Record<CurveKeyType, (random: Random) => Uint8Array> = {
  ed25519: (random) => random(32),
  x25519: (random) => random(32),
  p256: (random) => p256.utils.randomSecretKey(random(48)),
  p384: (random) => p384.utils.randomSecretKey(random(72)),
}

/** A fresh key of a curve that node:crypto knows. */
export function generateCurveKey(keyType: CurveKeyType, random: Random): KeyMaterial {
  const secret = SECRETS[keyType](random)
  return { secret, publicKey: rawPublicKey(importSecret(keyType, secret)) }
}

/** Hashes of ECDSA, as every standard here pairs them with the curves (RFC 7518, section 3.4). */
export const ECDSA_HASH = { p256: 'sha256', p384: 'sha384' } as const satisfies Record<EcdsaKeyType, string>

/** Ed25519 over `data`, or ECDSA over its hash as r‖s with the lower s. */
export function signWith(key: KeyObject, data: Uint8Array): Uint8Array {
  if (key.asymmetricKeyType !== 'ec') return nodeSign(null, data, key)
  const keyType = key.asymmetricKeyDetails?.namedCurve === 'secp384r1' ? 'p384' : 'p256'
  return compactWithLowS(nodeSign(ECDSA_HASH[keyType], data, key), keyType)
}

/** The 32 secret bytes of a private key that agrees, for the caller to wipe. */
function secretOf(key: KeyObject): Uint8Array {
  if (key.asymmetricKeyType !== 'ec') return key.export({ format: 'der', type: 'pkcs8' }).subarray(-32)
  const from = DER.p256.head.length / 2 // SEC 1 of a P-256 key begins as long as ours, with or without a public key
  return key.export({ format: 'der', type: 'sec1' }).subarray(from, from + 32)
}

/** Runs `use` over the secret bytes of a key, and wipes them. */
function withSecret<Result>(key: KeyObject, use: (secret: Uint8Array) => Result): Result {
  const secret = secretOf(key)
  try {
    return use(secret)
  } finally {
    secret.fill(0)
  }
}

/**
 * The X25519 form of an Ed25519 key: the first half of SHA-512 over the seed (RFC 8032, 5.1.5), as libsodium and
 * did:key do.
 */
function montgomeryForm(key: KeyObject): KeyObject {
  const secret = withSecret(key, (seed) => ed25519.utils.toMontgomerySecret(seed))
  const form = importSecret('x25519', secret)
  secret.fill(0)
  return form
}

/**
 * X25519 (RFC 7748, 6.1), also of an Ed25519 key, or ECDH of P-256 (SEC 1, 3.3.1). 32 bytes. Throws
 * `Refusal('key.agreement_refused')` for a peer key of another curve, of small order or of wrong length.
 */
export function agreeWith(key: KeyObject, peerPublicKey: Uint8Array): Uint8Array {
  const isEc = key.asymmetricKeyType === 'ec'
  const agreed = isEc
    ? withSecret(key, (scalar) => ecSecret('p256', scalar, peerPublicKey))
    : x25519Secret(key.asymmetricKeyType === 'ed25519' ? montgomeryForm(key) : key, peerPublicKey)
  if (agreed) return agreed
  const expected = isEc ? 'P-256 key (a compressed point)' : 'X25519 key (32 bytes)'
  throw new Refusal('key.agreement_refused', `The other public key is not a usable ${expected}.`)
}
