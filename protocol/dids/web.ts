import { Refusal } from '../errors.ts'
import { isHostName } from '../hosts/names.ts'
import { parseDid } from './syntax.ts'

/** The parts of a did:web: its host in lower-case ASCII, its port unless 443, its path segments. */
export interface WebDid {
  did: string
  host: string
  port: number | undefined
  /** Path segments as in the DID and in the URL, percent-encoded. */
  path: string[]
  /** URL of the DID document. */
  url: string
}

const MAX_URL = 2048
/**
 * Of a DID of ours: percent-encoding makes it up to nine times as long as what was sent. With the fragment of a key, and as
 * the address of its document, it keeps below 2,048 characters, which readers take (document.ts).
 */
const MAX_DID = 2000

const invalid = (what: string) =>
  new Refusal(
    'did.invalid_url',
    `The URL cannot become a did:web: ${what}. Send a domain such as issuer.example, or an https URL.`,
  )

/** Some servers read `%2F`, `%5C`, `%2E` and encoded control characters in another way than we do. */
const AMBIGUOUS = /%(2f|5c|2e|25|3f|23|[01][0-9a-f]|7f)/i

function checkSegment(segment: string): string {
  if (segment === '') throw invalid('the path has an empty segment')
  if (segment === '.' || segment === '..') throw invalid('the path has a dot segment')
  if (AMBIGUOUS.test(segment)) throw invalid('the path has an encoded separator, dot or control character')
  return segment
}

/** A server that decodes the path, as ours, refuses what is no UTF-8: nobody could read the document (D-1215). */
function checkEncoding(segment: string): string {
  try {
    decodeURIComponent(segment)
    return segment
  } catch (error) {
    if (error instanceof URIError) throw invalid('the path has percent-encoding that is not UTF-8')
    throw error
  }
}

/** Path segments of a URL as idchars (DID Core 1.0, section 3.1): everything else is percent-encoded. */
const toIdChars = (segment: string) =>
  segment.replace(/%[0-9a-fA-F]{2}|[^A-Za-z0-9._-]/g, (part) =>
    (part.length === 3 ? part : `%${part.charCodeAt(0).toString(16).padStart(2, '0')}`).toUpperCase(),
  )

/**
 * Returns the did:web of a domain (`issuer.example`, `issuer.example/users/7`) or an https URL. Host names are
 * normalised as in browsers (lower case, IDN to ASCII). Throws `Refusal('did.invalid_url')` for IP addresses, user
 * info, query, fragment, dot and empty segments, and for a DID that would be too long.
 */
export function webDidFromUrl(text: string): WebDid {
  if (text.length > MAX_URL) throw invalid(`it is longer than ${MAX_URL} characters`)
  // refused before parsing: WHATWG URL drops tabs and newlines, and reads a backslash as a slash
  if (/[\p{Cc}\p{Cf}\p{Z}\\@?#]/u.test(text))
    throw invalid('it has a space, control character, backslash, user info, query or fragment')
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
  if (hasScheme && !/^https:\/\/[^/]/i.test(text)) throw invalid('the scheme is not https')
  const raw = (hasScheme ? text.slice('https://'.length) : text).replace(/\/$/, '')
  const [authority = '', ...segments] = raw.split('/')
  if (authority.includes('%') || !URL.canParse(`https://${authority}`)) throw invalid('the host is not valid')
  const { hostname, port } = new URL(`https://${authority}`)
  if (!isHostName(hostname)) throw invalid('the host is an IP address or not a domain name')
  if (port === '0') throw invalid('the port is 0')
  // the URL of a document: as a path of the DID it would name another document
  if (segments.at(-1) === 'did.json' || segments.at(-1) === '.well-known')
    throw invalid('the path ends with did.json or .well-known; leave them out')
  const path = segments.map(checkSegment).map((segment) => new URL(`https://h/${segment}`).pathname.slice(1))
  const web = describe(
    hostname,
    port === '' ? undefined : Number(port),
    path.map(toIdChars).map(checkSegment).map(checkEncoding),
  )
  if (web.did.length > MAX_DID) throw invalid(`the DID would be longer than ${MAX_DID} characters`)
  return web
}

function describe(host: string, port: number | undefined, path: string[]): WebDid {
  const authority = port === undefined ? host : `${host}:${port}`
  return {
    did: ['did:web', authority.replace(':', '%3A'), ...path].join(':'),
    host,
    port,
    path,
    url: `https://${authority}/${path.length === 0 ? '.well-known' : path.join('/')}/did.json`,
  }
}

/**
 * Returns the parts of a did:web, with the URL of its document (did:web draft, Read). `did` of the result is the normal
 * form: the host in lower case, without `%3A443`. Throws `Refusal('did.invalid')`.
 */
export function parseWebDid(did: string): WebDid {
  const { method, identifier } = parseDid(did)
  const refuse = (what: string) => new Refusal('did.invalid', `Not a did:web: ${what}.`)
  if (method !== 'web') throw new Refusal('did.method_unsupported', `did:${method} is not did:web.`)
  const [authority = '', ...path] = identifier.split(':')
  const match = /^([A-Za-z0-9.-]+)(?:%3[Aa]([1-9][0-9]{0,4}))?$/.exec(authority)
  const host = match?.[1]?.toLowerCase() ?? ''
  const port = match?.[2] === undefined ? undefined : Number(match[2])
  // the URL parser recognises addresses: it reads `127.1` and `2130706433` as IPv4
  if (!URL.canParse(`https://${host}`) || new URL(`https://${host}`).hostname !== host || !isHostName(host)) {
    throw refuse('the host is an IP address or not a domain name')
  }
  if (port !== undefined && port > 65_535) throw refuse('the port is above 65535')
  try {
    return describe(host, port === 443 ? undefined : port, path.map(checkSegment))
  } catch (error) {
    throw error instanceof Refusal ? refuse('its path has an empty, dot or ambiguous segment') : error
  }
}
