import { isIP } from 'node:net'
import { parse } from 'tldts'
import type { OutboundConfig } from '../../../config.ts'
import { Refusal } from '../../../protocol/errors.ts'

export const MAX_URL = 2048

/**
 * Refused ports from 1024 up, which belong to databases, queues and control planes: they serve no documents, and are
 * targets of attackers. 443 is the only allowed port below 1024.
 */
const REFUSED_PORTS = new Set([
  1433, 1521, 1723, 2049, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 3659, 4045, 4222, 5060, 5061, 5432, 5672, 5984,
  5985, 5986, 6000, 6379, 6380, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6697, 7000, 7001, 7199, 7233, 8086, 8200,
  8500, 9042, 9092, 9160, 9200, 9300, 10080, 10250, 10255, 11211, 15672, 26379, 27017, 27018, 50000, 61616,
])

export interface OutboundTarget {
  url: URL
  /** Host name or, without brackets, address. */
  host: string
  isAddress: boolean
  port: number
  /** By TLS; a plain connection is for local trials alone. */
  isSecure: boolean
}

const refuse = (code: string, message: string): never => {
  throw new Refusal(`outbound.${code}`, message)
}

/**
 * The rules for every URL that we call, checked before and after WHATWG normalisation: https, a
 * registered name, no user info, an allowed port. The address of the name is checked at the
 * connection. `plainHttp`: an http URL will do. Throws `Refusal('outbound.invalid_url' | 'outbound.not_https' |
 * 'outbound.port')`.
 */
export function parseTarget(text: string, { plainHttp = false } = {}): OutboundTarget {
  if (text.length > MAX_URL) refuse('invalid_url', `The URL is longer than ${MAX_URL} characters.`)
  if (/[\p{Cc}\p{Z}\\]/u.test(text))
    refuse('invalid_url', 'The URL contains a space, a control character or a backslash.')
  if (!URL.canParse(text)) return refuse('invalid_url', 'The URL is not valid.')
  const url = new URL(text)
  const isSecure = url.protocol === 'https:'
  if (!isSecure && !(plainHttp && url.protocol === 'http:')) refuse('not_https', 'The URL is not an https URL.')
  if (!/^https?:\/\/[^/]/i.test(text)) refuse('invalid_url', 'The URL has no host.')
  if (url.username !== '' || url.password !== '' || /^https?:\/\/[^/?#]*@/i.test(text)) {
    refuse('invalid_url', 'The URL contains user info before its host.')
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (host === '' || host.endsWith('.') || host.length > 253) refuse('invalid_url', 'The host of the URL is not valid.')
  const usual = isSecure ? 443 : 80
  const port = url.port === '' ? usual : Number(url.port)
  if (port !== usual && (port < 1024 || REFUSED_PORTS.has(port)))
    refuse('port', `Port ${port} of the URL is not allowed: use 443.`)
  return { url, host, isAddress: isIP(host) !== 0, port, isSecure }
}

/** Special names in the list of public suffixes that lead to no host on the internet (RFC 7686, 8375). */
const NOT_HOSTS = new Set(['onion', 'arpa'])
/** Reserved for documentation and tests (RFC 6761, 6.2 and 6.5): no internal host has them. */
const RESERVED = new Set(['example', 'test'])

function isPublicName(host: string): boolean {
  const top = host.slice(host.lastIndexOf('.') + 1)
  return host.includes('.') && (RESERVED.has(top) || (parse(host).isIcann === true && !NOT_HOSTS.has(top)))
}

/**
 * Checks a URL that will be called later. Besides the rules of `parseTarget`, its name must be below a public top-level
 * domain, unless the operator configured a DNS server or address ranges of an own network. Does not query DNS, because
 * a caller must not learn about internal names (D-164). Throws `Refusal('outbound.…')`.
 */
export function assertCallable(text: string, config: Pick<OutboundConfig, 'dnsServer' | 'allowedRanges'>): void {
  const { host } = parseTarget(text)
  const ownNetwork = config.dnsServer !== undefined || config.allowedRanges.length > 0
  if (!ownNetwork && !isPublicName(host)) refuse('blocked', `${host.slice(0, 253)} is not a public host name.`)
}
