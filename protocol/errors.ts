/** A path into the caller's input, the code of the broken rule, and the expected value. */
export interface FieldError {
  path: string
  code: string
  message: string
}

/**
 * The error class of every refusal of the platform. `code` is dotted and stable
 * (`did.not_found`); api/frame/errors.ts maps it to an HTTP status, activities/worker.ts makes it non-retryable.
 * Messages are for people: what is wrong and what to do next, never secrets or personal data.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'

  constructor(
    readonly code: string,
    message: string,
    readonly errors: FieldError[] = [],
    /** `cause`: the error of a library, for the log. */
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** A temporary refusal: 429 with Retry-After over HTTP. */
export class TooMany extends Refusal {
  constructor(
    code: string,
    message: string,
    readonly retryAfterSeconds: number,
  ) {
    super(code, message)
  }
}

/** A dependency is not available; the same request may succeed later. Retryable: 503 with Retry-After over HTTP. */
export class Unavailable extends Error {
  override readonly name: string = 'Unavailable'

  constructor(
    readonly part: 'database' | 'temporal' | 'keys' | 'outbound' | 'documents',
    message: string,
    readonly retryAfterSeconds = 5,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** A tenant uses more than its share of a resource. Retryable like `Unavailable`: 429 with Retry-After over HTTP. */
export class Exhausted extends Unavailable {
  override readonly name = 'Exhausted'
}

/**
 * An unexpected error of our own code over a document. A retry would fail in the same way: 500 over HTTP, and a batch
 * continues without the row (D-153).
 */
export class DocumentFault extends Error {
  override readonly name = 'DocumentFault'
}

/** Runs work whose only input is a document: turns errors other than refusals into a `DocumentFault`. */
export async function overDocument<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal || error instanceof Unavailable) throw error
    throw new DocumentFault('A document could not be processed.', { cause: error })
  }
}
