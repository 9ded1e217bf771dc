import { type VerificationKey, verificationKey, verifySignature } from '../data-integrity/keys.ts'
import { type DidDocument, type PublicJwk, parseDidUrl, type Relationship, toJwk } from '../dids/index.ts'
import { usableMethod } from '../dids/usable.ts'
import { Refusal } from '../errors.ts'
import { parseForeignJson } from '../json.depth.ts'
import { isObject } from '../json.ts'
import { type JwsHeader, parseCompactJws } from '../jws.ts'
import { tableOf } from '../names.ts'
import type { Clock } from '../time.ts'
import { contentOf } from './payload.ts'

/** The type of key of each algorithm (RFC 8037, section 3.1; RFC 9864, section 2.2; RFC 7518, section 3.4). */
const ALGORITHMS = tableOf({ EdDSA: 'ed25519', Ed25519: 'ed25519', ES256: 'p256', ES384: 'p384' })

const NAMES = [...ALGORITHMS.keys()].join(', ')

/** Types of keys that sign messages. */
export const SIGNING_KEYS: readonly string[] = ['ed25519', 'p256']

/** The protected header of a message, and its bytes. */
export function messageToSign(payload: unknown, alg: JwsHeader['alg'], kid: string) {
  const { cty, bytes } = contentOf(payload)
  const header: JwsHeader = { alg, typ: 'JOSE', cty, kid }
  return { header, bytes }
}

/** Throws the refusal of a JWS: the broken rule, what is wrong, and what was expected. */
export type RefuseJws = (rule: string, what: string, expected: string) => never

/** A compact JWS whose kid is a DID URL. The signature is not verified. */
export interface SignedMessage {
  did: string
  /** The `kid`. */
  didUrl: string
  /** The type of key that the algorithm needs. */
  keyType: string
  header: Record<string, unknown>
  payload: Uint8Array
  /** What the signature covers. */
  signingInput: string
  signature: Uint8Array
}

function headerOf(part: string, refuse: RefuseJws): Record<string, unknown> {
  try {
    const header = parseForeignJson(Buffer.from(part, 'base64url'), { code: 'jws.invalid', maxDepth: 16 })
    if (isObject(header)) return header
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
  return refuse('header', 'its header is not a JSON object with each name once', 'expected a JSON object as header')
}

function signerIn(kid: unknown, refuse: RefuseJws): { did: string; didUrl: string } {
  const expected = 'expected kid to be the DID URL of the key, such as did:web:issuer.example#key-1'
  if (typeof kid !== 'string') return refuse('kid', 'its header has no kid', expected)
  try {
    const { did, path, query, fragment } = parseDidUrl(kid)
    if (path === '' && query === '' && fragment) return { did, didUrl: kid }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
  return refuse('kid', 'its kid is not the DID URL of a key', expected)
}

/** What is not read: detached content, the JSON serializations, critical and unencoded parameters (RFC 7797). */
function refuseForms(parts: string[], refuse: RefuseJws): void {
  const compact = 'expected the compact serialization: three parts of base64url, joined by dots'
  if (parts[0]?.trimStart().startsWith('{')) refuse('serialization', 'it is in a JSON serialization', compact)
  if (parts.length === 5) refuse('parts', 'it has five parts, as an encrypted message (JWE) has', compact)
  if (parts.length !== 3) refuse('parts', `it has ${parts.length} parts`, compact)
  if (parts[1] === '') refuse('detached', 'its payload is detached or empty', 'expected the payload in the JWS')
}

function refuseHeader(header: Record<string, unknown>, refuse: RefuseJws): string {
  const { alg, crit, b64 } = header
  if (crit !== undefined) refuse('crit', 'its header has critical parameters', 'expected a header without crit')
  if (b64 !== undefined && b64 !== true) refuse('b64', 'its payload is not encoded', 'expected a header without b64')
  const keyType = typeof alg === 'string' ? ALGORITHMS.get(alg) : undefined
  return keyType ?? refuse('alg', 'its algorithm is not supported', `expected alg to be one of ${NAMES}`)
}

/** Reads a compact JWS (RFC 7515, section 7.1) that a key of a DID signed. Throws what `refuse` throws. */
export function readSignedMessage(text: string, refuse: RefuseJws): SignedMessage {
  const parts = text.split('.', 6)
  refuseForms(parts, refuse)
  const parsed = parseCompactJws(text)
  if (!parsed)
    return refuse(
      'base64url',
      'a part is not base64url, or the header is not JSON',
      'expected base64url without padding',
    )
  const header = headerOf(parts[0] ?? '', refuse)
  const keyType = refuseHeader(header, refuse)
  const { payload, signature } = parsed
  return {
    ...signerIn(header.kid, refuse),
    keyType,
    header,
    payload,
    signature,
    signingInput: text.slice(0, text.lastIndexOf('.')),
  }
}

export type SignatureErrorType =
  | 'DidUnresolvable'
  | 'KeyNotFound'
  | 'KeyNotAuthorized'
  | 'KeyUnfit'
  | 'SignatureInvalid'

export interface SignatureVerdict {
  verified: boolean
  /** Of the key that the DID document has under the kid, where the algorithm fits it. */
  publicJwk?: PublicJwk
  error?: { type: SignatureErrorType; message: string }
}

export interface SignatureRules extends Clock {
  /** The document must list the key under one of them. */
  purposes: readonly Relationship[]
  resolveDid(did: string): Promise<DidDocument>
}

const failed = (type: SignatureErrorType, message: string): SignatureVerdict => ({
  verified: false,
  error: { type, message },
})

/** Runs a step over a foreign document; a refusal of it is the verdict. */
async function orFailed<Value>(type: SignatureErrorType, step: () => Value | Promise<Value>) {
  try {
    return { value: await step() }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { verdict: failed(type, error.message) }
  }
}

/** Whether a key made the signature. */
export const isSignedBy = ({ signingInput, signature }: SignedMessage, key: VerificationKey): boolean =>
  verifySignature(key, Buffer.from(signingInput), signature)

/**
 * Verifies that the key which the kid names made the signature: the DID resolves, its document has the key for one of the
 * purposes, the key is one of the algorithm's. The verdict is about that DID alone.
 */
export async function verifySignedMessage(message: SignedMessage, rules: SignatureRules): Promise<SignatureVerdict> {
  const { did, didUrl, keyType } = message
  const resolved = await orFailed('DidUnresolvable', () => rules.resolveDid(did))
  if (resolved.verdict) return resolved.verdict
  const document = resolved.value
  const found = await orFailed('KeyNotFound', () =>
    rules.purposes.map((purpose) => usableMethod(document, didUrl, purpose, rules)),
  )
  if (found.verdict) return found.verdict
  const allowed = found.value.find(({ fault }) => fault?.code !== 'key_not_allowed')
  if (allowed?.fault) return failed('KeyNotAuthorized', allowed.fault.message)
  if (!allowed)
    return failed('KeyNotAuthorized', `The DID document does not list the key for ${rules.purposes.join(' or ')}.`)
  const read = await orFailed('KeyUnfit', () => verificationKey(allowed.method))
  if (read.verdict) return read.verdict
  const key = read.value
  if (key.keyType !== keyType) return failed('KeyUnfit', `The algorithm of the JWS is not one of ${key.keyType} keys.`)
  const publicJwk = toJwk(key)
  if (isSignedBy(message, key)) return { verified: true, publicJwk }
  return { ...failed('SignatureInvalid', 'The signature is not one of the key over this payload.'), publicJwk }
}
