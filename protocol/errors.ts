/** A place in the caller's input, the code of the broken rule, and the expected value. */
export interface FieldError {
  /**
   * Names and indexes joined by dots, from the root of the body; the name of a parameter, header or column; empty: the
   * body itself. Names with a dot, a bracket or white space stand in brackets as JSON.
   */
  path: string
  code: string
  message: string
}

/** A name or an index on the way to a place in the caller's input. */
type Step = string | number

/** Names that are read without quotes: no dot, bracket, quote, white space or control character, and not empty. */
const PLAIN = /^[^.[\]"\\\s\p{C}]+$/u

/**
 * The path of a place within another, as `errors[].path` has it: names and indexes joined by dots, from the root of the
 * body; a name that is not plain stands in brackets as JSON, `claims["a.b"]`. The root itself is the empty text.
 */
export const within = (path: string, ...steps: Step[]): string =>
  steps.reduce<string>((at, step) => {
    const name = String(step)
    if (!PLAIN.test(name)) return `${at}[${JSON.stringify(name)}]`
    return at === '' ? name : `${at}.${name}`
  }, path)

/** Whether a path is of a document: a JSON pointer (RFC 6901), of which the empty text is the document itself. */
const isPointer = (path: string): boolean => path === '' || path.startsWith('/')

const stepsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))

/** The path of a JSON pointer into the document at `path`; any other path stays. */
export const pointerWithin = (path: string, pointer: string): string =>
  isPointer(pointer) ? within(path, ...stepsOf(pointer)) : pointer

/** The errors of the document at `path`, with paths from the root of the body. Rules of documents name JSON pointers. */
export const errorsWithin = (path: string, errors: readonly FieldError[]): FieldError[] =>
  errors.map((error) => ({ ...error, path: pointerWithin(path, error.path).slice(0, MAX_PATH) }))

/** Characters of a path that are told: names of members may be as long as a request. */
const MAX_PATH = 500

/** Says what is wrong with a document, by its first error. */
export const firstFault = ([error]: readonly FieldError[]): string =>
  error ? `${pointerWithin('', error.path) || 'it'} ${error.message}` : 'see errors'

/** A generated name with its article, for a sentence; of x25519 the letter is spoken. */
export const withArticle = (name: string): string => `${/^(?:[aeio]|x\d)/i.test(name) ? 'an' : 'a'} ${name}`

/**
 * The error class of every refusal of the platform. `code` is dotted and stable
 * (`did.not_found`); api/frame/errors.ts maps it to an HTTP status, activities/worker.ts makes it non-retryable.
 * Messages are for people: what is wrong and what to do next, never secrets or personal data.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: string
  readonly errors: FieldError[]

  /** `options.cause`: the error of a library, for the log. */
  constructor(code: string, message: string, errors: FieldError[] = [], options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.errors = errors
  }
}

/** The same refusal with other paths in its errors; any other error stays. */
export const withPaths = (error: unknown, pathOf: (path: string) => string): unknown =>
  error instanceof Refusal && error.errors.length > 0
    ? new Refusal(
        error.code,
        error.message,
        error.errors.map((each) => ({ ...each, path: pathOf(each.path) })),
        { cause: error.cause },
      )
    : error

/** A temporary refusal: 429 with Retry-After over HTTP. */
export class TooMany extends Refusal {
  readonly retryAfterSeconds: number

  constructor(code: string, message: string, retryAfterSeconds: number) {
    super(code, message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** A dependency is not available; the same request may succeed later. Retryable: 503 with Retry-After over HTTP. */
export class Unavailable extends Error {
  override readonly name: string = 'Unavailable'
  readonly part: 'database' | 'temporal' | 'keys' | 'outbound' | 'documents' | 'mail'
  readonly retryAfterSeconds: number

  constructor(part: Unavailable['part'], message: string, retryAfterSeconds = 5, options?: ErrorOptions) {
    super(message, options)
    this.part = part
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** A tenant uses more than its share of a resource. Retryable like `Unavailable`: 429 with Retry-After over HTTP. */
export class Exhausted extends Unavailable {
  override readonly name = 'Exhausted'
}

/** Too many calls of the platform wait for a server, which was not called. 503 over HTTP, as any `Unavailable`. */
export class Crowded extends Unavailable {
  override readonly name = 'Crowded'
}

/** Whether a server was not called, for a reason of ours: that is no fact about it. */
export const isUncalled = (error: unknown): error is Exhausted | Crowded =>
  error instanceof Exhausted || error instanceof Crowded

/** Whether a call of somebody else's server failed, which is a fact about it, and not that it was not made. */
export const isOutboundFault = (error: unknown): error is Unavailable =>
  error instanceof Unavailable && error.part === 'outbound' && !isUncalled(error)

/** PostgreSQL and network codes of temporary failures (PostgreSQL, Appendix A). */
const AWAY = /^(08|53|57P0|57014|55P03|25P03|40001|40P01|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND)/

/** Whether an error, or what caused it, is a failure of the database or of the way to it that passes. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  return (
    (typeof code === 'string' && AWAY.test(code)) ||
    /timeout exceeded when trying to connect|Connection terminated/.test(error.message) ||
    isDatabaseAway(cause)
  )
}

/**
 * An unexpected error of our own code over a document. A retry would fail in the same way: 500 over HTTP, and a batch
 * continues without the row (D-153).
 */
export class DocumentFault extends Error {
  override readonly name = 'DocumentFault'
}

/**
 * Runs work whose only input is a document: turns errors other than refusals into a `DocumentFault`. Work that asks the
 * database is none of it: a fault of the database is not the document's.
 */
export async function overDocument<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal || error instanceof Unavailable) throw error
    throw new DocumentFault('A document could not be processed.', { cause: error })
  }
}

/** Foreign text, shortened for a response. */
export const excerpt = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing')
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
