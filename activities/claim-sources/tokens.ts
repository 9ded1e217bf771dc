import { LRUCache } from 'lru-cache'
import type { Authorization } from '../../protocol/claim-sources/authorization.ts'
import { parseForeignJson } from '../../protocol/json.depth.ts'
import { isObject } from '../../protocol/json.ts'
import { byClock, singleFlight } from '../frame/caches.ts'
import type { Outbound } from '../frame/outbound/index.ts'
import { CallFailed, mayPass } from './failures.ts'

type OAuth = Extract<Authorization, { kind: 'OAuthClientCredentials' }>

export interface TokenRequest {
  /** Names the source, its secret and its terms: another one of these has another token. */
  key: string
  terms: OAuth
  secret: string
  timeoutMs: number
}

export interface TokenSource {
  /** An access token for the source, from the cache where it is good for a while. Throws `CallFailed`. */
  tokenFor(request: TokenRequest): Promise<string>
  /** The source refused the token. Returns whether there may be another one. */
  forget(key: string): boolean
}

const MAX_BYTES = 64 * 1024
const MAX_CACHED = 1_000
/** Tokens that end sooner are not used any more: the request with one takes a while. */
const MARGIN_SECONDS = 30
const MAX_LIFETIME_SECONDS = 3_600
const ACCESS_TOKEN = /^[\x21-\x7e]{1,8192}$/
/** Errors of RFC 6749, section 5.2: only these words are repeated, for the rest is the server's own text. */
const ERRORS = /^(invalid_(request|client|grant|scope)|unauthorized_client|unsupported_grant_type)$/

/** Id and secret are encoded as in a form before they become Basic (RFC 6749, section 2.3.1). */
const formEncoded = (text: string): string => new URLSearchParams({ a: text }).toString().slice(2)

function requestOf({ terms, secret }: TokenRequest): { headers: Record<string, string>; body: string } {
  const { clientId, method, scope, audience } = terms
  const form = new URLSearchParams({ grant_type: 'client_credentials' })
  if (scope !== undefined) form.set('scope', scope)
  if (audience !== undefined) form.set('audience', audience)
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' }
  if (method === 'client_secret_post') {
    form.set('client_id', clientId)
    form.set('client_secret', secret)
  } else {
    const pair = `${formEncoded(clientId)}:${formEncoded(secret)}`
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`
  }
  return { headers, body: form.toString() }
}

function parsed(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value = parseForeignJson(body, { code: 'outbound.bad_answer', maxDepth: 8 })
    return isObject(value) ? value : undefined
  } catch {
    return undefined // the answer has no token; its text may have a secret
  }
}

const noToken = (reason: string) => new CallFailed('token_endpoint', { code: 'no_token', reason, mayPass: false })

/** Gets access tokens by client credentials (RFC 6749, section 4.4), and keeps them in memory for as long as they live. */
export function createTokens({ outbound, now }: { outbound: Outbound; now: () => Date }): TokenSource {
  const cache = new LRUCache<string, { token: string }>({
    max: MAX_CACHED,
    ...byClock(now),
    ttl: MAX_LIFETIME_SECONDS * 1000,
  })
  const flight = singleFlight<string>()

  async function request(asked: TokenRequest): Promise<string> {
    const { key, terms, timeoutMs } = asked
    const how = { method: 'POST', accept: 'application/json', maxBytes: MAX_BYTES, timeoutMs } as const
    const { status, body } = await outbound.fetch({ url: terms.tokenEndpoint, ...how, ...requestOf(asked) })
    const answer = parsed(body)
    if (status !== 200) {
      const error = typeof answer?.error === 'string' && ERRORS.test(answer.error) ? ` (${answer.error})` : ''
      const failure = { code: 'answer', responseCode: status, reason: `answered ${status}${error}` }
      throw new CallFailed('token_endpoint', { ...failure, mayPass: mayPass(status) })
    }
    const { access_token: token, token_type: type, expires_in: lifetime } = answer ?? {}
    if (typeof token !== 'string' || !ACCESS_TOKEN.test(token)) throw noToken('the answer has no access_token')
    if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') throw noToken('the token_type is not Bearer')
    const seconds = Math.min(Number(lifetime) - MARGIN_SECONDS, MAX_LIFETIME_SECONDS)
    if (seconds > 0) cache.set(key, { token }, { ttl: seconds * 1000 })
    return token
  }

  return {
    tokenFor: async (asked) => cache.get(asked.key)?.token ?? (await flight(asked.key, () => request(asked))),
    forget: (key) => cache.delete(key),
  }
}
