import { STATUS_CODES } from 'node:http'
import type { Problem } from '../problem.ts'
import { meaningOf, statusOf } from '../problems.ts'
import { NOT_FOUND, REFUSALS, thingIn } from './areas.ts'
import type { Described } from './generated.ts'

/** The code that a status has if the operation names no other. */
const CODES: Readonly<Record<string, string>> = {
  400: 'request.invalid',
  401: 'token.missing',
  403: 'token.insufficient_scope',
  409: 'idempotency.in_flight',
  413: 'request.too_large',
  415: 'request.unsupported_media_type',
  422: 'idempotency.key_reused',
  429: 'request.too_many',
  503: 'keys.unavailable',
  default: 'internal',
}

/** The problem code in the example of a response; undefined if nothing names one. */
export function codeOf(path: string, operationId: string, status: string): string | undefined {
  const own = REFUSALS[operationId]?.[Number(status)]
  return own ?? (status === '404' ? NOT_FOUND[thingIn(path) ?? ''] : CODES[status])
}

/** A member that the request must have, for the example of an invalid request. */
function memberOf({ parameters = [], requestBody }: Described, required: readonly string[]) {
  const [body] = requestBody ? required : []
  const parameter = parameters.find(({ in: place }) => place === 'path') ?? parameters[0]
  const path = body ?? parameter?.name
  return path === undefined
    ? undefined
    : { path, code: 'schema', message: body ? `'${body}' is required` : `invalid ${path}` }
}

/** The problem that a response has as its example: of its own code. */
export function exampleOf(path: string, operation: Described, status: string, required: readonly string[]): Problem {
  const code = codeOf(path, operation.operationId, status)
  if (code === undefined) throw new Error(`${operation.operationId} has no problem code for ${status}`)
  const member = code === 'request.invalid' ? memberOf(operation, required) : undefined
  return {
    type: `/problems#${code}`,
    title: STATUS_CODES[statusOf(code)] ?? 'Error',
    status: statusOf(code),
    detail: meaningOf(code),
    instance: '5f0c5d5e-9b1b-4a51-b4f7-4d9a3d3a6d5f',
    ...(member && { errors: [member] }),
  }
}
