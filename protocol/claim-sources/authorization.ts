import { type FieldError, Refusal, within } from '../errors.ts'
import { isObject, type Json } from '../json.ts'

/** How the platform proves itself to a claim source, without the secret. */
export type Authorization =
  | { kind: 'ApiKey'; header: string }
  | {
      kind: 'OAuthClientCredentials'
      clientId: string
      tokenEndpoint: string
      method: TokenEndpointAuthMethod
      audience?: string
      scope?: string
    }

export const TOKEN_ENDPOINT_AUTH_METHODS = ['client_secret_basic', 'client_secret_post'] as const
export type TokenEndpointAuthMethod = (typeof TOKEN_ENDPOINT_AUTH_METHODS)[number]

/** An authorization as a caller gives it. The token endpoint is checked as the URLs are. */
export interface GivenAuthorization {
  terms: Authorization
  secret: string
}

export const DEFAULT_HEADER = 'x-api-key'

/** Headers of framing, routing and cookies, and those that the platform sets itself. */
const REFUSED_HEADERS = new Set([
  ...['accept', 'accept-charset', 'accept-encoding', 'connection', 'content-encoding', 'content-length'],
  ...['content-type', 'cookie', 'cookie2', 'date', 'expect', 'forwarded', 'host', 'http2-settings', 'keep-alive'],
  ...['origin', 'referer', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'user-agent', 'via'],
])
const REFUSED_PREFIX = /^(proxy|sec|x-forwarded|x-original|x-rewrite|x-http-method)-/

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/
/** A field value that is sent as it is (RFC 9110, section 5.5): printable ASCII, no space at either end. */
const FIELD_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]{0,2046}[\x21-\x7e])?$/
/** VSCHAR (RFC 6749, appendix A). */
const CLIENT_ID = /^[\x20-\x7e]{1,255}$/
const CLIENT_SECRET = /^[\x20-\x7e]{1,1024}$/
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/
const PRINTABLE = /^[\x21-\x7e]{1,2048}$/
const MAX_SCOPE = 1_000

const refuse = (path: string, rule: string, message: string): never => {
  const error: FieldError = { path, code: rule, message }
  throw new Refusal('claim_source.invalid_authorization', 'The authorization cannot be used; see errors.', [error])
}

/** The text of a member; the refusal does not repeat it, because it may be a secret. */
function textOf(members: Json, at: string, name: string, isRight: (text: string) => boolean, expected: string): string {
  const value = members[name]
  if (typeof value === 'string' && isRight(value)) return value
  return refuse(within(at, name), value === undefined ? 'required' : 'text', `expected ${expected}`)
}

function unknownMembers(members: Json, at: string, known: readonly string[]): void {
  const unknown = Object.keys(members).find((name) => !known.includes(name))
  if (unknown !== undefined) refuse(within(at, unknown.slice(0, 100)), 'unknown', `expected one of ${known.join(', ')}`)
}

const isHeader = (name: string): boolean =>
  HEADER_NAME.test(name) && !REFUSED_HEADERS.has(name.toLowerCase()) && !REFUSED_PREFIX.test(name.toLowerCase())

const optional = (members: Json, name: string): boolean => members[name] !== undefined && members[name] !== null

function apiKey(members: Json, at: string): GivenAuthorization {
  unknownMembers(members, at, ['type', 'value', 'header'])
  if (optional(members, 'type') && members.type !== 'api-key') refuse(`${at}.type`, 'type', 'expected api-key')
  const expected = 'the name of a header that claim sources may have, such as x-api-key'
  const header = optional(members, 'header') ? textOf(members, at, 'header', isHeader, expected) : DEFAULT_HEADER
  const key = '1 to 2048 printable characters of ASCII, without a space at either end'
  const secret = textOf(members, at, 'value', (text) => FIELD_VALUE.test(text), key)
  return { terms: { kind: 'ApiKey', header: header.toLowerCase() }, secret }
}

