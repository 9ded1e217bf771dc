import { isIP } from 'node:net'

/** A registered name in ASCII (RFC 1123 labels): no IP address in any form, no trailing dot. */
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

export const isHostName = (host: string): boolean =>
  host.length <= 253 && host.split('.').every((label) => LABEL.test(label)) && isIP(host) === 0

/** The name in a Host header: in lower case, without its port and a trailing dot. */
export const hostNameOf = (host: string): string => host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '')

/** What the URL parser drops or reads as another part of a URL, and percent-encoding, which it decodes. */
const NOT_OF_NAMES = /[\p{Cc}\p{Cf}\p{Z}%@/\\?#:[\]]/u

/**
 * Returns a name that a person wrote as DNS has it: IDN in ASCII (UTS #46, as browsers do), in lower case, without a
 * trailing dot. An address stays one, in its usual form: `127.1` becomes `127.0.0.1`. undefined: it is no name.
 */
export function asciiHost(text: string): string | undefined {
  if (text === '' || NOT_OF_NAMES.test(text) || !URL.canParse(`https://${text}`)) return undefined
  return hostNameOf(new URL(`https://${text}`).hostname)
}

/** This machine by name and address, as `hostname` of a URL: for trials, and native applications (RFC 8252, section 7.3). */
export const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])
