import { fromBase64url } from '../base64url.ts'
import { Refusal } from '../errors.ts'
import { parseForeignJson } from '../json.depth.ts'
import { MAX_VALUES } from '../json.strict.ts'
import { isObject, type Json } from '../json.ts'
import { type ContentName, isContentName } from './jwe.content.ts'

/** General JSON serialization (RFC 7516, section 7.2.1). */
export interface GeneralJwe {
  protected: string
  unprotected?: Json
  recipients: { header?: Json; encrypted_key?: string }[]
  aad?: string
  iv: string
  ciphertext: string
  tag: string
}

/** A JWE whose form is checked, and which nobody has opened yet. */
export interface ReadJwe {
  /** The protected header. */
  header: Json
  enc: ContentName
  /** `joint`: all header parameters that hold for the recipient (RFC 7516, section 4). */
  recipients: { joint: Json; encryptedKey: Uint8Array }[]
  iv: Uint8Array
  ciphertext: Uint8Array
  tag: Uint8Array
  /** What the tag authenticates beside the ciphertext. */
  additionalData: Uint8Array
}

/** Each recipient costs a look for its key, and each of ours two key agreements. */
export const MAX_RECIPIENTS = 100
/** Of a plaintext, also of one that was compressed. */
export const MAX_PLAINTEXT_BYTES = 1024 * 1024
const MAX_TEXT = 2 * MAX_PLAINTEXT_BYTES
const MAX_HEADER_TEXT = 16 * 1024
const MAX_KEY_TEXT = 1024
const MAX_DEPTH = 16
/** Of one header: those of all three places are joined for each recipient. RFC 7516 has 13. */
const MAX_PARAMETERS = 64

const EXPECTED =
  'The JWE cannot be decrypted. It must be intact, encrypted to a key agreement key of one of your DIDs, by ECDH-1PU+A256KW or ECDH-ES, for at most 100 recipients.'

/**
 * The one refusal of a JWE that does not open: its caller does not learn which check failed, so that nobody can try out
 * keys or ciphertexts (D-379). `reason` is for the log.
 */
export const undecryptable = (reason: string, cause?: unknown): Refusal =>
  new Refusal('jwe.undecryptable', EXPECTED, [], { cause: new Error(reason, { cause }) })

/** Runs a check whose refusals say too much. */
export function hidden<Result>(reason: string, check: () => Result): Result {
  try {
    return check()
  } catch (error) {
    if (error instanceof Refusal) throw undecryptable(reason, error)
    throw error
  }
}

const parsed = (bytes: Uint8Array, reason: string): unknown =>
  hidden(reason, () =>
    parseForeignJson(bytes, { code: 'jwe.undecryptable', maxDepth: MAX_DEPTH, maxValues: MAX_VALUES }),
  )

/** The bytes of a base64url member (RFC 7515, section 2). */
export function bytesOf(value: unknown, name: string, maxText: number): Uint8Array {
  const bytes = typeof value === 'string' && value.length <= maxText ? fromBase64url(value) : undefined
  if (bytes === undefined) throw undecryptable(`${name} is not base64url, or too long`)
  return bytes
}

function compactMembers(text: string): Json {
  const [header, encryptedKey, iv, ciphertext, tag, ...more] = text.split('.', 6)
  if (tag === undefined || more.length > 0) throw undecryptable('not five parts')
  return { protected: header, recipients: [{ encrypted_key: encryptedKey }], iv, ciphertext, tag }
}

/** A JWE of text is JSON or compact (RFC 7516, section 7.1). */
function membersOf(jwe: unknown): Json {
  if (typeof jwe === 'string') {
    if (jwe.length > MAX_TEXT) throw undecryptable('too long')
    const members = jwe.trimStart().startsWith('{') ? parsed(Buffer.from(jwe), 'not JSON') : compactMembers(jwe)
    if (isObject(members)) return members
  }
  if (isObject(jwe)) return jwe
  throw undecryptable('neither text nor an object')
}

/** The recipients; of the flattened serialization (section 7.2.2) the one. */
function recipientsOf(members: Json): Json[] {
  const flattened = { encrypted_key: members.encrypted_key, header: members.header }
  const isFlattened = members.recipients === undefined
  if (!isFlattened && (members.encrypted_key !== undefined || members.header !== undefined))
    throw undecryptable('both serializations')
  const recipients: unknown = isFlattened ? [flattened] : members.recipients
  if (!Array.isArray(recipients) || recipients.length === 0) throw undecryptable('no recipients')
  if (recipients.length > MAX_RECIPIENTS) throw undecryptable('too many recipients')
  return recipients.map((recipient: unknown) => {
    if (!isObject(recipient)) throw undecryptable('a recipient is no object')
    return recipient
  })
}

function headerOf(value: unknown, name: string): Json {
  if (value === undefined) return {}
  if (!isObject(value)) throw undecryptable(`${name} is no object`)
  if (Object.keys(value).length > MAX_PARAMETERS) throw undecryptable(`${name} has too many parameters`)
  return value
}

/** Header parameters are in one of the three places, and in each place once (RFC 7516, section 7.2.1). */
function joined(...headers: Json[]): Json {
  const entries = headers.flatMap((header) => Object.entries(header))
  if (new Set(entries.map(([name]) => name)).size < entries.length)
    throw undecryptable('a header parameter is in two places')
  return Object.fromEntries(entries)
}

/** The general serialization of text or of an object in any serialization. Throws the one refusal. */
export function generalOf(jwe: unknown): Json & { recipients: Json[] } {
  const members = membersOf(jwe)
  const { encrypted_key: _key, header: _header, ...general } = members
  return { ...general, recipients: recipientsOf(members) }
}

/** Checks the form of a JWE in general serialization. Throws the one refusal. */
export function readJwe(jwe: Json & { recipients: Json[] }): ReadJwe {
  const inside = parsed(bytesOf(jwe.protected, 'protected', MAX_HEADER_TEXT), 'the protected header is not JSON')
  if (!isObject(inside)) throw undecryptable('the protected header is no object')
  const header = headerOf(inside, 'protected')
  const shared = headerOf(jwe.unprotected, 'unprotected')
  const { enc, zip } = header
  // in the protected header, or else anyone could choose another cipher for the same key
  if (!isContentName(enc)) throw undecryptable('enc is not protected or not supported')
  if (zip !== undefined && zip !== 'DEF') throw undecryptable('zip is not supported')
  const recipients = jwe.recipients.map((recipient) => {
    const own = headerOf(recipient.header, 'header')
    const joint = joined(header, shared, own)
    if (joint.crit !== undefined) throw undecryptable('crit: there is no extension that we understand')
    if (joint.zip !== zip) throw undecryptable('zip is not protected')
    const encryptedKey = bytesOf(recipient.encrypted_key ?? '', 'encrypted_key', MAX_KEY_TEXT)
    return { joint, encryptedKey }
  })
  if (jwe.aad !== undefined) bytesOf(jwe.aad, 'aad', MAX_TEXT)
  const aad = jwe.aad === undefined ? '' : `.${String(jwe.aad)}`
  return {
    header,
    enc,
    recipients,
    iv: bytesOf(jwe.iv, 'iv', 64),
    ciphertext: bytesOf(jwe.ciphertext, 'ciphertext', MAX_TEXT),
    tag: bytesOf(jwe.tag, 'tag', 128),
    additionalData: Buffer.from(`${String(jwe.protected)}${aad}`),
  }
}
