import { createHash, createPublicKey, diffieHellman, hkdfSync, type KeyObject, verify } from 'node:crypto'
import { type Cbor, type CborMap, encodeCbor, Tag } from '../cose/cbor.ts'
import { type CoseSign1, HEADER, sigStructure } from '../cose/sign1.ts'
import { ENCODED_CBOR } from './issuer-signed.ts'
import { deviceMessageOf, type Mdoc } from './read.ts'

/** COSE_Sign1 or COSE_Mac0 of a device with the payload that both sides have, and the key that verifies it. */
export interface DeviceProof {
  member: 'deviceSignature' | 'deviceMac'
  message: CoseSign1
  payload: Uint8Array
  key: KeyObject | Uint8Array
}

interface Algorithm {
  hash: string | null
  curves: readonly string[]
}

/** Algorithms of ISO/IEC 18013-5, tables B.3 and 22, by their COSE numbers, each with its hash and its curves: those that @auth0/mdl knows. */
const ISO_ALGORITHMS: ReadonlyMap<Cbor, Algorithm> = new Map([
  [-7, { hash: 'sha256', curves: ['prime256v1', 'brainpoolP256r1'] }],
  [-35, { hash: 'sha384', curves: ['secp384r1', 'brainpoolP320r1', 'brainpoolP384r1'] }],
  [-36, { hash: 'sha512', curves: ['secp521r1', 'brainpoolP512r1'] }],
  [-8, { hash: null, curves: ['ed25519', 'ed448'] }],
])

/** The same with the curve in the name (RFC 9864, section 2), which HAIP 1.0 (section 7) has beside them. */
const ALGORITHMS: ReadonlyMap<Cbor, Algorithm> = new Map([
  ...ISO_ALGORITHMS,
  [-9, { hash: 'sha256', curves: ['prime256v1'] }],
  [-51, { hash: 'sha384', curves: ['secp384r1'] }],
  [-52, { hash: 'sha512', curves: ['secp521r1'] }],
  [-19, { hash: null, curves: ['ed25519'] }],
  [-53, { hash: null, curves: ['ed448'] }],
])

const curveOf = ({ asymmetricKeyDetails, asymmetricKeyType }: KeyObject): string =>
  asymmetricKeyDetails?.namedCurve ?? asymmetricKeyType ?? ''

/**
 * Whether the protected header of a COSE_Sign1 names an algorithm that fits the key. @auth0/mdl asks for neither: it also
 * takes an algorithm of the unprotected header, RSA, and critical parameters that it does not know.
 */
export function isFitFor({ protected: header, unprotected }: CoseSign1, key: KeyObject): boolean {
  if (header.has(HEADER.crit) || unprotected.has(HEADER.crit)) return false
  return ALGORITHMS.get(header.get(HEADER.alg))?.curves.includes(curveOf(key)) ?? false
}

/** Whether @auth0/mdl lacks the curve of the key or the algorithm of the message. */
export const isBeyondLibrary = ({ protected: header }: CoseSign1, key: KeyObject): boolean =>
  curveOf(key).startsWith('brainpool') || !ISO_ALGORITHMS.has(header.get(HEADER.alg))

/** Whether a fit COSE_Sign1 verifies with a key, without @auth0/mdl, which reads no lists either. */
export function isSignedByKey({ protected: header, protectedBytes, payload, signature }: CoseSign1, key: KeyObject) {
  const algorithm = ALGORITHMS.get(header.get(HEADER.alg))
  if (!algorithm || !payload) return false
  try {
    return verify(algorithm.hash, sigStructure(protectedBytes, payload), { key, dsaEncoding: 'ieee-p1363' }, signature)
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
  return encodeCbor(new Tag(ENCODED_CBOR, Buffer.concat(parts)))
}

/** HMAC 256/256 (RFC 9053, section 3.1). */
const HS256 = 5

const secretOf = (privateKey: KeyObject, publicKey: KeyObject): Uint8Array | undefined => {
  try {
    return diffieHellman({ privateKey, publicKey })
  } catch {
    return undefined // Ed25519 agrees on no secret, and no reader on one with a point of low order
  }
}

/** EMacKey (ISO/IEC 18013-5, 9.1.3.5); undefined where the keys agree on no secret. */
function macKeyOf(deviceKey: KeyObject, readerKey: KeyObject, transcript: Uint8Array): Uint8Array | undefined {
  const salt = createHash('sha256')
    .update(encodeCbor(new Tag(ENCODED_CBOR, transcript)))
    .digest()
  const secret = secretOf(readerKey, deviceKey)
  return secret && new Uint8Array(hkdfSync('sha256', secret, salt, 'EMacKey', 32))
}

/**
 * The signature or MAC of a device with what verifies it in this session; undefined where nothing can. Throws
 * `credential.malformed`.
 */
export function deviceProofOf({ deviceSigned, mso }: Mdoc, session: Session): DeviceProof | undefined {
  const key = mso.deviceKey && keyOf(mso.deviceKey)
  if (!deviceSigned || !key) return undefined
  const payload = deviceAuthentication(session, mso.docType, deviceSigned.nameSpaces)
  if (deviceSigned.signature !== undefined) {
    const message = deviceMessageOf(deviceSigned.signature)
    if (message.payload !== undefined || !isFitFor(message, key)) return undefined
    return { member: 'deviceSignature', message, payload, key }
  }
  const { transcript, readerKey } = session
  if (deviceSigned.mac === undefined || !readerKey || curveOf(readerKey) !== curveOf(key)) return undefined
  const message = deviceMessageOf(deviceSigned.mac)
  if (message.protected.get(HEADER.alg) !== HS256) return undefined
  const macKey = macKeyOf(key, readerKey, transcript)
  return macKey && { member: 'deviceMac', message, payload, key: macKey }
}
