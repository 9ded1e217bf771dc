import {
  createHash,
  createHmac,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
  verify,
} from 'node:crypto'
import { type Cbor, type CborMap, encodeCbor, Tag } from '../cose/cbor.ts'
import { type CoseSign1, coseSign1Of, HEADER, sigStructure } from '../cose/sign1.ts'
import { ENCODED_CBOR } from './issuer-signed.ts'
import { MDOC, type Mdoc } from './read.ts'

/** Algorithms of ISO/IEC 18013-5, tables B.3 and 22, by their COSE numbers, each with its hash and its curves. */
const ALGORITHMS: ReadonlyMap<Cbor, { hash: string | null; curves: readonly string[] }> = new Map([
  [-7, { hash: 'sha256', curves: ['prime256v1', 'brainpoolP256r1'] }],
  [-35, { hash: 'sha384', curves: ['secp384r1', 'brainpoolP320r1', 'brainpoolP384r1'] }],
  [-36, { hash: 'sha512', curves: ['secp521r1', 'brainpoolP512r1'] }],
  [-8, { hash: null, curves: ['ed25519', 'ed448'] }],
])

const curveOf = ({ asymmetricKeyDetails, asymmetricKeyType }: KeyObject): string =>
  asymmetricKeyDetails?.namedCurve ?? asymmetricKeyType ?? ''

/** Whether a COSE_Sign1 verifies with a key. The algorithm is the protected header's, and must fit the key. */
export function isSignedBy(message: CoseSign1, key: KeyObject, payload = message.payload): boolean {
  const algorithm = ALGORITHMS.get(message.protected.get(HEADER.alg))
  if (!algorithm?.curves.includes(curveOf(key)) || payload === undefined) return false
  if (message.protected.has(HEADER.crit) || message.unprotected.has(HEADER.crit)) return false
  const signed = sigStructure(message.protectedBytes, payload)
  try {
    return verify(algorithm.hash, signed, { key, dsaEncoding: 'ieee-p1363' }, message.signature)
  } catch {
    return false // OpenSSL throws for signatures of a wrong length
  }
}

const CURVES: ReadonlyMap<Cbor, { kty: string; crv: string }> = new Map([
  [1, { kty: 'EC', crv: 'P-256' }],
  [2, { kty: 'EC', crv: 'P-384' }],
  [3, { kty: 'EC', crv: 'P-521' }],
  [4, { kty: 'OKP', crv: 'X25519' }],
  [6, { kty: 'OKP', crv: 'Ed25519' }],
])

/** A COSE_Key (RFC 9053, section 7) as a key; undefined for one that cannot be used. */
export function keyOf(coseKey: CborMap): KeyObject | undefined {
  const curve = CURVES.get(coseKey.get(-1))
  const [x, y] = [coseKey.get(-2), coseKey.get(-3)]
  if (!curve || !(x instanceof Uint8Array)) return undefined
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
  const jwk = { ...curve, x: text(x), ...(y instanceof Uint8Array && { y: text(y) }) }
  try {
    return createPublicKey({ key: jwk, format: 'jwk' })
  } catch {
    return undefined // not a point of the curve
  }
}

/** What the verifier and the device share (ISO/IEC 18013-5, 9.1.5.1). */
export interface Session {
  /** SessionTranscript in CBOR. */
  transcript: Uint8Array
  /** The private key of the reader's session; only needed for a MAC. */
  readerKey?: KeyObject | undefined
}

/** DeviceAuthenticationBytes (ISO/IEC 18013-5, 9.1.3.4), of the parts as they were received. */
function deviceAuthentication({ transcript }: Session, docType: string, nameSpaces: Uint8Array): Uint8Array {
  const parts = [
    Uint8Array.of(0x84), // an array of four
    encodeCbor('DeviceAuthentication'),
    transcript,
    encodeCbor(docType),
    encodeCbor(new Tag(ENCODED_CBOR, nameSpaces)),
  ]
  return encodeCbor(new Tag(ENCODED_CBOR, new Uint8Array(Buffer.concat(parts))))
}

/** HMAC 256/256 (RFC 9053, section 3.1). */
const HS256 = 5

/** COSE_Mac0 with the key of ISO/IEC 18013-5, 9.1.3.5. */
function isMacValid(mac: Cbor, payload: Uint8Array, deviceKey: KeyObject, { transcript, readerKey }: Session): boolean {
  if (!readerKey || curveOf(readerKey) !== curveOf(deviceKey)) return false
  const message = coseSign1Of(mac, MDOC) // the four parts are those of a COSE_Sign1 (RFC 9052, section 6.2)
  if (message.protected.get(HEADER.alg) !== HS256) return false
  const salt = createHash('sha256')
    .update(encodeCbor(new Tag(ENCODED_CBOR, transcript)))
    .digest()
  const secret = diffieHellman({ privateKey: readerKey, publicKey: deviceKey })
  const key = new Uint8Array(hkdfSync('sha256', secret, salt, 'EMacKey', 32))
  const structure = encodeCbor(['MAC0', message.protectedBytes, new Uint8Array(), payload])
  const tag = createHmac('sha256', key).update(structure).digest()
  return tag.length === message.signature.length && timingSafeEqual(tag, message.signature)
}

/** Whether the device signed, or authenticated by MAC, this response in this session. Throws `credential.malformed`. */
export function isDeviceAuthentic({ deviceSigned, mso }: Mdoc, session: Session): boolean {
  const key = mso.deviceKey && keyOf(mso.deviceKey)
  if (!deviceSigned || !key) return false
  const payload = deviceAuthentication(session, mso.docType, deviceSigned.nameSpaces)
  if (deviceSigned.signature !== undefined) {
    const message = coseSign1Of(deviceSigned.signature, MDOC)
    return message.payload === undefined && isSignedBy(message, key, payload)
  }
  return deviceSigned.mac !== undefined && isMacValid(deviceSigned.mac, payload, key, session)
}
