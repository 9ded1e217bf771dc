import { STATUS_CODES } from 'node:http'
import type { ErrorRequestHandler, Response } from 'express'
import { ValidateError } from 'tsoa'
import { Refusal, Unavailable } from '../protocol/errors.ts'
import type { Problem } from './problem.ts'

/** Every refusal that is not 400 Bad Request, and the status it becomes. `*.not_found` is 404 without a line here. */
const STATUS: Record<string, number> = {
  'token.missing': 401,
  'token.invalid': 401,
  'token.invalid_client': 401,
  'token.insufficient_scope': 403,
  'request.method_not_allowed': 405,
  'request.too_large': 413,
  'request.unsupported_media_type': 415,
  'request.too_many': 429,
  'idempotency.in_flight': 409,
  'idempotency.key_reused': 422,
  'did.taken': 409,
}

const statusOf = (code: string): number => STATUS[code] ?? (code.endsWith('.not_found') ? 404 : 400)

/** PostgreSQL and network codes that say "not now" rather than "never" (PostgreSQL, Appendix A). */
const AWAY = /^(08|53|57P0|57014|55P03|40001|40P01|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND)/

const isDatabaseAway = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  return (
    (typeof code === 'string' && AWAY.test(code)) ||
    /timeout exceeded when trying to connect|Connection terminated/.test(error.message) ||
    isDatabaseAway(cause)
  )
}

const validation = (error: ValidateError): Refusal =>
  new Refusal(
    'request.invalid',
    'The request does not have the expected form; see errors.',
    Object.entries(error.fields).map(([path, { message }]) => ({
      path: path.replace(/^(body|requestBody)\.?/, ''),
      code: 'schema',
      message: String(message).slice(0, 300),
    })),
  )

/** What body-parser and the router throw has a status of its own. */
const fromHttp = (error: Error & { status?: number; type?: string }): Refusal | undefined => {
  if (error.type === 'entity.too.large') return new Refusal('request.too_large', 'The body is larger than 1 MiB.')
  if (error.type === 'encoding.unsupported')
    return new Refusal('request.unsupported_media_type', 'Use Content-Encoding gzip, deflate, br or none.')
  if (error.status === 415) return new Refusal('request.unsupported_media_type', 'Send application/json in UTF-8.')
  if (error.status !== undefined && error.status >= 400 && error.status < 500)
    return new Refusal('request.malformed', 'The request cannot be read: check its encoding, length and path.')
  return undefined
}

/** Any thrown thing as the problem it is to the caller. What we did not foresee is a 500 that tells nothing. */
export function toRefusal(error: unknown): Refusal | Unavailable | undefined {
  if (error instanceof Refusal || error instanceof Unavailable) return error
  if (error instanceof ValidateError) return validation(error)
  if (isDatabaseAway(error)) return new Unavailable('database', 'The database does not answer now. Try again shortly.')
  return error instanceof Error ? fromHttp(error) : undefined
}

export function sendProblem(response: Response, refusal: Refusal | Unavailable | undefined): void {
  const instance = response.locals.requestId as string
  const code = refusal instanceof Refusal ? refusal.code : refusal ? `${refusal.part}.unavailable` : 'internal'
  const status = refusal instanceof Refusal ? statusOf(code) : refusal ? 503 : 500
  const problem: Problem = {
    type: `/problems#${code}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: refusal?.message ?? 'Something failed that we did not foresee. The log has it under this instance.',
    instance,
    ...(refusal instanceof Refusal && refusal.errors.length ? { errors: refusal.errors } : {}),
  }
  if (refusal instanceof Unavailable) response.set('Retry-After', String(refusal.retryAfterSeconds))
  response.locals.problem = code
  response.status(status).set('Content-Type', 'application/problem+json').send(JSON.stringify(problem))
}

/** The last handler: anything thrown becomes an answer, and what we did not foresee a line in the log. */
export const problemHandler: ErrorRequestHandler = (error, _request, response, next) => {
  if (response.headersSent) return next(error)
  const refusal = toRefusal(error)
  if (!refusal) response.locals.log.error({ err: error }, 'unforeseen')
  sendProblem(response, refusal)
}
