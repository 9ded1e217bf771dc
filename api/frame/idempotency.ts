import { createHash } from 'node:crypto'
import type { Request, RequestHandler, Response } from 'express'
import type { Answer, Idempotency } from '../../activities/frame/idempotency.ts'
import type { Caller } from '../../activities/tokens-logs/tokens.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { Scope } from '../../protocol/tokens-logs/index.ts'
import { DOWNLOADS } from './openapi/areas.ts'
import type { FindPath } from './openapi/paths.ts'

/** Methods of requests that change something. */
export const WRITES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])
/** The request id of the first request is kept: it is the `instance` of a problem, and the log has it. */
const KEPT_HEADERS = ['content-type', 'content-disposition', 'location', 'etag', 'x-request-id']
/** Responses that are not kept: they depend on the caller, on the rate, and on other requests. */
const TEMPORARY = new Set([401, 403, 408, 409, 429])

const KEY = /^[\x21-\x7e]{1,255}$/

function keyOf(request: Request): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined || !WRITES.has(request.method)) return undefined
  if (typeof key === 'string' && KEY.test(key)) return key
  throw new Refusal('idempotency.key_invalid', 'The Idempotency-Key is not valid; see errors.', [
    { path: 'Idempotency-Key', code: 'header', message: 'expected 1 to 255 printable ASCII characters without spaces' },
  ])
}

/** Notes the media type that the Accept header chooses of an operation with several: of another one it is another request. */
export const noteMediaType =
  (find: FindPath): RequestHandler =>
  (request, _response, next) => {
    const operationId = WRITES.has(request.method) ? find(request.path)?.operations.get(request.method) : undefined
    const types = Object.keys(DOWNLOADS[operationId ?? ''] ?? {})
    if (types.length > 1) request.mediaType = request.accepts(types) || types[0]
    next()
  }

/** With the scopes of the token: what an answer holds, such as a secret, may be what they allow. */
const fingerprint = ({ method, originalUrl, mediaType, rawBody }: Request, scopes: readonly Scope[]) =>
  createHash('sha256')
    .update(`${scopes.toSorted().join(' ')}\n`)
    .update(`${method} ${originalUrl}\n${mediaType === undefined ? '' : `${mediaType}\n`}`)
    .update(rawBody)
    .digest()

const headersOf = (response: Response) =>
  Object.fromEntries(
    KEPT_HEADERS.flatMap((name) => {
      const value = response.getHeader(name)
      return value === undefined ? [] : [[name, String(value)]]
    }),
  )

/** Thrown to end a request whose response is stored already. */
export class Replay extends Error {
  override readonly name = 'Replay'
  private readonly answer: Answer

  constructor(answer: Answer) {
    super('This request was answered before.')
    this.answer = answer
  }

  body(): unknown {
    return JSON.parse(this.answer.body.toString())
  }

  send(response: Response) {
    const { status, headers, body } = this.answer
    response.status(status).set(headers).set('Idempotency-Replayed', 'true').end(body)
  }
}

/**
 * Sends the response only after it is stored, so that a client which received it can get it again. One that was streamed
 * is not stored but the key released: whoever repeats the request gets it anew (D-413).
 */
function storeBeforeSending(
  response: Response,
  store: (answer: Answer) => Promise<void>,
  release: () => Promise<void>,
) {
  const end = response.end.bind(response)
  response.end = ((chunk?: unknown) => {
    const body = Buffer.from(typeof chunk === 'string' || chunk instanceof Uint8Array ? chunk : '')
    const kept = response.headersSent
      ? release()
      : store({ status: response.statusCode, headers: headersOf(response), body })
    kept.then(
      () => end(body),
      (error: unknown) => {
        response.locals.log.error({ err: error }, 'an answer was not kept for its Idempotency-Key')
        end(body)
      },
    )
    return response
  }) as Response['end']
}

/**
 * Applies the Idempotency-Key of a write, per caller: a client or a person, in one tenant (D-004, D-751;
 * draft-ietf-httpapi-idempotency-key-header). Call it after authorisation: a token without the scope must not get a stored
 * response. Throws `Replay` with the stored response.
 */
export async function claimKey(
  request: Request,
  idempotency: Idempotency,
  { tenantId, clientId, scopes }: Pick<Caller, 'tenantId' | 'clientId' | 'scopes'>,
): Promise<void> {
  const given = keyOf(request)
  const response = request.res
  if (given === undefined || !response) return
  const key = `${clientId} ${given}`
  const claim = await idempotency.claim(tenantId, key, fingerprint(request, scopes))
  if ('answer' in claim) {
    if (!request.streamed) throw new Replay(claim.answer)
    request.replay = new Replay(claim.answer) // for the operation, which still has to compare the body
    return
  }
  request.idempotency = claim
  const release = (forget: boolean) => idempotency.release(tenantId, key, { forget })
  const store = async (answer: Answer) => {
    // the body of a refused stream was not read to its end, so a repetition cannot be compared with it
    const temporary = answer.status >= 500 || TEMPORARY.has(answer.status) || (request.streamed && answer.status >= 400)
    // before a failure of ours something may have been committed (D-1222)
    if (temporary) await release(answer.status < 500 || request.streamed === true)
    else await idempotency.answer(tenantId, key, answer)
  }
  storeBeforeSending(response, store, () => release(true))
}
