import { foreign, membersOf, Problem, parsed } from './problem.ts'

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
  /** This token was refused: `current` does not give it again. */
  discard(refused: string): void
}

/** Before its end a token is renewed, so that none ends on the way; of a short one the second half is kept. */
const RESERVE_SECONDS = 60
/** A token that lives on is renewed again this long after a try that failed. */
const RETRY_MS = 10_000
/** So long a token is waited for. */
const PATIENCE_MS = 30_000

const TOKEN_PATH = 'v1/auth/token'

/** The address of a path below the base URL, whether or not that ends in a slash. */
export const below = (baseUrl: string, path: string): string => `${baseUrl.replace(/\/+$/, '')}/${path}`

/** The access token of a client, which is got when it is needed and renewed before its end. `now` is in milliseconds. */
export function tokenSource(credentials: Credentials, send: Fetch, now: () => number): TokenSource {
  const { baseUrl, clientId, clientSecret, scope } = credentials
  let held: { token: string; renewAt: number; endsAt: number } | undefined
  let pending: Promise<string> | undefined

  async function ask(): Promise<string> {
    const begun = now()
    const response = await send(
      new Request(below(baseUrl, TOKEN_PATH), {
        method: 'POST',
        redirect: 'error', // 307 and 308 would take the secret along, to whatever address they name
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ clientId, clientSecret, grantType: 'client_credentials', scope }),
        signal: AbortSignal.timeout(PATIENCE_MS),
      }),
    )
    const body = parsed(await response.text())
    if (!response.ok) throw new Problem(response, body)
    const { access_token: token, expires_in: seconds } = membersOf(body)
    if (typeof token !== 'string' || typeof seconds !== 'number') throw foreign(response, below(baseUrl, TOKEN_PATH))
    const renewAt = begun + Math.max(seconds - RESERVE_SECONDS, seconds / 2) * 1000
    held = { token, renewAt, endsAt: begun + seconds * 1000 }
    return token
  }

  /** What is held is kept while it lives, when there is no other. */
  function kept(error: unknown): string {
    if (!held || now() >= held.endsAt) throw error
    held = { ...held, renewAt: now() + RETRY_MS }
    return held.token
  }

  const renew = (): Promise<string> => {
    pending ??= ask()
      .catch(kept)
      .finally(() => {
        pending = undefined
      })
    return pending
  }

  return {
    current: async () => (held && now() < Math.min(held.renewAt, held.endsAt) ? held.token : renew()),
    discard(refused) {
      if (held?.token === refused) held = undefined
    },
  }
}
