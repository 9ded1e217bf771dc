import type { FieldError } from '../../../errors.ts'

const MAX_LENGTH = 2_000

/** What a URI has without being read in two ways: ASCII without fragment, quotes, backslash and brackets of HTML. */
const CHARACTERS = /^[\x21\x24-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e%]+$/

/** RFC 8252, section 7.3: addresses, because `localhost` may be resolved to another machine. */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?=[/?]|$)/

/** A scheme of a native application: a domain name of its maker in reverse, so with a period (RFC 8252, section 7.1). */
export const REVERSE_DOMAIN = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:/

const SCHEME = /^([a-z][a-z0-9+.-]*):/

/** Schemes that browsers or devices act on by themselves. */
const UNSAFE: ReadonlySet<string> = new Set([
  ...['about', 'blob', 'chrome', 'content', 'data', 'file', 'filesystem', 'ftp', 'http', 'intent', 'jar'],
  ...['javascript', 'mailto', 'sms', 'tel', 'urn', 'vbscript', 'view-source', 'ws', 'wss'],
])

const isReadable = (uri: string): boolean => uri.length <= MAX_LENGTH && CHARACTERS.test(uri)

/** An https address as a browser will read it, without user name and password. */
function isHttps(uri: string): boolean {
  if (!uri.startsWith('https://') || !URL.canParse(uri)) return false
  const { username, password, hostname, href } = new URL(uri)
  const isAsWritten = href === uri || href === `${uri}/`
  return username === '' && password === '' && hostname !== '' && isAsWritten
}

/** What a registered wallet may have: https, loopback, or a scheme of its own. */
export function redirectFaults(uri: string, path: string): FieldError[] {
  const [, scheme = ''] = SCHEME.exec(uri) ?? []
  const isOwn = scheme !== '' && scheme !== 'https' && !UNSAFE.has(scheme)
  if (isReadable(uri) && (isHttps(uri) || LOOPBACK.test(uri) || isOwn)) return []
  const message =
    'expected an https URL, http://127.0.0.1 or http://[::1], or a scheme of the wallet, without fragment, user name and /../'
  return [{ path, code: 'redirect_uri', message }]
}

const withoutPort = (uri: string): string => uri.replace(LOOPBACK, 'http://$1')

/**
 * Whether an answer may go to an address. Of a registered wallet: exactly one of its addresses, but for the port of a
 * loopback address (RFC 8252, section 7.3). Of an unknown one: an address that does not leave the holder's device (D-507).
 */
export function isTrusted(uri: string, registered: readonly string[] | undefined): boolean {
  if (!isReadable(uri)) return false
  if (!registered) return LOOPBACK.test(uri) || REVERSE_DOMAIN.test(uri)
  return registered.some(
    (each) => each === uri || (LOOPBACK.test(each) && LOOPBACK.test(uri) && withoutPort(each) === withoutPort(uri)),
  )
}

/** The address with the parameters of an answer, in its query. */
export function answerAt(redirectUri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`
}
