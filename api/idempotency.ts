import { createHash } from 'node:crypto'
import type { Request, RequestHandler, Response } from 'express'
import type { Answer, Idempotency } from '../activities/idempotency.ts'
import { Refusal } from '../protocol/errors.ts'

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])
const KEPT_HEADERS = ['content-type', 'location', 'etag']
/** Not the request's own answer: who asks, how often and what else runs may differ the next time. */
const PASSING = new Set([401, 403, 408, 409, 429])

const KEY = /^[\x21-\x7e]{1,255}$/

function keyOf(request: Request): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined || !WRITES.has(request.method)) return undefined
  if (typeof key === 'string' && KEY.test(key)) return key
  throw new Refusal('idempotency.key_invalid', 'The Idempotency-Key is not usable.', [
    { path: 'Idempotency-Key', code: 'header', message: 'expected 1 to 255 printable ASCII characters without spaces' },
  ])
}

const fingerprint = ({ method, originalUrl, rawBody }: Request) =>
  createHash('sha256').update(`${method} ${originalUrl}\n`).update(rawBody).digest()

const headersOf = (response: Response) =>
  Object.fromEntries(
    KEPT_HEADERS.flatMap((name) => {
      const value = response.getHeader(name)
      return value === undefined ? [] : [[name, String(value)]]
    }),
  )

function replay(response: Response, { status, headers, body }: Answer) {
  response.status(status).set(headers).set('Idempotency-Replayed', 'true').end(body)
}

/** Holds the answer back until it is stored: who has seen an answer can have it again. */
function storeBeforeSending(response: Response, store: (answer: Answer) => Promise<void>) {
  const end = response.end.bind(response)
  response.end = ((chunk?: unknown) => {
    const body = Buffer.isBuffer(chunk) ? chunk : Buffer.from(typeof chunk === 'string' ? chunk : '')
    store({ status: response.statusCode, headers: headersOf(response), body }).then(
      () => end(body),
      (error: unknown) => {
        response.locals.log.error({ err: error }, 'an answer was not kept for its Idempotency-Key')
        end(body)
      },
    )
    return response
  }) as Response['end']
}

/** Idempotency-Key on every write, per tenant (draft-ietf-httpapi-idempotency-key-header). Runs after the body is read. */
export const idempotent =
  (idempotency: Idempotency): RequestHandler =>
  async (request, response, next) => {
    try {
      const key = keyOf(request)
      if (!key || !request.caller) return next()
      const { tenantId } = request.caller
      const claim = await idempotency.claim(tenantId, key, fingerprint(request))
      if ('answer' in claim) return replay(response, claim.answer)
      request.idempotency = { key, ...claim }
      storeBeforeSending(response, async (answer) => {
        if (answer.status >= 500 || PASSING.has(answer.status)) await idempotency.release(tenantId, key)
        else await idempotency.answer(tenantId, key, answer)
      })
      next()
    } catch (error) {
      next(error)
    }
  }
