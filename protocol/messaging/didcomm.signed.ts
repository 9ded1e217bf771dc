import { createPublicKey, verify } from 'node:crypto'
import { fromBase64url } from '../base64url.ts'
import { verificationKey, verifySignature } from '../data-integrity/keys.ts'
import { type DidDocument, parseDidUrl, toJwk, type VerificationMethod } from '../dids/index.ts'
import { usableMethod } from '../dids/usable.ts'
import { parseForeignJson } from '../json.depth.ts'
import { isObject, type Json } from '../json.ts'
import { jwsAlgorithm, jwsSigningInput } from '../jws.ts'
import type { Clock } from '../time.ts'
import { type DidcommMessage, invalidMessage, isMediaType, MEDIA_TYPES } from './didcomm.message.ts'

/** JWS in general JSON serialization (RFC 7515, section 7.2.1). */
export interface GeneralJws {
  payload: string
  signatures: { protected: string; signature: string; header: { kid: string } }[]
}

/** A key of the tenant that signs where it is kept. */
export interface MessageSigner {
  /** DID URL of a key under `authentication`. */
  verificationMethod: string
  keyType: string
  sign(data: Uint8Array): Promise<Uint8Array>
}

/** Signs a message (DIDComm v2, Message Signing). */
export async function signMessage(message: DidcommMessage, signer: MessageSigner): Promise<GeneralJws> {
  const header = { typ: MEDIA_TYPES.signed, alg: jwsAlgorithm(signer.keyType) }
  const input = jwsSigningInput(header, message)
  const [protectedText = '', payload = ''] = input.split('.')
  const signature = Buffer.from(await signer.sign(Buffer.from(input))).toString('base64url')
  return { payload, signatures: [{ protected: protectedText, signature, header: { kid: signer.verificationMethod } }] }
}

/** Algorithms of DIDComm v2 (Message Signing, Algorithms) by the type of the key. */
const ALGORITHMS: Partial<Record<string, string>> = { ed25519: 'EdDSA', p256: 'ES256', secp256k1: 'ES256K' }

function isSignedBy(method: VerificationMethod, alg: unknown, data: Uint8Array, signature: Uint8Array): boolean {
  const key = verificationKey(method)
  if (typeof alg !== 'string' || ALGORITHMS[key.keyType] !== alg) return false
  if (alg !== 'ES256K') return verifySignature(key, data, signature)
  const publicKey = createPublicKey({ key: { ...toJwk(key) }, format: 'jwk' })
  return signature.length === 64 && verify('sha256', data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)
}

const bytesOf = (value: unknown, path: string): Uint8Array => {
  const bytes = typeof value === 'string' ? fromBase64url(value) : undefined
  if (bytes === undefined) throw invalidMessage('base64url without padding', path)
  return bytes
}

/** The one signature: only that of the message's sender is valid (DIDComm v2, Message Signing, Construction). */
function signatureOf(jws: Json): Json {
  if (jws.signatures === undefined) return jws
  const signatures = jws.signatures
  const only: unknown = Array.isArray(signatures) && signatures.length === 1 ? signatures[0] : undefined
  if (!isObject(only)) throw invalidMessage('one signature', 'signatures')
  return only
}

export interface Verified {
  payload: Uint8Array
  /** DID URL of the key that signed. */
  kid: string
}

/**
 * Verifies a signed message in general or flattened serialization: by a key that the signer's DID document lists under
 * `authentication`. Throws `Refusal('didcomm.invalid')`, or what `resolve` throws.
 */
export async function verifyMessage(
  jws: Json,
  resolve: (did: string) => Promise<DidDocument>,
  clock: Clock,
): Promise<Verified> {
  const own = signatureOf(jws)
  const header = parseForeignJson(bytesOf(own.protected, 'protected'), { code: 'didcomm.invalid', maxDepth: 8 })
  if (!isObject(header)) throw invalidMessage('an object in base64url', 'protected')
  if (header.crit !== undefined) throw invalidMessage('no crit', 'protected')
  if (header.typ !== undefined && !isMediaType(header.typ, MEDIA_TYPES.signed))
    throw invalidMessage(`typ ${MEDIA_TYPES.signed}`, 'protected')
  const shared = isObject(own.header) ? own.header : {}
  if (Object.keys(shared).some((name) => Object.hasOwn(header, name)))
    throw invalidMessage('each parameter in one place', 'header')
  const kid = header.kid ?? shared.kid
  if (typeof kid !== 'string') throw invalidMessage('a kid: the DID URL of the key', 'header')
  const document = await resolve(parseDidUrl(kid).did)
  const { method, fault } = usableMethod(document, kid, 'authentication', clock)
  const payload = bytesOf(jws.payload, 'payload')
  const input = Buffer.from(`${String(own.protected)}.${String(jws.payload)}`)
  if (fault || !isSignedBy(method, header.alg, input, bytesOf(own.signature, 'signature')))
    throw invalidMessage(
      'the signature of a key that the DID document of the sender lists under authentication',
      'signature',
    )
  return { payload, kid }
}
