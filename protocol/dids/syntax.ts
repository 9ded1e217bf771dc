import { Refusal } from '../errors.ts'

/** Longer DIDs are refused before any pattern is applied; the longest honest one, an RSA did:key, has about 1,450. */
const MAX_DID_URL = 4096

export interface Did {
  /** `did:method:identifier`, without path, query and fragment. */
  did: string
  method: string
  identifier: string
}

export interface DidUrl extends Did {
  /** Empty, or begins with `/`. */
  path: string
  /** Empty, or begins with `?`. */
  query: string
  /** Without `#`; undefined when the DID URL has none. */
  fragment: string | undefined
}

const invalid = (text: string) =>
  new Refusal('did.invalid', `Not a DID: ${JSON.stringify(text.slice(0, 100))}. Expected did:<method>:<identifier>.`)

/** DID Core 1.0, section 3.1 (DID) and 3.2 (DID URL); paths, queries and fragments are those of RFC 3986. */
const DID = /^did:([a-z0-9]{1,64}):((?:[A-Za-z0-9._:-]|%[0-9A-Fa-f]{2})+)/
const PATH = /^(?:\/(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})*)*/
const REST = /^(?:\/|[A-Za-z0-9._~!$&'()*+,;=:@?-]|%[0-9A-Fa-f]{2})*/

/** Splits a DID URL into its parts. Throws `Refusal('did.invalid')`. */
export function parseDidUrl(text: string): DidUrl {
  if (typeof text !== 'string') throw invalid(typeof text)
  if (text.length > MAX_DID_URL) throw invalid(text)
  const match = DID.exec(text)
  const [did, method, identifier] = match ?? []
  if (did === undefined || method === undefined || identifier === undefined || identifier.endsWith(':'))
    throw invalid(text)
  let rest = text.slice(did.length)
  const path = PATH.exec(rest)?.[0] ?? ''
  rest = rest.slice(path.length)
  const query = rest.startsWith('?') ? `?${REST.exec(rest.slice(1))?.[0] ?? ''}` : ''
  rest = rest.slice(query.length)
  const fragment = rest.startsWith('#') ? (REST.exec(rest.slice(1))?.[0] ?? '') : undefined
  if (rest.length !== (fragment === undefined ? 0 : fragment.length + 1)) throw invalid(text)
  return { did, method, identifier, path, query, fragment }
}

/** Parses a DID without path, query and fragment. Throws `Refusal('did.invalid')`. */
export function parseDid(text: string): Did {
  const { did, method, identifier } = parseDidUrl(text)
  if (did !== text) throw invalid(text)
  return { did, method, identifier }
}

export function isDid(text: unknown): text is string {
  // a refusal costs more than a look, and many texts that are none may be asked for
  if (typeof text !== 'string' || !text.startsWith('did:')) return false
  try {
    parseDid(text)
    return true
  } catch {
    return false
  }
}

/** Relative DID URLs (`#key-1`) in a document stand for that document's DID (DID Core 1.0, section 3.2.2). */
export const absoluteId = (did: string, id: string): string => (/^[#/?]/.test(id) ? did + id : id)
