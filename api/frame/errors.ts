import { STATUS_CODES } from 'node:http'
import type { ErrorRequestHandler, Response } from 'express'
import { causeOf } from '../../activities/frame/logging.ts'
import { Exhausted, errorsWithin, isDatabaseAway, Refusal, TooMany, Unavailable } from '../../protocol/errors.ts'
import { Replay } from './idempotency.ts'
import { challengeOf, oauthErrorOf } from './openapi/wallets.ts'
import type { Problem } from './problem.ts'
import { meaningOf, statusOf } from './problems.ts'

/** unique_violation: two requests created the same row at once, and the database accepted one. */
const isConflict = (error: unknown): boolean =>
  error instanceof Error && ('code' in error && error.code === '23505' ? true : isConflict(error.cause))

/**
 * Refusals of body-parser, which carry a status code, and of the router for a path that does not decode. `status` alone
 * is not enough: the generated routes add one to any error of authentication.
 */
const fromHttp = (error: Error & { status?: number; statusCode?: number; type?: string }): Refusal | undefined => {
  if (error.statusCode === undefined && !(error instanceof URIError)) return undefined
  if (error.type === 'entity.too.large')
    return new Refusal('request.too_large', 'The body is too large: at most 1 MiB, or 16 KiB for a token request.')
  if (error.type === 'encoding.unsupported')
    return new Refusal(
      'request.unsupported_media_type',
      'This Content-Encoding is not supported. Use gzip, deflate, br or none.',
    )
  if (error.status === 415)
    return new Refusal(
      'request.unsupported_media_type',
      'The charset of the body is not supported. Send application/json in UTF-8.',
    )
  if (error.status !== undefined && error.status >= 400 && error.status < 500)
    return new Refusal('request.malformed', 'The request cannot be read. Check its encoding, its length and its path.')
  return undefined
}

/** Turns any error into the problem for the caller. An unexpected error is a 500 without details. */
function toRefusal(error: unknown): Refusal | Unavailable | undefined {
  if (error instanceof Refusal || error instanceof Unavailable) return error
  if (isConflict(error))
    return new Refusal(
      'request.conflict',
      'Another request created the same thing at the same time. Read it, then try again if needed.',
    )
  if (isDatabaseAway(error))
    return new Unavailable('database', 'The database is not available. Try again later.', undefined, {
      cause: error,
    })
  return error instanceof Error ? fromHttp(error) : undefined
}

const codeOf = (refusal: Refusal | Unavailable | undefined): string => {
  if (refusal instanceof Exhausted)
    return refusal.part === 'outbound' ? 'outbound.too_many_reads' : 'request.too_much_work'
  return refusal instanceof Refusal ? refusal.code : refusal ? `${refusal.part}.unavailable` : 'internal'
}

/**
 * The problem details of a refusal. For a fault of the platform the caller gets only the meaning; the log has the rest.
 */
export function problemOf(refusal: Refusal | Unavailable | undefined, instance: string): Problem {
  const code = codeOf(refusal)
  const status = statusOf(code)
  const ours = status >= 500 && !(refusal instanceof Unavailable)
  return {
    type: `/problems#${code}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: ours ? meaningOf(code) : refusal?.message,
    instance,
    ...(refusal instanceof Refusal && refusal.errors.length && !ours
      ? { errors: errorsWithin('', refusal.errors) }
      : {}),
  }
}

/** The part of the platform that caused a problem, if one did. */
const partOf = (refusal: Refusal | Unavailable | undefined): string | undefined =>
  refusal instanceof Unavailable ? refusal.part : refusal?.code.startsWith('key.') ? 'keys' : undefined

/** `error`: the cause of the refusal, for the log. */
export function sendProblem(response: Response, refusal: Refusal | Unavailable | undefined, error: unknown = refusal) {
  const problem = problemOf(refusal, response.locals.requestId as string)
  if (refusal instanceof Unavailable || refusal instanceof TooMany)
    response.set('Retry-After', String(refusal.retryAfterSeconds))
  else if (problem.status === 503) response.set('Retry-After', '30')
  // a 404 without it is kept by caches between: an asset is missing only until all processes have its version
  // and what was said of the answer that was expected is not said of this one
  const caching = String(response.get('Cache-Control') ?? 'public')
  if (caching.startsWith('public')) response.set('Cache-Control', 'no-store')
  response.locals.problem = codeOf(refusal)
  // only for our own faults: the cause of a caller's fault may repeat the caller's data
  if (problem.status >= 500) Object.assign(response.locals, { part: partOf(refusal), cause: causeOf(error) })
  const oauthError: unknown = response.locals.oauthError
  const isOfWallet = typeof oauthError === 'string'
  const body = isOfWallet ? oauthErrorOf(problem, codeOf(refusal), oauthError) : problem
  const requiresDpop = response.locals.requiresDpop === true
  const challenge = challengeOf(codeOf(refusal), response.req.headers.authorization, requiresDpop)
  if (isOfWallet && problem.status === 401 && challenge) response.set('WWW-Authenticate', challenge)
  const { sendPage } = response.locals // for a browser (api/openid/authorization)
  if (typeof sendPage === 'function') return void sendPage(problem)
  // sent as bytes: for a text express adds a charset, which this media type does not have (RFC 9457 section 6.1)
  response
    .status(problem.status)
    .type(isOfWallet ? 'application/json' : 'application/problem+json')
    .send(Buffer.from(JSON.stringify(body)))
}

/** The last handler: turns every error into a response, and logs an unexpected one. */
export const problemHandler: ErrorRequestHandler = (error, _request, response, next) => {
  if (response.headersSent) return next(error)
  if (error instanceof Replay) return error.send(response)
  const refusal = toRefusal(error)
  const ours = !refusal || (refusal instanceof Refusal && statusOf(refusal.code) >= 500)
  if (ours) response.locals.log.error({ err: error }, 'unforeseen')
  sendProblem(response, refusal, refusal ?? error)
}