const OAUTH_MEMBERS = [
  ...['type', 'client_id', 'client_secret', 'token_endpoint', 'token_endpoint_auth_method', 'audience', 'scope'],
]

function oauth(members: Json, at: string): GivenAuthorization {
  unknownMembers(members, at, OAUTH_MEMBERS)
  if (optional(members, 'type') && members.type !== 'oauth-client-credentials')
    refuse(`${at}.type`, 'type', 'expected oauth-client-credentials')
  const clientId = textOf(
    members,
    at,
    'client_id',
    (text) => CLIENT_ID.test(text),
    '1 to 255 printable characters of ASCII',
  )
  const expected = '1 to 1024 printable characters of ASCII'
  const secret = textOf(members, at, 'client_secret', (text) => CLIENT_SECRET.test(text), expected)
  const tokenEndpoint = textOf(members, at, 'token_endpoint', (text) => text !== '', 'an https URL')
  const asked = optional(members, 'token_endpoint_auth_method') ? members.token_endpoint_auth_method : undefined
  const method = TOKEN_ENDPOINT_AUTH_METHODS.find((each) => each === (asked ?? 'client_secret_basic'))
  if (method === undefined)
    return refuse(
      `${at}.token_endpoint_auth_method`,
      'choice',
      `expected one of ${TOKEN_ENDPOINT_AUTH_METHODS.join(', ')}`,
    )
  const audience = optional(members, 'audience')
    ? textOf(members, at, 'audience', (text) => PRINTABLE.test(text), '1 to 2048 characters of ASCII without spaces')
    : undefined
  const isScope = (text: string) => text.length <= MAX_SCOPE && SCOPE.test(text)
  const scope = optional(members, 'scope')
    ? textOf(members, at, 'scope', isScope, 'scopes of ASCII, separated by single spaces')
    : undefined
  const more = { ...(audience !== undefined && { audience }), ...(scope !== undefined && { scope }) }
  return { terms: { kind: 'OAuthClientCredentials', clientId, tokenEndpoint, method, ...more }, secret }
}

const VARIANTS = { ApiKey: apiKey, OAuthClientCredentials: oauth }

/** Reads one of the two variants. Throws `Refusal('claim_source.invalid_authorization')`, which repeats no value. */
export function readAuthorization(given: unknown): GivenAuthorization {
  const names = Object.keys(VARIANTS) as (keyof typeof VARIANTS)[]
  const expected = `expected an object with one member, ${names.join(' or ')}`
  if (!isObject(given)) return refuse('authorization', 'variant', expected)
  const present = Object.keys(given).filter((name) => optional(given, name))
  const [name] = names.filter((each) => present.includes(each))
  if (name === undefined || present.length !== 1) return refuse('authorization', 'variant', expected)
  const members = given[name]
  if (!isObject(members)) return refuse(`authorization.${name}`, 'variant', 'expected an object')
  return VARIANTS[name](members, `authorization.${name}`)
}

/** Where a secret, or a token that it buys, goes. It goes nowhere else unless the caller sends it again. */
export const destinationsOf = (url: string, terms: Authorization): string[] => [
  new URL(url).origin,
  terms.kind === 'ApiKey' ? terms.header : terms.tokenEndpoint,
]

const STARS = '*'.repeat(10)
const SHOWN = 5
/** A shorter secret shows nothing: five characters would be too much of it. */
const MIN_SHOWN = 16

/** A secret as responses show it: stars, then its last 5 characters. The number of stars does not say its length. */
export const maskSecret = (secret: string): string =>
  secret.length < MIN_SHOWN ? STARS : `${STARS}${secret.slice(-SHOWN)}`

/** Whether a text is what a response shows in place of a secret. */
export const isMask = (text: string): boolean => text.startsWith(STARS)

/** Refuses a secret by the member that should have it. */
export function refuseSecret(kind: Authorization['kind'], rule: string, message: string): never {
  return refuse(`authorization.${kind}.${kind === 'ApiKey' ? 'value' : 'client_secret'}`, rule, message)
}
