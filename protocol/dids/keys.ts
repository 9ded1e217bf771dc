import { createPublicKey } from 'node:crypto'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { ed25519 } from '@noble/curves/ed25519.js'
import { p256, p384, p521 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { varint } from 'multiformats'
import { base58btc } from 'multiformats/bases/base58'
import { base64url } from 'multiformats/bases/base64'
import { type FieldError, Refusal } from '../errors.ts'

export type PublicKeyType =
  | 'ed25519'
  | 'x25519'
  | 'p256'
  | 'p384'
  | 'p521'
  | 'secp256k1'
  | 'bls12381g1'
  | 'bls12381g2'
  | 'bls12381g1g2'
  | 'rsa'

/**
 * A public key in its raw form: Ed25519 and X25519 32 bytes; P-256 and secp256k1 33, P-384 49, P-521 67 (compressed
 * points); BLS12-381 G1 48, G2 96, both 144 bytes; RSA as PKCS#1 DER.
 */
export interface PublicKey {
  keyType: PublicKeyType
  publicKey: Uint8Array
}

const malformed = (what: string, errors: FieldError[] = []) =>
  new Refusal('did.invalid', `The public key is not valid: ${what}.`, errors)

class WrongLength extends Error {}

/** Code in `errors` of a refusal: the type of the key is known, and its length is wrong for it. */
export const KEY_LENGTH = 'key_length'

const sized = (length: number) => (bytes: Uint8Array) => {
  if (bytes.length !== length) throw new WrongLength(`expected ${length} bytes, got ${bytes.length}`)
}

interface Curve {
  fromBytes(bytes: Uint8Array): { assertValidity(): void; is0(): boolean; isSmallOrder?(): boolean }
}

/** Decodes the point; refuses infinity, points off the curve, and points of small order or outside the subgroup. */
const onCurve = (length: number, curve: Curve) => (bytes: Uint8Array) => {
  sized(length)(bytes)
  const point = curve.fromBytes(bytes)
  point.assertValidity()
  if (point.is0()) throw new Error('the point is infinity')
}

const notSmallOrder = (bytes: Uint8Array) => {
  sized(32)(bytes)
  if (ed25519.Point.fromBytes(bytes).isSmallOrder()) throw new Error('the point has a small order')
}

/** Bounds of FIPS 186-5, appendix A.1.1. Only DER is accepted, so that a key has one text. */
const rsa = (bytes: Uint8Array) => {
  const key = createPublicKey({ key: Buffer.from(bytes), format: 'der', type: 'pkcs1' })
  const { modulusLength: bits = 0, publicExponent: exponent = 0n } = key.asymmetricKeyDetails ?? {}
  if (bits < 2048 || bits > 8192) throw new Error(`an RSA modulus of ${bits} bits`)
  if (exponent < 65_537n || exponent >= 2n ** 256n || exponent % 2n === 0n)
    throw new Error('an RSA exponent that is even, below 65537 or above 256 bits')
  const { n = '' } = key.export({ format: 'jwk' })
  if ((Buffer.from(n, 'base64url').at(-1) ?? 0) % 2 === 0) throw new Error('an even RSA modulus')
  // compared with the end of the SPKI form: Node 24 does not export a PKCS#1 key as PKCS#1
  const encoded = key.export({ format: 'der', type: 'spki' }).subarray(-bytes.length)
  if (!encoded.equals(bytes)) throw new Error('not DER')
}

const g1 = onCurve(48, bls12_381.G1.Point)
const g2 = onCurve(96, bls12_381.G2.Point)

/** Multicodec code (multicodec table, `key` tag) and validity check of each key type. */
const KEYS: Record<PublicKeyType, { code: number; check: (bytes: Uint8Array) => void }> = {
  ed25519: { code: 0xed, check: notSmallOrder },
  x25519: { code: 0xec, check: sized(32) },
  p256: { code: 0x1200, check: onCurve(33, p256.Point) },
  p384: { code: 0x1201, check: onCurve(49, p384.Point) },
  p521: { code: 0x1202, check: onCurve(67, p521.Point) },
  secp256k1: { code: 0xe7, check: onCurve(33, secp256k1.Point) },
  bls12381g1: { code: 0xea, check: g1 },
  bls12381g2: { code: 0xeb, check: g2 },
  bls12381g1g2: {
    code: 0xee,
    check: (bytes) => {
      sized(144)(bytes)
      g1(bytes.subarray(0, 48))
      g2(bytes.subarray(48))
    },
  },
  rsa: { code: 0x1205, check: rsa },
}

const TYPES = new Map<number, PublicKeyType>()
for (const keyType of Object.keys(KEYS) as PublicKeyType[]) TYPES.set(KEYS[keyType].code, keyType)

/** Longest multibase text that is decoded: an RSA key of 8192 bits has about 1,450 characters. */
const MAX_MULTIBASE = 2048

/**
 * Throws `Refusal('did.invalid')` unless the bytes are a valid public key of the type; returns them as a `PublicKey`.
 */
export function publicKey(keyType: PublicKeyType, bytes: Uint8Array): PublicKey {
  try {
    KEYS[keyType].check(bytes)
  } catch (error) {
    const message = error instanceof Error ? error.message : 'not decodable'
    throw malformed(
      `${keyType}, ${message}`,
      error instanceof WrongLength ? [{ path: '', code: KEY_LENGTH, message }] : [],
    )
  }
  return { keyType, publicKey: new Uint8Array(bytes) } // a copy, and never a Buffer
}

/** The key as multibase base58btc of its multicodec form (Controlled Identifiers 1.0, section 2.2.2 Multikey). */
export function toMultibase({ keyType, publicKey: bytes }: PublicKey): string {
  const { code } = KEYS[keyType]
  const prefix = varint.encodeTo(code, new Uint8Array(varint.encodingLength(code)))
  return base58btc.encode(Buffer.concat([prefix, bytes]))
}

/** Reads `z…` (base58btc) or `u…` (base64url) multibase text with a multicodec prefix. Throws `Refusal('did.invalid')`. */
export function fromMultibase(text: string): PublicKey {
  if (text.length > MAX_MULTIBASE) throw malformed('too long')
  let code: number
  let bytes: Uint8Array
  try {
    const all = text.startsWith('u') ? base64url.decode(text) : base58btc.decode(text)
    const [decoded, length] = varint.decode(all)
    code = decoded
    bytes = all.subarray(length)
    if (varint.encodingLength(code) !== length) throw new Error('the multicodec prefix is not minimal')
  } catch {
    throw malformed('not multibase with a multicodec prefix')
  }
  const keyType = TYPES.get(code)
  if (keyType === undefined) throw malformed(`unknown multicodec 0x${code.toString(16)}`)
  return publicKey(keyType, bytes)
}

/** Raw base58btc without prefix, as `publicKeyBase58` of the 2018 to 2021 suites has it. */
export const toBase58 = (bytes: Uint8Array): string => base58btc.encode(bytes).slice(1)

export function fromBase58(keyType: PublicKeyType, text: string): PublicKey {
  if (text.length > MAX_MULTIBASE) throw malformed('too long')
  let bytes: Uint8Array
  try {
    bytes = base58btc.decode(`z${text}`)
  } catch {
    throw malformed('not base58')
  }
  return publicKey(keyType, bytes)
}
