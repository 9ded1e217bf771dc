import { hash } from 'node:crypto'
import { fromBase64url } from '../base64url.ts'
import { hasUnreadable } from '../json.depth.ts'
import { jsonShape, repeatedName } from '../json.members.ts'
import { type CheckName, faulty } from './faults.ts'

/** Names with a meaning of their own in an SD-JWT (RFC 9901, sections 4.1.1 and 4.2.4). */
export const DIGESTS = '_sd'
export const ELEMENT = '...'
export const ALGORITHM = '_sd_alg'
export const RESERVED_NAMES: ReadonlySet<string> = new Set([DIGESTS, ELEMENT, ALGORITHM])

/** Hash algorithms by their names of IANA (RFC 9901, section 4.1.1), with those of node:crypto. */
const HASHES = { 'sha-256': 'sha256', 'sha-384': 'sha384', 'sha-512': 'sha512' } as const
export type HashAlgorithm = keyof typeof HASHES
export const HASH_ALGORITHMS = Object.keys(HASHES) as HashAlgorithm[]

export const isHashAlgorithm = (name: unknown): name is HashAlgorithm =>
  typeof name === 'string' && Object.hasOwn(HASHES, name)

/** Digest of a disclosure, or of a presentation, over its text (RFC 9901, sections 4.2.3 and 4.3.1). */
export const digestOf = (text: string, algorithm: HashAlgorithm): string => hash(HASHES[algorithm], text, 'base64url')

/** A salted value, which its digest stands for; without `name` it is an element of an array. */
export interface Disclosure {
  salt: string
  name?: string
  value: unknown
  /** The text on the wire. */
  encoded: string
  digest: string
}

/** Bytes of a salt (RFC 9901, section 9.3). */
export const SALT_BYTES = 16

/** Returns random bytes, as node:crypto does. */
export type RandomBytes = (size: number) => Uint8Array

export const base64urlOf = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url')

/** Makes a disclosure (RFC 9901, sections 4.2.1 and 4.2.2). */
export function encodeDisclosure(
  { salt, name, value }: Pick<Disclosure, 'salt' | 'name' | 'value'>,
  algorithm: HashAlgorithm,
): Disclosure {
  const encoded = base64urlOf(JSON.stringify(name === undefined ? [salt, value] : [salt, name, value]))
  return { salt, ...(name !== undefined && { name }), value, encoded, digest: digestOf(encoded, algorithm) }
}

const refuse = (code: string, message: string) => faulty('Disclosures', code, message)

/** Deepest nesting of a disclosure and of the claims as a whole. */
export const MAX_DEPTH = 32
/** Values of one part before it is parsed, as of other envelopes (D-825). */
const MAX_VALUES = 25_000

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Their names are data (D-151); the others are read by their members, of which none may be `toString`. */
const OF_CLAIMS = ['jwt_payload', 'disclosure']

/** Parses JSON of others, each kind of fault with a code of its own. Throws `Faulty`. */
export function strictJson(bytes: Uint8Array, check: CheckName, what: string): unknown {
  let text: string
  let parsed: unknown
  try {
    text = UTF8.decode(bytes)
  } catch {
    throw faulty(check, `${what}_not_utf8`, `The ${what} is not UTF-8.`)
  }
  const { depth, values } = jsonShape(text)
  if (depth > MAX_DEPTH) throw faulty(check, `${what}_too_deep`, `The ${what} is nested too deep.`)
  if (values > MAX_VALUES)
    throw faulty(check, `${what}_too_many_values`, `The ${what} has more than ${MAX_VALUES} values.`)
  try {
    parsed = JSON.parse(text)
  } catch {
    throw faulty(check, `${what}_not_json`, `The ${what} is not JSON.`)
  }
  if (repeatedName(text) !== undefined)
    throw faulty(check, `${what}_member_repeated`, `The ${what} has a member twice.`)
  if (!OF_CLAIMS.includes(what) && hasUnreadable(text, parsed))
    throw faulty(check, `${what}_member_unsafe`, `The ${what} has a member toString.`)
  return parsed
}

/** Reads a disclosure of others (RFC 9901, section 4.2). Throws `Faulty`. */
export function readDisclosure(encoded: string, algorithm: HashAlgorithm): Disclosure {
  const bytes = fromBase64url(encoded)
  if (encoded === '') throw refuse('disclosure_empty', 'A disclosure is empty.')
  if (!bytes) throw refuse('disclosure_not_base64url', 'A disclosure is not base64url without padding.')
  const parts = strictJson(bytes, 'Disclosures', 'disclosure')
  if (!Array.isArray(parts)) throw refuse('disclosure_not_array', 'A disclosure is no array.')
  if (parts.length !== 2 && parts.length !== 3)
    throw refuse('disclosure_length', 'A disclosure has neither two nor three elements.')
  const [salt, name] = parts as unknown[]
  if (typeof salt !== 'string') throw refuse('disclosure_salt', 'The salt of a disclosure is not a text.')
  const digest = digestOf(encoded, algorithm)
  if (parts.length === 2) return { salt, value: parts[1], encoded, digest }
  if (typeof name !== 'string') throw refuse('disclosure_name', 'The claim name of a disclosure is not a text.')
  if (RESERVED_NAMES.has(name))
    throw refuse('disclosure_name_reserved', 'The claim name of a disclosure is _sd, _sd_alg or three dots.')
  return { salt, name, value: parts[2], encoded, digest }
}
