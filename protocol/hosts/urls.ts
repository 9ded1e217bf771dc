import { isIP } from 'node:net'
import { parse } from 'tldts'
import { asciiHost, isHostName } from './names.ts'

const MAX_URL = 2048

/** What a URL may be, beyond an https URL with a public host name. */
export interface UrlTerms {
  /** http and hosts of this machine will do as well: for local trials. */
  allowPrivate?: boolean
  query?: 'refuse' | 'keep'
  fragment?: 'refuse' | 'drop'
  port?: 'keep' | 'drop'
}

/** The first rule that a URL breaks, and what is wrong with the URL. */
export interface UrlFault {
  rule: string
  message: string
}

/** The host as it was written, between `//` and the first character that ends it; undefined: it has none. */
const writtenHost = (text: string): string | undefined =>
  /^https?:\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]+)/i.exec(text)?.[1]

const fault = (rule: string, message: string): UrlFault => ({ rule, message })

/** Whether the host is a name that can be called; without `allowPrivate`, below a suffix of others. */
function hostFault(written: string, name: string, allowPrivate: boolean): UrlFault | undefined {
  if (name.startsWith('[') || isIP(name) !== 0) return fault('address', 'its host is an IP address')
  if (asciiHost(written) !== name || !isHostName(name)) return fault('host', 'its host is not a host name')
  if (allowPrivate) return undefined
  if (!name.includes('.') || name.endsWith('.localhost'))
    return fault('not_public', 'its host is not a public host name')
  // suffixes of hosters too, below which others have their hosts (Public Suffix List, private section)
  if (parse(name, { allowPrivateDomains: true }).publicSuffix === name)
    return fault('public_suffix', 'its host is a public suffix, below which anybody can have a host')
  return undefined
}

/**
 * Characters that no URL is written with (RFC 3986, section 2), though the parser of WHATWG reads them: pages and headers
 * that repeat the URL could take them for their own.
 */
export const NOT_OF_URLS = /[\s"<>\\^`{|}]/

/**
 * Checks a URL that the platform will call, and returns it as it is called: host in ASCII and lower case, no usual port.
 * Does not query DNS: the address of the host is checked at each call.
 */
export function readCalledUrl(text: string, terms: UrlTerms = {}): { url: string } | { fault: UrlFault } {
  const { allowPrivate = false, query = 'refuse', fragment = 'refuse', port = 'keep' } = terms
  const broken = (rule: string, message: string) => ({ fault: fault(rule, message) })
  if (text.length > MAX_URL) return broken('length', `it is longer than ${MAX_URL} characters`)
  if (/[\p{Cc}\p{Cf}\p{Z}\\]/u.test(text))
    return broken('characters', 'it contains a space, a control character or a backslash')
  if (!URL.canParse(text)) return broken('url', 'it is not a valid URL')
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
    return broken('https', 'it does not begin with https://')
  const host = writtenHost(text)
  if (host === undefined) return broken('url', 'it is not a valid URL')
  if (/^https?:\/\/[^/?#]*@/i.test(text)) return broken('user_info', 'it contains user info before its host')
  if (fragment === 'refuse' && text.includes('#')) return broken('fragment', 'it contains a fragment')
  url.hash = ''
  if (query === 'refuse' && text.split('#', 1)[0]?.includes('?')) return broken('query', 'it contains query parameters')
  const found = hostFault(host, url.hostname, allowPrivate)
  if (found) return { fault: found }
  if (port === 'drop') url.port = ''
  if (url.href.length > MAX_URL) return broken('length', `it is longer than ${MAX_URL} characters in ASCII`)
  return { url: url.href }
}
