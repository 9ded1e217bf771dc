import { STATUS_CODES } from 'node:http'
import type { ErrorRequestHandler, Response } from 'express'
import { type FieldErrors, ValidateError } from 'tsoa'
import { causeOf } from '../../activities/frame/logging.ts'
import { Exhausted, Refusal, TooMany, Unavailable } from '../../protocol/errors.ts'
import { Replay } from './idempotency.ts'
import type { Problem } from './problem.ts'
import { meaningOf, statusOf } from './problems.ts'

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

/** unique_violation: two requests made the same thing at once, and the database let one through. */
const isConflict = (error: unknown): boolean =>
  error instanceof Error && ('code' in error && error.code === '23505' ? true : isConflict(error.cause))

/** A body can hold thousands of faults; the first ones say enough. */
const MAX_FIELDS = 50

const ONE_OF = /^should be one of the following; \[(.*)\]$/s

/** A choice of words is a union of one-word forms to tsoa; whoever chose none of them wants to see them all. */
function choices(path: string, forms: FieldErrors[]): string | undefined {
  const words = forms.map((form) =>
    Object.hasOwn(form, path) ? ONE_OF.exec(form[path]?.message ?? '')?.[1] : undefined,
  )
  return words.every((word) => word !== undefined)
    ? `expected one of ${words.join(', ').replaceAll("'", '')}`
    : undefined
}

const UNION = /^Could not match the union against any of the items\. Issues: (.+)$/s

/**
 * Where several forms are possible, such as an object or null, tsoa tells the faults of each in one text, values and
 * all. The form that the value came nearest to says most: its faults lie within. An answer repeats what fields are
 * called and never what they hold.
 */
function faults(fields: FieldErrors): [path: string, message: string][] {
  return Object.entries(fields).flatMap(([path, { message }]): [string, string][] => {
    const [, issues] = UNION.exec(message) ?? []
    if (issues === undefined) return [[path, message.slice(0, 300)]]
    const forms = JSON.parse(issues) as FieldErrors[]
    const expected = choices(path, forms)
    if (expected !== undefined) return [[path, expected.slice(0, 300)]]
    const nearest = forms.find((form) => !Object.hasOwn(form, path)) ?? forms[0]
    return nearest ? faults(nearest) : []
  })
}

const validation = (error: ValidateError): Refusal =>
  new Refusal(
    'request.invalid',
    'The request does not have the expected form; see errors.',
    faults(error.fields)
      .slice(0, MAX_FIELDS)
      .map(([path, message]) => ({
        path: path.replace(/^(body|requestBody|query)\b\.?/, '').slice(0, 200),
        code: 'schema',
        message,
      })),
  )

/**
 * What body-parser throws has a status of its own, and what the router throws for a path that does not decode. A status
 * alone says nothing: the generated routes give one to whatever fails while a caller is authenticated.
 */
const fromHttp = (error: Error & { status?: number; statusCode?: number; type?: string }): Refusal | undefined => {
  if (error.statusCode === undefined && !(error instanceof URIError)) return undefined
  if (error.type === 'entity.too.large')
    return new Refusal(
      'request.too_large',
      'The body is larger than the operation takes: 1 MiB, or 16 KiB for a token.',
    )
  if (error.type === 'encoding.unsupported')
    return new Refusal('request.unsupported_media_type', 'Use Content-Encoding gzip, deflate, br or none.')
  if (error.status === 415) return new Refusal('request.unsupported_media_type', 'Send application/json in UTF-8.')
  if (error.status !== undefined && error.status >= 400 && error.status < 500)
    return new Refusal('request.malformed', 'The request cannot be read: check its encoding, length and path.')
  return undefined
}

/** Any thrown thing as the problem it is to the caller. What we did not foresee is a 500 that tells nothing. */
function toRefusal(error: unknown): Refusal | Unavailable | undefined {
  if (error instanceof Refusal || error instanceof Unavailable) return error
  if (error instanceof ValidateError) return validation(error)
  if (isConflict(error)) return new Refusal('request.conflict', 'The same thing was made by another request meanwhile.')
  if (isDatabaseAway(error))
    return new Unavailable('database', 'The database does not answer now. Try again shortly.', undefined, {
      cause: error,
    })
  return error instanceof Error ? fromHttp(error) : undefined
}

const codeOf = (refusal: Refusal | Unavailable | undefined): string => {
  if (refusal instanceof Exhausted) return 'request.too_much_work'
  return refusal instanceof Refusal ? refusal.code : refusal ? `${refusal.part}.unavailable` : 'internal'
}

/** The answer for a refusal. What is our own fault is told to the log in full, and to the caller by its meaning alone. */
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
    ...(refusal instanceof Refusal && refusal.errors.length && !ours ? { errors: refusal.errors } : {}),
  }
}

/** The part of the platform that a problem comes from, where it is one's. */
const partOf = (refusal: Refusal | Unavailable | undefined): string | undefined =>
  refusal instanceof Unavailable ? refusal.part : refusal?.code.startsWith('key.') ? 'keys' : undefined

/** `error`: what became the refusal, for the log. */
export function sendProblem(response: Response, refusal: Refusal | Unavailable | undefined, error: unknown = refusal) {
  const problem = problemOf(refusal, response.locals.requestId as string)
  if (refusal instanceof Unavailable || refusal instanceof TooMany)
    response.set('Retry-After', String(refusal.retryAfterSeconds))
  else if (problem.status === 503) response.set('Retry-After', '30')
  response.locals.problem = codeOf(refusal)
  // what a caller did wrong may repeat what it sent; what we did is for the log
  if (problem.status >= 500) Object.assign(response.locals, { part: partOf(refusal), cause: causeOf(error) })
  // as bytes: of a text express would say its charset, which this media type does not have (RFC 9457 section 6.1)
  response
    .status(problem.status)
    .type('application/problem+json')
    .send(Buffer.from(JSON.stringify(problem)))
}

/** The last handler: anything thrown becomes an answer, and what we did not foresee a line in the log. */
export const problemHandler: ErrorRequestHandler = (error, _request, response, next) => {
  if (response.headersSent) return next(error)
  if (error instanceof Replay) return error.send(response)
  const refusal = toRefusal(error)
  const ours = !refusal || (refusal instanceof Refusal && statusOf(refusal.code) >= 500)
  if (ours) response.locals.log.error({ err: error }, 'unforeseen')
  sendProblem(response, refusal, refusal ?? error)
}
