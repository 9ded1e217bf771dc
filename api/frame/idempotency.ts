import { createHash } from 'node:crypto'
import type { Request, Response } from 'express'
import type { Answer, Idempotency } from '../../activities/frame/idempotency.ts'
import { Refusal } from '../../protocol/errors.ts'

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])
/** The first request's id goes with its answer: a problem's `instance` is that id, and the log has it under that id. */
const KEPT_HEADERS = ['content-type', 'location', 'etag', 'x-request-id']
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

/** Thrown to end a request whose answer is known already. */
export class Replay extends Error {
  override readonly name = 'Replay'

  constructor(private readonly answer: Answer) {
    super('This request was answered before.')
  }

  body(): unknown {
    return JSON.parse(this.answer.body.toString())
  }

  send(response: Response) {
    const { status, headers, body } = this.answer
    response.status(status).set(headers).set('Idempotency-Replayed', 'true').end(body)
  }
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

/**
 * Idempotency-Key on every write, per tenant (draft-ietf-httpapi-idempotency-key-header). Runs when the caller is known to
 * be allowed to do what is asked: a stored answer is nothing for a token without the scope. Throws the stored answer.
 */
export async function claimKey(request: Request, idempotency: Idempotency, tenantId: string): Promise<void> {
  const key = keyOf(request)
  const response = request.res
  if (!key || !response) return
  const claim = await idempotency.claim(tenantId, key, fingerprint(request))
  if ('answer' in claim) {
    if (!request.streamed) throw new Replay(claim.answer)
    request.replay = new Replay(claim.answer) // for the operation, which has yet to see whether the body is the same
    return
  }
  request.idempotency = claim
  storeBeforeSending(response, async (answer) => {
    // a refused stream is not told from another: its body was not read to the end
    const passing = answer.status >= 500 || PASSING.has(answer.status) || (request.streamed && answer.status >= 400)
    if (passing) await idempotency.release(tenantId, key)
    else await idempotency.answer(tenantId, key, answer)
  })
}
