import { type FieldError, Refusal } from '../../errors.ts'
import { LOOPBACK_HOSTS } from '../../hosts/names.ts'
import { NOT_OF_URLS } from '../../hosts/urls.ts'
import type { JwsHeader } from '../../jws.ts'
import type { QueryType } from './queries.ts'

/** The request message for a wallet; times are milliseconds since 1970. */
export interface RequestMessage {
  id: string
  /** URL with the type of the first query. */
  type: string
  from: string
  created_time: number
  expires_time: number
  /** Where the wallet sends its presentation; absent if it returns it in another way. */
  reply_url?: string
  reply_to: string[]
  body: { id: string; domain: string; name: string; query: unknown; challenge: string }
}

export interface RequestInput {
  id: string
  /** Id of the template, or of the request itself if it has none. */
  templateId: string
  did: string
  createdAt: Date
  expiresAt: Date
  callbackUrl?: string
  queryType: QueryType
  domain: string
  name: string
  query: unknown
  challenge: string
}

const TYPE = 'https://mattr.global/schemas/verifiable-presentation/request'

/** Returns the unsigned request message. */
export const requestMessage = ({ did, templateId, queryType, ...input }: RequestInput): RequestMessage => ({
  id: input.id,
  type: `${TYPE}/${queryType}`,
  from: did,
  created_time: input.createdAt.getTime(),
  expires_time: input.expiresAt.getTime(),
  ...(input.callbackUrl !== undefined && { reply_url: input.callbackUrl }),
  reply_to: [did],
  body: {
    id: templateId,
    domain: input.domain,
    name: input.name,
    query: input.query,
    challenge: input.challenge,
  },
})

/** Header of the signed request; `kid` is the DID URL of the key. */
export const requestHeader = (kid: string): JwsHeader => ({ alg: 'EdDSA', typ: 'JWM', kid })

/** Returns the link that opens a wallet on the same device; it contains the signed request. */
export const didcommLink = (jws: string): string => `didcomm://?request=${jws}`

/**
 * Returns why a callback URL is not valid; undefined if it is. Wallets call it, and we never do, so only its form is
 * checked: https, or http on the caller's own machine.
 */
function callbackFault(text: string): string | undefined {
  if (text.length > 2048 || /[\p{Cc}\p{Z}]/u.test(text) || NOT_OF_URLS.test(text) || !URL.canParse(text))
    return 'must be a URL'
  const { protocol, hostname, username, password, hash } = new URL(text)
  if (username !== '' || password !== '' || hash !== '') return 'must have neither user info nor a fragment'
  const allowed = protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOSTS.has(hostname))
  return allowed ? undefined : 'must start with https://'
}

/** Default lifetime of a request: an hour. */
export const REQUEST_LIFETIME_MS = 3600_000
const MAX_LIFETIME_MS = 30 * 24 * 3600_000

/** Throws `Refusal('presentation_request.invalid')` with every breach and its path in the request's body. */
export function checkRequest(
  { challenge, callbackUrl, expiresTime }: { challenge?: string; callbackUrl?: string; expiresTime?: number },
  now: Date,
): void {
  const errors: FieldError[] = []
  if (challenge !== undefined && !/^[\x21-\x7e]{8,255}$/.test(challenge))
    errors.push({ path: 'challenge', code: 'text', message: 'expected 8 to 255 printable ASCII characters' })
  const fault = callbackUrl === undefined ? undefined : callbackFault(callbackUrl)
  if (fault !== undefined) errors.push({ path: 'callbackUrl', code: 'url', message: fault })
  const lifetimeMs = expiresTime === undefined ? REQUEST_LIFETIME_MS : expiresTime - now.getTime()
  if (!Number.isSafeInteger(lifetimeMs) || lifetimeMs <= 0 || lifetimeMs > MAX_LIFETIME_MS)
    errors.push({ path: 'expiresTime', code: 'range', message: 'expected milliseconds since 1970, within 30 days' })
  if (errors.length > 0)
    throw new Refusal('presentation_request.invalid', 'The presentation request is not valid; see errors.', errors)
}
