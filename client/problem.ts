import type { components } from './api.ts'

/** Problem details (RFC 9457), as the API answers them. */
type Details = components['schemas']['Problem']

/** A field that breaks a rule. */
export type FieldError = NonNullable<Details['errors']>[number]

/** A refusal of the API. `code` is stable, and `/problems` of the platform explains each; `detail` is for people. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly status: number
  /** As `did.not_found`; empty where something before the platform refused, such as a proxy. */
  readonly code: string
  readonly title: string
  readonly detail: string
  /** The fields that break a rule, each with its rule. */
  readonly errors: readonly FieldError[]
  /** The id of the request in the platform's log. */
  readonly instance: string | undefined
  /** When the platform asks to wait before the next try. */
  readonly retryAfterSeconds: number | undefined

  constructor({ status, statusText, headers }: Response, details: Partial<Details>) {
    const { type = '', title = statusText, detail = title, errors = [], instance } = details
    const fields = errors.map(({ path, message }) => `${path || 'the request'}: ${message}`)
    super([`${status} ${detail}`, ...fields].join('\n- '))
    this.status = status
    this.code = type.includes('#') ? type.slice(type.indexOf('#') + 1) : ''
    this.title = title
    this.detail = detail
    this.errors = errors
    this.instance = instance ?? headers.get('x-request-id') ?? undefined
    const seconds = Number(headers.get('retry-after') ?? Number.NaN)
    this.retryAfterSeconds = Number.isFinite(seconds) ? seconds : undefined
  }
}

/** The problem of an answer; a body that is none, as of a proxy, leaves its status alone. */
export const problemOf = (response: Response, body: unknown): Problem =>
  new Problem(response, typeof body === 'object' && body !== null ? body : {})
