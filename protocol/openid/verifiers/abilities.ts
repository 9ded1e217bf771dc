import { CompactEncrypt, importJWK, type JWK } from 'jose'
import { fromJwk, isPrivateJwk, type PublicJwk } from '../../dids/jwk.ts'
import { Refusal } from '../../errors.ts'
import { parseJson } from '../../json.strict.ts'
import { isObject, type Json } from '../../json.ts'
import { ownMember } from '../../names.ts'

const MAX_NONCE = 512
const MAX_CHARACTERS = 32_768
const MAX_LIST = 50
const MAX_KEYS = 20
const MAX_TEXT = 255

const ALG = 'ECDH-ES'
/** How a request is encrypted, best first. */
const REQUEST_ENCRYPTIONS = ['A256GCM', 'A128GCM'] as const
/** Where a wallet does not say which it takes, as for encrypted answers (OpenID4VP 1.0, section 5.1). */
const USUAL_ENCRYPTION = 'A128GCM'
const CURVES: readonly unknown[] = ['P-256', 'P-384']

/** How the request of a wallet is encrypted for it. */
export interface RequestEncryption {
  jwk: JWK
  enc: (typeof REQUEST_ENCRYPTIONS)[number]
}

/** What a wallet says when it posts for its request; absent: it says nothing of it (OpenID4VP 1.0, section 5.10). */
export interface WalletAbilities {
  /** Is returned in the request object. */
  nonce?: string
  /** Of signed requests. */
  signingAlgorithms?: readonly string[]
  clientIdPrefixes?: readonly string[]
  /** Parameters of its formats, by their names. */
  formats?: ReadonlyMap<string, Json>
  /** Of its encrypted answers. */
  keyAgreements?: readonly string[]
  contentEncryptions?: readonly string[]
  encryption?: RequestEncryption
}

const METADATA = 'wallet_metadata'

const malformed = (path: string, code: string, message: string, cause?: unknown) =>
  new Refusal(
    'wallet_request.malformed',
    `The request cannot be read. ${path}: ${message}.`,
    [{ path, code, message }],
    {
      cause,
    },
  )

export const unsupported = (path: string, message: string) =>
  new Refusal('wallet_request.unsupported', `The wallet cannot take this request. ${path}: ${message}.`, [
    { path, code: 'unsupported', message },
  ])

const at = (name: string) => `${METADATA}.${name}`

/** A list of metadata; one without elements is none (RFC 8414, section 2). */
function textsIn(metadata: Json, name: string): string[] | undefined {
  const list = ownMember(metadata, name)
  if (list === undefined) return undefined
  const isText = (each: unknown) => typeof each === 'string' && each.length > 0 && each.length <= MAX_TEXT
  if (Array.isArray(list) && list.length > 0 && list.length <= MAX_LIST && list.every(isText)) return list
  throw malformed(at(name), 'list', `expected a list of 1 to ${MAX_LIST} texts`)
}

function formatsIn(metadata: Json): Map<string, Json> | undefined {
  const formats = ownMember(metadata, 'vp_formats_supported')
  if (formats === undefined) return undefined
  const path = at('vp_formats_supported')
  if (!isObject(formats)) throw malformed(path, 'object', 'expected an object of formats')
  const entries = Object.entries(formats).map(([name, parameters]): [string, Json] => {
    if (isObject(parameters)) return [name, parameters]
    throw malformed(path, 'object', 'expected each format with an object of its parameters')
  })
  return new Map(entries)
}

/** The public key, with the members that count; undefined for one of another kind. */
function readKey(jwk: unknown, path: string): JWK | undefined {
  if (!isObject(jwk)) throw malformed(path, 'jwk', 'expected a public key as JWK')
  if (isPrivateJwk(jwk)) throw malformed(path, 'private', 'expected a public key: this one is private')
  const { kty, crv, x, y, kid, alg = ALG } = jwk as PublicJwk
  if (kty !== 'EC' || !CURVES.includes(crv) || alg !== ALG) return undefined
  if (kid !== undefined && (typeof kid !== 'string' || kid === '' || kid.length > MAX_TEXT))
    throw malformed(`${path}.kid`, 'text', `expected 1 to ${MAX_TEXT} characters`)
  const point = { kty, crv: String(crv), x: String(x), y: String(y) }
  try {
    fromJwk(point)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw malformed(path, 'jwk', 'expected a point of the curve of the key', error)
  }
  return { ...point, alg, ...(typeof kid === 'string' && { kid }) }
}

