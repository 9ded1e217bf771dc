import createClient, { type Client, type FetchResponse, type MaybeOptionalInit } from 'openapi-fetch'
import type { components, paths } from './api.ts'
import { contentOf } from './content.ts'
import { type Page, type RowOf, rowsOf } from './pages.ts'
import { Problem } from './problem.ts'
import { below, type Credentials, type Fetch, type TokenSource, tokenSource } from './token.ts'

export type { components, operations, paths } from './api.ts'
export { type FieldError, Problem } from './problem.ts'
export type { Credentials, TokenSource } from './token.ts'

/** The shapes of requests and answers, by the names that the API document gives them. */
export type Schemas = components['schemas']

type Method = 'get' | 'post' | 'put' | 'delete'
type Media = `${string}/${string}`
type Paths<M extends Method> = { [Path in keyof paths]: paths[Path][M] extends object ? Path : never }[keyof paths]
type Required<Init> = { [Name in keyof Init]: object extends Pick<Init, Name> ? never : Name }[keyof Init]
type More = { [name: string]: unknown }
type InitOf<Init> = [Required<Init>] extends [never] | [undefined] ? [init?: Init & More] : [init: Init & More]
type Operation<Path extends keyof paths, M extends Method> = paths[Path][M] & Record<string, unknown>

/** What an operation answers when it succeeds: of 204, nothing. */
type Success<Reply> = Reply extends { data: infer Data; response: Response }
  ? [Data] extends [never]
    ? undefined
    : Data
  : never

type Call<M extends Method> = <Path extends Paths<M>, Init extends MaybeOptionalInit<paths[Path], M>>(
  path: Path,
  ...init: InitOf<Init>
) => Promise<Success<FetchResponse<Operation<Path, M>, Init, Media>>>

type Got<Path extends Paths<'get'>> = Success<FetchResponse<Operation<Path, 'get'>, object, Media>>
/** Paths that list: their answers have pages. */
type Lists = { [Path in Paths<'get'>]: Got<Path> extends Page ? Path : never }[Paths<'get'>]
type Query<Get> = Get extends { parameters: { query?: infer Names } } ? Omit<NonNullable<Names>, 'page'> : never
/** What a list is asked with; what its path names has to be said. */
type Asked<Get> = Get extends { parameters: { path: infer Names extends object } }
  ? [params: { path: Names; query?: Query<Get> }]
  : [params?: { query?: Query<Get> }]

interface Sent {
  path?: object
  query?: object
}

/** The operations of the platform. A refusal of it is thrown as `Problem`. */
export interface Calls {
  get: Call<'get'>
  post: Call<'post'>
  put: Call<'put'>
  delete: Call<'delete'>
  /** Every row of a list, page after page; `limit` of the query is the size of a page. */
  each<Path extends Lists>(path: Path, ...params: Asked<paths[Path]['get']>): AsyncGenerator<RowOf<Got<Path>>>
  /** The same, as openapi-fetch has it: answers with status and headers, and refusals as `error`. */
  http: Client<paths>
}

/** A connection to the platform, as one of its clients. */
export interface Countersign extends Calls {
  /** An access token that lives on for a request. */
  token(): Promise<string>
}

export interface Options extends Credentials {
  /** In place of the global one. */
  fetch?: Fetch
  /** Milliseconds that only go up; in place of `performance.now`. */
  now?: () => number
}

/** For those who have no client's secret, as people who logged in. */
export interface SessionOptions {
  /** Of the platform or of a tenant, as `https://id.example`. */
  baseUrl: string
  /** Where access tokens come from; without it, requests have none. */
  tokens?: TokenSource
  /** In place of the global one. */
  fetch?: Fetch
}

/**
 * A header for a write that may be repeated: the same key with the same request gives the first answer again, for 24
 * hours. Who repeats a request, as after a lost connection, repeats its key.
 */
export const idempotencyKey = (key: string = crypto.randomUUID()): { 'Idempotency-Key': string } => ({
  'Idempotency-Key': key,
})

/** A stream cannot be sent twice, and of an upload nobody wants a second copy in memory. */
const isRepeatable = ({ body, headers }: Request): boolean =>
  body === null || /^application\/json\b/.test(headers.get('content-type') ?? '')

/** What is waited for, or the end of the caller's patience. */
function heeding<Value>(signal: AbortSignal, pending: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    pending.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** A 401 without it is the operation's own answer, as of a login: a second one would count as another wrong password. */
const isTokenRefused = ({ status, headers }: Response): boolean =>
  status === 401 && /\berror="invalid_token"/.test(headers.get('www-authenticate') ?? '')

/** Adds the token; when that is refused, tries once more with another one. */
function authorized({ current, discard }: TokenSource, send: Fetch): Fetch {
  const withToken = (request: Request, token: string) => {
    request.headers.set('authorization', `Bearer ${token}`)
    return send(request)
  }
  return async (request) => {
    if (request.headers.has('authorization')) return send(request) // the caller's own
    const { signal } = request
    const token = await heeding(signal, current())
    const again = isRepeatable(request) ? request.clone() : undefined
    const response = await withToken(request, token)
    if (!isTokenRefused(response)) return response
    discard(token)
    if (!again) return response
    await response.body?.cancel()
    return withToken(again, await heeding(signal, current()))
  }
}

/** Calls with tokens of another source than a client's secret, or with none. */
export function connectWith({ baseUrl, tokens, fetch: send = (request) => fetch(request) }: SessionOptions): Calls {
  const http = createClient<paths>({
    baseUrl: below(baseUrl, '').slice(0, -1),
    fetch: tokens ? authorized(tokens, send) : send,
    redirect: 'error', // no token and no body goes to another address than the one asked for
  })
  const call = async (method: Method, path: string, init: More = {}): Promise<unknown> => {
    const { parseAs = 'stream' } = init
    const { data, error, response } = await http.request(method, path as never, { ...init, parseAs } as never)
    if (!response.ok) throw new Problem(response, error)
    return data === undefined || init.parseAs !== undefined ? data : contentOf(response)
  }
  const calls = (method: Method) => (path: string, init?: More) => call(method, path, init)
  return {
    get: calls('get') as Call<'get'>,
    post: calls('post') as Call<'post'>,
    put: calls('put') as Call<'put'>,
    delete: calls('delete') as Call<'delete'>,
    each: (path, ...[params = {}]: [Sent?]) =>
      rowsOf(
        (page) =>
          call('get', path, { params: { ...params, query: { limit: 100, ...params.query, page } } }) as Promise<Page>,
      ),
    http,
  }
}

/** Connects to a platform as one of its clients. Nothing is asked before the first call. */
export function connect(options: Options): Countersign {
  const { baseUrl, fetch: send = (request) => fetch(request), now = () => performance.now() } = options
  const tokens = tokenSource(options, send, now)
  return { ...connectWith({ baseUrl, tokens, fetch: send }), token: tokens.current }
}
