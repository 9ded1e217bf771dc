import { STATUS_CODES } from 'node:http'
import { type FieldErrors, ValidateError } from '@tsoa/runtime'
import type { ErrorRequestHandler, Response } from 'express'
import { causeOf } from '../../activities/frame/logging.ts'
import { Exhausted, errorsWithin, Refusal, TooMany, Unavailable, within } from '../../protocol/errors.ts'
import { Replay } from './idempotency.ts'
import type { Problem } from './problem.ts'
import { meaningOf, statusOf } from './problems.ts'

/** PostgreSQL and network codes of temporary failures (PostgreSQL, Appendix A). */
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

/** unique_violation: two requests created the same row at once, and the database accepted one. */
const isConflict = (error: unknown): boolean =>
  error instanceof Error && ('code' in error && error.code === '23505' ? true : isConflict(error.cause))

/** A body can have thousands of errors; the first ones are enough. */
const MAX_FIELDS = 50

const ONE_OF = /^should be one of the following; \[(.*)\]$/s

/** tsoa reads a choice of words as a union of one-word schemas; the message lists all words. */
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
 * Where several schemas are possible, such as an object or null, tsoa puts the errors of each into one text, with the
 * values. The errors of the nearest schema, which lie inside of the value, say most. A response may repeat the name of
 * a field, never its value.
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

/** The generated validation writes an index as `$0`, and begins with where the value stands. */
function inputPath(path: string): string {
  const [place = '', ...steps] = path.split('.')
  // a member `query` of a body comes without the body before it: no parameter begins with `$`
  if (place === 'query' && !steps[0]?.startsWith('$')) return within('', steps.join('.'))
  const rest = place === 'body' || place === 'requestBody' ? steps : [place, ...steps]
  return within('', ...rest.map((step) => step.replace(/^\$(\d+)$/, '$1')))
}

const validation = (error: ValidateError): Refusal =>
  new Refusal(
    'request.invalid',
    'The request is not valid; errors names the fields.',
    faults(error.fields)
      .slice(0, MAX_FIELDS)
      .map(([path, message]) => ({
        path: inputPath(path).slice(0, 200),
        code: 'schema',
        message,
      })),
  )

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
  if (error instanceof ValidateError) return validation(error)
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
  if (refusal instanceof Exhausted) return 'request.too_much_work'
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
  response.locals.problem = codeOf(refusal)
  // only for our own faults: the cause of a caller's fault may repeat the caller's data
  if (problem.status >= 500) Object.assign(response.locals, { part: partOf(refusal), cause: causeOf(error) })
  // sent as bytes: for a text express adds a charset, which this media type does not have (RFC 9457 section 6.1)
  response
    .status(problem.status)
    .type('application/problem+json')
    .send(Buffer.from(JSON.stringify(problem)))
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
