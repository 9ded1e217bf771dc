import type { components } from './api.ts'
import { problemOf } from './problem.ts'

export interface Credentials {
  /** Of the platform or of a tenant, as `https://id.example`. */
  baseUrl: string
  clientId: string
  clientSecret: string
  /** Scopes, divided by spaces; without: all that the client holds. */
  scope?: string
}

export type Fetch = (request: Request) => Promise<Response>

export interface TokenSource {
  /** A token that lives long enough for a request. Those who ask at once share one request. */
  current(): Promise<string>
  /** Another token than one that was refused. */
  instead(refused: string): Promise<string>
}

/** Before its end a token is renewed, so that none ends on the way; of a short one the second half is kept. */
const RESERVE_SECONDS = 60

const TOKEN_PATH = 'v1/auth/token'

/** The address of a path below the base URL, whether or not that ends in a slash. */
export const below = (baseUrl: string, path: string): string => `${baseUrl.replace(/\/+$/, '')}/${path}`

/** The access token of a client, which is got when it is needed and renewed before its end. `now` is in milliseconds. */
export function tokenSource(credentials: Credentials, send: Fetch, now: () => number): TokenSource {
  const { baseUrl, clientId, clientSecret, scope } = credentials
  let held: { token: string; renewAt: number } | undefined
  let pending: Promise<string> | undefined

  async function ask(): Promise<string> {
    const begun = now()
    const response = await send(
      new Request(below(baseUrl, TOKEN_PATH), {
        method: 'POST',
        redirect: 'error', // 307 and 308 would take the secret along, to whatever address they name
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ clientId, clientSecret, grantType: 'client_credentials', scope }),
      }),
    )
    const text = await response.text()
    const body = parsed(text)
    if (!response.ok) throw problemOf(response, body)
    const { access_token: token, expires_in: seconds } = body as components['schemas']['TokenOut']
    held = { token, renewAt: begun + Math.max(seconds - RESERVE_SECONDS, seconds / 2) * 1000 }
    return token
  }

  const renew = (): Promise<string> => {
    pending ??= ask().finally(() => {
      pending = undefined
    })
    return pending
  }

  return {
    current: async () => (held && now() < held.renewAt ? held.token : renew()),
    instead: async (refused) => (held && held.token !== refused && now() < held.renewAt ? held.token : renew()),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // a proxy's page; its status says enough
  }
}
