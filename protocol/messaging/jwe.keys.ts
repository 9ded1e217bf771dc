import { createCipheriv, createDecipheriv, createHash, createPrivateKey, createPublicKey } from 'node:crypto'
import { p256, p384, p521 } from '@noble/curves/nist.js'
import { type AgreementKey, type AgreementKeyType, ecPublicKey, ecSecret, x25519Secret } from '../dids/agreement.ts'

/** Returns random bytes. */
export type Random = (size: number) => Uint8Array

/** A key pair that lives for one message. */
export interface Ephemeral {
  publicKey: AgreementKey
  /** Throws for a key of another curve, and for one that agrees on no secret. */
  agree(peer: AgreementKey): Uint8Array
  wipe(): void
}

const EC = { p256, p384, p521 } as const

/** PKCS #8 around 32 bytes (RFC 8410, section 7). */
const X25519_HEAD = Buffer.from('302e020100300506032b656e04220420', 'hex')

function x25519Private(secret: Uint8Array) {
  const key = Buffer.concat([X25519_HEAD, secret])
  const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' })
  key.fill(0)
  return privateKey
}

/** A fresh key pair; of the NIST curves free of bias (FIPS 186-5, A.2.1). */
export function ephemeralKey(keyType: AgreementKeyType, random: Random): Ephemeral {
  const agreeBy = (agree: (peer: Uint8Array) => Uint8Array | undefined) => (peer: AgreementKey) => {
    const secret = peer.keyType === keyType ? agree(peer.publicKey) : undefined
    if (secret === undefined) throw new Error('the ephemeral key and the key of a recipient agree on no secret')
    return secret
  }
  if (keyType === 'x25519') {
    const secret = random(32)
    const privateKey = x25519Private(secret)
    const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
    return {
      publicKey: { keyType, publicKey: Buffer.from(x, 'base64url') },
      agree: agreeBy((peer) => x25519Secret(privateKey, peer)),
      wipe: () => secret.fill(0),
    }
  }
  const { utils, lengths } = EC[keyType]
  const secret = utils.randomSecretKey(random(lengths.seed ?? 0))
  return {
    publicKey: { keyType, publicKey: ecPublicKey(keyType, secret) },
    agree: agreeBy((peer) => ecSecret(keyType, secret, peer)),
    wipe: () => secret.fill(0),
  }
}

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const prefixed = (bytes: Uint8Array): Buffer => Buffer.concat([uint32(bytes.length), bytes])

export interface KdfInput {
  /** The shared secret: Z, or Ze ‖ Zs for ECDH-1PU. */
  secret: Uint8Array
  keyBytes: number
  /** `alg`, or `enc` where the derived key encrypts the content itself. */
  algorithm: string
  apu: Uint8Array
  apv: Uint8Array
  /** The tag of the content, for ECDH-1PU with key wrapping (draft-madden-jose-ecdh-1pu-04, section 2.3). */
  tag?: Uint8Array
}

/** Concat KDF with SHA-256 (RFC 7518, section 4.6.2; NIST SP 800-56A, section 5.8.1). */
export function concatKdf({ secret, keyBytes, algorithm, apu, apv, tag }: KdfInput): Uint8Array {
  const info = Buffer.concat([
    prefixed(Buffer.from(algorithm)),
    prefixed(apu),
    prefixed(apv),
    uint32(keyBytes * 8),
    ...(tag === undefined ? [] : [prefixed(tag)]),
  ])
  const rounds = Array.from({ length: Math.ceil(keyBytes / 32) }, (_, round) =>
    createHash('sha256')
      .update(uint32(round + 1))
      .update(secret)
      .update(info)
      .digest(),
  )
  return Buffer.concat(rounds).subarray(0, keyBytes)
}

/** The initial value of RFC 3394, section 2.2.3.1. */
const INITIAL_VALUE = Buffer.alloc(8, 0xa6)

const wrapName = (key: Uint8Array) => `id-aes${key.length * 8}-wrap`

/** AES Key Wrap (RFC 3394) under a key of 16, 24 or 32 bytes. */
export function wrapKey(wrappingKey: Uint8Array, key: Uint8Array): Uint8Array {
  const wrapping = createCipheriv(wrapName(wrappingKey), wrappingKey, INITIAL_VALUE)
  return Buffer.concat([wrapping.update(key), wrapping.final()])
}

/** Undefined for what was not wrapped under this key. */
export function unwrapKey(wrappingKey: Uint8Array, wrapped: Uint8Array): Uint8Array | undefined {
  try {
    const unwrapping = createDecipheriv(wrapName(wrappingKey), wrappingKey, INITIAL_VALUE)
    return Buffer.concat([unwrapping.update(wrapped), unwrapping.final()])
  } catch {
    return undefined // the only reason: the integrity check, or a length that no wrapped key has
  }
}
