import { CompactEncrypt, compactDecrypt, decodeProtectedHeader, importJWK, type JWK } from 'jose'
import { fromJwk, isPrivateJwk, type PublicJwk } from '../../dids/jwk.ts'
import { type FieldError, Refusal } from '../../errors.ts'
import { parseJson } from '../../json.strict.ts'
import { isObject, type Json } from '../../json.ts'
import { walletRefusal } from './refusals.ts'

/** ECDH-ES with the key of the other side alone: of the algorithms for P-256, the one without a key to wrap. */
export const KEY_AGREEMENT = 'ECDH-ES'
export const CONTENT_ENCRYPTION = ['A128GCM', 'A256GCM'] as const
export const COMPRESSION = ['DEF'] as const

const CURVES: readonly unknown[] = ['P-256', 'P-384']
const MAX_KID = 200
/** Of a request: an attestation of each of its keys fits. A small JWE that unpacks to more is refused. */
const MAX_BYTES = 256 * 1024

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** How a wallet wants its answer. */
export interface ResponseEncryption {
  jwk: JWK
  enc: (typeof CONTENT_ENCRYPTION)[number]
  zip?: (typeof COMPRESSION)[number]
}

export const badEncryption = (message: string, errors: FieldError[] = [], cause?: unknown): Refusal =>
  walletRefusal('invalid_encryption_parameters', message, errors, { cause })

const AT = 'credential_response_encryption'

const refuse = (member: string, rule: string, message: string, cause?: unknown) =>
  badEncryption(
    `${AT} is not valid: ${message}.`,
    [{ path: member === '' ? AT : `${AT}.${member}`, code: rule, message }],
    cause,
  )

const oneOf = <Value extends string>(known: readonly Value[], value: unknown, member: string): Value => {
  const found = known.find((each) => each === value)
  if (found === undefined) throw refuse(member, 'choice', `expected ${known.join(' or ')} as ${member}`)
  return found
}

/** The public key of the wallet, with the members that count; the point is one of its curve. */
function readKey(jwk: unknown, outside: unknown): JWK {
  if (!isObject(jwk)) throw refuse('jwk', 'jwk', 'expected a public key as jwk')
  if (isPrivateJwk(jwk)) throw refuse('jwk', 'private', 'expected a public key: this one is private')
  const { kty, crv, x, y, kid, use, alg = outside } = jwk as PublicJwk
  if (kty !== 'EC' || !CURVES.includes(crv)) throw refuse('jwk', 'jwk', `expected a key of ${CURVES.join(' or ')}`)
  if (alg !== KEY_AGREEMENT) throw refuse('jwk.alg', 'choice', `expected ${KEY_AGREEMENT} as alg of the key`)
  // drafts had it beside the key
  if (outside !== undefined && outside !== alg) throw refuse('alg', 'choice', 'expected the alg of the key')
  if (use !== undefined && use !== 'enc') throw refuse('jwk.use', 'choice', 'expected a key for encryption')
  if (kid !== undefined && (typeof kid !== 'string' || kid === '' || kid.length > MAX_KID))
    throw refuse('jwk.kid', 'length', `expected 1 to ${MAX_KID} characters`)
  try {
    fromJwk({ kty, ...(crv !== undefined && { crv }), ...(x !== undefined && { x }), ...(y !== undefined && { y }) })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw refuse('jwk', 'jwk', 'expected a point of the curve of the key', error)
  }
  return { kty, crv: String(crv), x: String(x), y: String(y), alg, ...(kid !== undefined && { kid }) }
}

/**
 * Reads `credential_response_encryption` (OpenID4VCI 1.0, section 8.2); undefined where the wallet wants none. Throws
 * `wallet.invalid_encryption_parameters`.
 */
export function readResponseEncryption(given: unknown): ResponseEncryption | undefined {
  if (given === undefined || given === null) return undefined
  if (!isObject(given)) throw refuse('', 'type', 'expected an object with jwk and enc')
  const { jwk, alg, enc, zip } = given
  return {
    jwk: readKey(jwk, alg),
    enc: oneOf(CONTENT_ENCRYPTION, enc, 'enc'),
    ...(zip !== undefined && { zip: oneOf(COMPRESSION, zip, 'zip') }),
  }
}

/** The content of an answer as a JWE for the wallet (section 10). */
export async function encryptResponse(content: Json, { jwk, enc, zip }: ResponseEncryption): Promise<string> {
  const { kid } = jwk
  const header = { alg: KEY_AGREEMENT, enc, ...(zip && { zip }), ...(kid !== undefined && { kid }) }
  return new CompactEncrypt(Buffer.from(JSON.stringify(content)))
    .setProtectedHeader(header)
    .encrypt(await importJWK(jwk, KEY_AGREEMENT))
}

/** One refusal for all, so that nobody learns by them what is in a JWE. */
const unreadable = (cause?: unknown) =>
  badEncryption(
    `The encrypted request cannot be read: expected a JWE by ${KEY_AGREEMENT} for a key of credential_request_encryption, with ${CONTENT_ENCRYPTION.join(' or ')}, of at most ${MAX_BYTES / 1024} KiB.`,
    [],
    cause,
  )

/** `keyOf` returns the private key of a `kid`. Throws `wallet.invalid_encryption_parameters`, `request.*`. */
export async function decryptRequest(jwe: string, keyOf: (kid: string) => JWK | undefined): Promise<Json> {
  if (jwe.length > 2 * MAX_BYTES) throw unreadable()
  let text: string
  try {
    const { kid } = decodeProtectedHeader(jwe)
    const key = typeof kid === 'string' ? keyOf(kid) : undefined
    if (!key) throw unreadable()
    const opened = await compactDecrypt(jwe, await importJWK(key, KEY_AGREEMENT), {
      keyManagementAlgorithms: [KEY_AGREEMENT],
      contentEncryptionAlgorithms: [...CONTENT_ENCRYPTION],
      maxDecompressedLength: MAX_BYTES,
    })
    if (opened.plaintext.byteLength > MAX_BYTES) throw unreadable()
    text = utf8.decode(opened.plaintext)
  } catch (error) {
    throw error instanceof Refusal ? error : unreadable(error)
  }
  const content = parseJson(text)
  if (!isObject(content)) throw unreadable()
  return content
}
