import type { Call } from '../activities/operations.ts'
import type { Caller } from '../activities/tokens-logs.tokens.ts'
import type { Refusal } from '../protocol/errors.ts'

declare global {
  namespace Express {
    interface Request {
      rawBody: Buffer
      /** Set when a valid bearer token came with the request. */
      caller?: Caller
      /** Set when what came as a bearer token is none. */
      refused?: Refusal
      idempotency?: Call['idempotency']
    }
  }
}
