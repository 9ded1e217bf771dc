import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js'

export interface Sealed {
  ciphertext: Uint8Array
  tag: Uint8Array
}

export interface ContentAlgorithm {
  keyBytes: number
  ivBytes: number
  tagBytes: number
  /** Whether one ciphertext opens under one key alone, which ECDH-1PU with key wrapping needs (draft 04, 2.1). */
  isCommitting: boolean
  seal(key: Uint8Array, iv: Uint8Array, plaintext: Uint8Array, aad: Uint8Array): Sealed
  /** Undefined where the tag is not of this key, initialization vector, ciphertext and additional data. */
  open(key: Uint8Array, iv: Uint8Array, sealed: Sealed, aad: Uint8Array): Uint8Array | undefined
}

/** AES_CBC_HMAC_SHA2 (RFC 7518, section 5.2): half of the key is the MAC's, and half of the MAC is the tag. */
function cbcHmac(bits: 128 | 192 | 256, hash: 'sha256' | 'sha384' | 'sha512'): ContentAlgorithm {
  const half = bits / 8
  const cipher = `aes-${bits}-cbc`
  const tagOf = (key: Uint8Array, iv: Uint8Array, ciphertext: Uint8Array, aad: Uint8Array) => {
    const bitsOfAad = Buffer.alloc(8)
    bitsOfAad.writeBigUInt64BE(BigInt(aad.length) * 8n)
    const mac = createHmac(hash, key.subarray(0, half))
    return mac.update(aad).update(iv).update(ciphertext).update(bitsOfAad).digest().subarray(0, half)
  }
  return {
    keyBytes: 2 * half,
    ivBytes: 16,
    tagBytes: half,
    isCommitting: true,
    seal(key, iv, plaintext, aad) {
      const encryption = createCipheriv(cipher, key.subarray(half), iv)
      const ciphertext = Buffer.concat([encryption.update(plaintext), encryption.final()])
      return { ciphertext, tag: tagOf(key, iv, ciphertext, aad) }
    },
    open(key, iv, { ciphertext, tag }, aad) {
      // the tag first: nothing is learnt from the padding of a ciphertext that someone changed
      if (!timingSafeEqual(tagOf(key, iv, ciphertext, aad), tag)) return undefined
      const decryption = createDecipheriv(cipher, key.subarray(half), iv)
      return unlessRefused(() => Buffer.concat([decryption.update(ciphertext), decryption.final()]))
    },
  }
}

/** AES GCM (RFC 7518, section 5.3). */
function gcm(bits: 128 | 192 | 256): ContentAlgorithm {
  const cipher = `aes-${bits}-gcm` as const
  const tagBytes = 16
  return {
    keyBytes: bits / 8,
    ivBytes: 12,
    tagBytes,
    isCommitting: false,
    seal(key, iv, plaintext, aad) {
      const encryption = createCipheriv(cipher, key, iv, { authTagLength: tagBytes }).setAAD(aad)
      const ciphertext = Buffer.concat([encryption.update(plaintext), encryption.final()])
      return { ciphertext, tag: encryption.getAuthTag() }
    },
    open(key, iv, { ciphertext, tag }, aad) {
      const decryption = createDecipheriv(cipher, key, iv, { authTagLength: tagBytes }).setAAD(aad).setAuthTag(tag)
      return unlessRefused(() => Buffer.concat([decryption.update(ciphertext), decryption.final()]))
    },
  }
}

/** XChaCha20-Poly1305 (draft-amringer-jose-chacha-02, section 3). */
const xc20p: ContentAlgorithm = {
  keyBytes: 32,
  ivBytes: 24,
  tagBytes: 16,
  isCommitting: false,
  seal(key, iv, plaintext, aad) {
    const both = xchacha20poly1305(key, iv, aad).encrypt(plaintext)
    return { ciphertext: both.subarray(0, -16), tag: both.subarray(-16) }
  },
  open: (key, iv, { ciphertext, tag }, aad) =>
    unlessRefused(() => xchacha20poly1305(key, iv, aad).decrypt(Buffer.concat([ciphertext, tag]))),
}

/** A cipher's error over a checked key, vector and tag is that of a wrong tag or padding, and says nothing else. */
function unlessRefused(open: () => Uint8Array): Uint8Array | undefined {
  try {
    return open()
  } catch {
    return undefined
  }
}

const CONTENT = {
  'A128CBC-HS256': cbcHmac(128, 'sha256'),
  'A192CBC-HS384': cbcHmac(192, 'sha384'),
  'A256CBC-HS512': cbcHmac(256, 'sha512'),
  A128GCM: gcm(128),
  A192GCM: gcm(192),
  A256GCM: gcm(256),
  XC20P: xc20p,
} as const satisfies Record<string, ContentAlgorithm>

export type ContentName = keyof typeof CONTENT

export const isContentName = (enc: unknown): enc is ContentName =>
  typeof enc === 'string' && Object.hasOwn(CONTENT, enc)

export const contentAlgorithm = (enc: ContentName): ContentAlgorithm => CONTENT[enc]
