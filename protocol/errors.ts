/** A path into the caller's input, the rule it breaks, and what was expected. */
export interface FieldError {
  path: string
  code: string
  message: string
}

/**
 * The one error class for everything the platform refuses on purpose. `code` is dotted and stable
 * (`did.not_found`); api/frame/errors.ts maps it to an HTTP status, activities/worker.ts makes it non-retryable.
 * Messages are for people: what is wrong and what to do next, never a secret and never personal data.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'

  constructor(
    readonly code: string,
    message: string,
    readonly errors: FieldError[] = [],
    /** `cause`: what a library threw, for the log. */
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** A refusal for now: 429 with Retry-After over HTTP. */
export class TooMany extends Refusal {
  constructor(
    code: string,
    message: string,
    readonly retryAfterSeconds: number,
  ) {
    super(code, message)
  }
}

/** Something that we depend on is away; the same request may succeed later. Retryable: 503 with Retry-After over HTTP. */
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

/** A tenant has more than its share of what others want too: 429 with Retry-After over HTTP, retryable like what is away. */
export class Exhausted extends Unavailable {
  override readonly name = 'Exhausted'
}

/**
 * Our own code failed over a document in a way that nobody foresaw. The same document meets the same fault again, so that
 * waiting mends nothing: 500 over HTTP, and a batch goes on without the row (D-153).
 */
export class DocumentFault extends Error {
  override readonly name = 'DocumentFault'
}

/** Work over a document and nothing else: what it throws, other than a refusal, is a `DocumentFault`. */
export async function overDocument<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal || error instanceof Unavailable) throw error
    throw new DocumentFault('A document could not be processed.', { cause: error })
  }
}
