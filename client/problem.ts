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

  constructor({ status, statusText, headers }: Response, body: unknown) {
    const { type, title, detail, errors, instance } = membersOf(body)
    const fields = Array.isArray(errors) ? errors.flatMap(fieldErrorsIn) : []
    const code = textOf(type) ?? ''
    const name = textOf(title) ?? statusText
    const told = textOf(detail) ?? name
    super(
      [`${status} ${told}`, ...fields.map(({ path, message }) => `${path || 'the request'}: ${message}`)].join('\n- '),
    )
    this.status = status
    this.code = code.includes('#') ? code.slice(code.indexOf('#') + 1) : ''
    this.title = name
    this.detail = told
    this.errors = fields
    this.instance = textOf(instance) ?? headers.get('x-request-id') ?? undefined
    this.retryAfterSeconds = secondsUntil(headers)
  }
}

/** A proxy's answer has the same members with other values, or none of them: each is read if it is what it should be. */
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

function fieldErrorsIn(value: unknown): FieldError[] {
  const { path, code, message } = membersOf(value)
  return typeof message === 'string' ? [{ path: textOf(path) ?? '', code: textOf(code) ?? '', message }] : []
}

/** Of an HTTP date, which begins with the name of a day; else nothing. */
const timeOf = (text: string | null): number | undefined =>
  text !== null && /^[A-Z]/.test(text) ? Date.parse(text) || undefined : undefined

/** Retry-After is a number of seconds, or a date: counted from the date of the answer, since the clock here may differ. */
function secondsUntil(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(text)) return Number(text)
  const until = timeOf(text)
  if (until === undefined) return undefined
  return Math.max(0, Math.ceil((until - (timeOf(headers.get('date')) ?? Date.now())) / 1000))
}

/** What a JSON object holds; anything else holds nothing. */
export const membersOf = (value: unknown): Partial<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {}

/** A text that is no JSON is a proxy's page; its status says enough. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Another server than a platform has answered. */
export const foreign = ({ status }: Response, address: string): Error =>
  new Error(
    `${status} from ${address || 'the server'}: the answer is not of a Countersign platform. Is its address right?`,
  )