/** Keys in the metadata are for the encryption of requests; those for signatures alone say so (section 5.10). */
function encryptionIn(metadata: Json): RequestEncryption | undefined {
  const algorithms = textsIn(metadata, 'request_object_encryption_alg_values_supported')
  const encryptions = textsIn(metadata, 'request_object_encryption_enc_values_supported')
  const jwks = ownMember(metadata, 'jwks')
  if (jwks === undefined) return undefined
  const path = at('jwks.keys')
  const keys = isObject(jwks) ? ownMember(jwks, 'keys') : undefined
  if (!Array.isArray(keys) || keys.length > MAX_KEYS)
    throw malformed(path, 'list', `expected a list of at most ${MAX_KEYS} keys`)
  const read = (keys as unknown[]).map((jwk, nth) => ({ use: Object(jwk).use, key: readKey(jwk, `${path}.${nth}`) }))
  const jwk = read.find(({ use, key }) => key && (use === undefined || use === 'enc'))?.key
  const isWanted = jwk !== undefined || read.some(({ use }) => use === 'enc')
  if (!isWanted) return undefined
  if (!jwk || (algorithms && !algorithms.includes(ALG)))
    throw unsupported(path, `requests are encrypted by ${ALG} to a key of ${CURVES.join(' or ')}`)
  const enc = encryptions ? REQUEST_ENCRYPTIONS.find((each) => encryptions.includes(each)) : USUAL_ENCRYPTION
  if (enc) return { jwk, enc }
  const name = 'request_object_encryption_enc_values_supported'
  throw unsupported(at(name), `requests are encrypted by ${REQUEST_ENCRYPTIONS.join(' or ')}`)
}

function metadataOf(text: string): Json {
  if (text.length > MAX_CHARACTERS)
    throw malformed(METADATA, 'length', `expected at most ${MAX_CHARACTERS} characters of JSON`)
  let metadata: unknown
  try {
    metadata = parseJson(text)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw malformed(METADATA, 'json', 'expected JSON without repeated members, of at most 64 levels', error)
  }
  if (isObject(metadata)) return metadata
  throw malformed(METADATA, 'object', 'expected a JSON object')
}

/**
 * Reads the form that a wallet posts for its request; parameters that the standard does not have are ignored. Throws
 * `wallet_request.malformed`, and `.unsupported` where the request cannot be encrypted as the wallet wants.
 */
export function readAbilities({ wallet_nonce: nonce, wallet_metadata: text }: Json): WalletAbilities {
  if (nonce !== undefined && !(typeof nonce === 'string' && nonce.length <= MAX_NONCE && /^[\x20-\x7e]+$/.test(nonce)))
    throw malformed('wallet_nonce', 'text', `expected it once, of 1 to ${MAX_NONCE} printable ASCII characters`)
  const own = typeof nonce === 'string' ? { nonce } : {}
  if (text === undefined) return own
  if (typeof text !== 'string') throw malformed(METADATA, 'repeated', 'expected it once')
  const metadata = metadataOf(text)
  const known = {
    signingAlgorithms: textsIn(metadata, 'request_object_signing_alg_values_supported'),
    clientIdPrefixes: textsIn(metadata, 'client_id_prefixes_supported'),
    formats: formatsIn(metadata),
    keyAgreements: textsIn(metadata, 'authorization_encryption_alg_values_supported'),
    contentEncryptions: textsIn(metadata, 'authorization_encryption_enc_values_supported'),
    encryption: encryptionIn(metadata),
  }
  const said = Object.entries(known).filter(([, value]) => value !== undefined)
  return { ...own, ...Object.fromEntries(said) }
}

/**
 * A signed request as a nested JWT, for the wallet alone (RFC 9101, section 6.1). Throws `wallet_request.malformed` for a
 * key that nothing can be encrypted to.
 */
export async function encryptRequest(jwt: string, { jwk, enc }: RequestEncryption): Promise<string> {
  const header = { alg: ALG, enc, cty: 'JWT', ...(jwk.kid !== undefined && { kid: jwk.kid }) }
  try {
    return await new CompactEncrypt(Buffer.from(jwt)).setProtectedHeader(header).encrypt(await importJWK(jwk, ALG))
  } catch (error) {
    // all but the key is the platform's own
    throw malformed(at('jwks.keys'), 'jwk', 'expected a key that the request can be encrypted to', error)
  }
}
