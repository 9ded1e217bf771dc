import { isIP } from 'node:net'
import { parse } from 'tldts'
import { Refusal } from '../errors.ts'
import { asciiHost, isHostName } from '../hosts/names.ts'

export const MAX_URL = 2048

const refuse = (rule: string, message: string): never => {
  throw new Refusal('webhook.invalid_url', `The URL of the webhook cannot be used: ${message}.`, [
    { path: 'url', code: rule, message: 'expected an https URL such as https://receiver.example.com/webhooks' },
  ])
}

/** The host as it was written, between `//` and the first character that ends it; undefined: it has none. */
const writtenHost = (text: string): string | undefined =>
  /^https?:\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]+)/i.exec(text)?.[1]

/**
 * Checks the URL of a receiver, and returns it as it is called: host in ASCII and lower case, no usual port
 * (specification, Events 3). Does not query DNS: the address of the host is checked at each delivery. `allowPrivate`:
 * http and hosts of this machine will do as well. Throws `Refusal('webhook.invalid_url')` that names the broken rule.
 */
export function readWebhookUrl(text: string, { allowPrivate = false } = {}): string {
  if (text.length > MAX_URL) return refuse('length', `it is longer than ${MAX_URL} characters`)
  if (/[\p{Cc}\p{Cf}\p{Z}\\]/u.test(text))
    return refuse('characters', 'it contains a space, a control character or a backslash')
  if (!URL.canParse(text)) return refuse('url', 'it is not a valid URL')
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
    return refuse('https', 'it does not begin with https://')
  const host = writtenHost(text)
  if (host === undefined) return refuse('url', 'it is not a valid URL')
  if (/^https?:\/\/[^/?#]*@/i.test(text)) return refuse('user_info', 'it contains user info before its host')
  if (text.includes('#')) return refuse('fragment', 'it contains a fragment')
  if (text.includes('?')) return refuse('query', 'it contains query parameters')
  const name = url.hostname
  if (name.startsWith('[') || isIP(name) !== 0) return refuse('address', 'its host is an IP address')
  if (asciiHost(host) !== name || !isHostName(name)) return refuse('host', 'its host is not a host name')
  if (!allowPrivate) {
    if (!name.includes('.') || name.endsWith('.localhost'))
      return refuse('not_public', 'its host is not a public host name')
    // suffixes of hosters too, below which others have their hosts (Public Suffix List, private section)
    if (parse(name, { allowPrivateDomains: true }).publicSuffix === name)
      return refuse('public_suffix', 'its host is a public suffix, below which anybody can have a host')
  }
  if (url.href.length > MAX_URL) return refuse('length', `it is longer than ${MAX_URL} characters in ASCII`)
  return url.href
}

/** The same refusal for a rule of all outbound calls, of which the webhook's URL breaks one. */
export const refusedByOutbound = (code: string, message: string): never =>
  refuse(code.replace(/^outbound\./, ''), message.replace(/\.$/, '').replace(/^The URL/, 'the URL'))
