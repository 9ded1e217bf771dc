import { createPublicKey } from 'node:crypto'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { p256, p384, p521 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { fromBase64url } from '../base64url.ts'
import { Refusal } from '../errors.ts'
import { type PublicKey, type PublicKeyType, publicKey } from './keys.ts'

/** A public JSON Web Key (RFC 7517, 7518, 8037); `BLS12381_G1` and `BLS12381_G2` have the compressed point in `x`. */
export interface PublicJwk {
  kty: string
  crv?: string
  x?: string
  y?: string
  n?: string
  e?: string
  [member: string]: unknown
}

/** Members of the class Private (IANA, JSON Web Key Parameters): a DID document must hold none (DID Core 1.0, 5.2.1). */
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'] as const

export const isPrivateJwk = (jwk: Record<string, unknown>): boolean =>
  PRIVATE.some((member) => jwk[member] !== undefined)

const malformed = (what: string) => new Refusal('did.invalid', `The publicKeyJwk is not valid: ${what}.`)

const encode = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

const EC = { p256, p384, p521, secp256k1 } as const
const EC_NAMES = { p256: 'P-256', p384: 'P-384', p521: 'P-521', secp256k1: 'secp256k1' } as const
const OKP_NAMES = { ed25519: 'Ed25519', x25519: 'X25519' } as const
const BLS_NAMES = { bls12381g1: 'BLS12381_G1', bls12381g2: 'BLS12381_G2' } as const

const isOneOf = <T extends object>(table: T, key: string): key is Extract<keyof T, string> => Object.hasOwn(table, key)

export function toJwk({ keyType, publicKey: bytes }: PublicKey): PublicJwk {
  if (isOneOf(OKP_NAMES, keyType)) return { kty: 'OKP', crv: OKP_NAMES[keyType], x: encode(bytes) }
  if (isOneOf(BLS_NAMES, keyType)) return { kty: 'EC', crv: BLS_NAMES[keyType], x: encode(bytes) }
  if (isOneOf(EC, keyType)) {
    const coordinates = EC[keyType].Point.fromBytes(bytes).toBytes(false).subarray(1)
    const half = coordinates.length / 2
    const [x, y] = [coordinates.subarray(0, half), coordinates.subarray(half)].map(encode)
    return { kty: 'EC', crv: EC_NAMES[keyType], x, y }
  }
  if (keyType === 'rsa') {
    const { n, e } = createPublicKey({ key: Buffer.from(bytes), format: 'der', type: 'pkcs1' }).export({
      format: 'jwk',
    })
    return { kty: 'RSA', n, e }
  }
  throw new Refusal('did.key_unsupported', `A ${keyType} key has no JSON Web Key form.`)
}

function decode(jwk: PublicJwk, member: 'x' | 'y' | 'n' | 'e'): Uint8Array {
  const text = jwk[member]
  if (typeof text !== 'string' || text.length > 1400) throw malformed(`${member} is missing or too long`)
  const bytes = fromBase64url(text)
  if (bytes === undefined) throw malformed(`${member} is not base64url`)
  return bytes
}

const keyTypeIn = <T extends Record<string, string>>(table: T, crv: string | undefined) =>
  Object.keys(table).find((keyType) => table[keyType] === crv) as Extract<keyof T, PublicKeyType> | undefined

/** Bytes of a coordinate, which has leading zeros (RFC 7518, section 6.2.1.2). */
const COORDINATE_BYTES = { p256: 32, p384: 48, p521: 66, secp256k1: 32 } as const

function coordinate(keyType: keyof typeof EC, jwk: PublicJwk, member: 'x' | 'y'): Uint8Array {
  const bytes = decode(jwk, member)
  const length = COORDINATE_BYTES[keyType]
  if (bytes.length !== length) throw malformed(`${member} must have ${length} bytes, as every ${EC_NAMES[keyType]} has`)
  return bytes
}

function fromCoordinates(keyType: keyof typeof EC, jwk: PublicJwk): PublicKey {
  const { Point } = EC[keyType]
  try {
    const point = Point.fromBytes(
      Buffer.concat([Buffer.from([4]), coordinate(keyType, jwk, 'x'), coordinate(keyType, jwk, 'y')]),
    )
    return publicKey(keyType, point.toBytes(true))
  } catch (error) {
    throw error instanceof Refusal ? error : malformed(`not a point of ${EC_NAMES[keyType]}`)
  }
}

/** Newer drafts write BLS points as two coordinates; everything else here uses the compressed form. */
function fromBls(keyType: keyof typeof BLS_NAMES, jwk: PublicJwk): PublicKey {
  if (jwk.y === undefined) return publicKey(keyType, decode(jwk, 'x'))
  const bytes = Buffer.concat([decode(jwk, 'x'), decode(jwk, 'y')])
  const group = keyType === 'bls12381g1' ? bls12_381.G1 : bls12_381.G2
  try {
    return publicKey(keyType, group.Point.fromBytes(bytes).toBytes(true))
  } catch (error) {
    throw error instanceof Refusal ? error : malformed(`not a point of ${BLS_NAMES[keyType]}`)
  }
}

/** Reads a public JWK; a private or symmetric member is refused. Throws `Refusal('did.invalid' | 'did.key_unsupported')`. */
export function fromJwk(jwk: PublicJwk): PublicKey {
  if (isPrivateJwk(jwk)) throw malformed('it has private members')
  const crv: unknown = jwk.crv // a stranger's
  if (crv !== undefined && typeof crv !== 'string') throw malformed('crv is not a string')
  const kty: unknown = jwk.kty
  if (typeof kty !== 'string') throw malformed('kty is not a string')
  const okp = jwk.kty === 'OKP' ? keyTypeIn(OKP_NAMES, jwk.crv) : undefined
  if (okp !== undefined) return publicKey(okp, decode(jwk, 'x'))
  const ec = jwk.kty === 'EC' ? keyTypeIn(EC_NAMES, jwk.crv) : undefined
  if (ec !== undefined) return fromCoordinates(ec, jwk)
  const bls = keyTypeIn(BLS_NAMES, jwk.crv?.replace(/^BLS12381_?G/i, 'BLS12381_G'))
  if (bls !== undefined && (jwk.kty === 'EC' || jwk.kty === 'OKP')) return fromBls(bls, jwk)
  if (jwk.kty === 'RSA') {
    const [n, e] = [decode(jwk, 'n'), decode(jwk, 'e')].map(encode)
    try {
      const key = createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' })
      return publicKey('rsa', key.export({ format: 'der', type: 'pkcs1' }))
    } catch (error) {
      throw error instanceof Refusal ? error : malformed('not an RSA key')
    }
  }
  throw new Refusal('did.key_unsupported', `Keys of kty ${kty.slice(0, 20)} and this crv are not supported.`)
}
