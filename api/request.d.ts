import type { Call } from '../activities/operations.ts'
import type { Caller } from '../activities/tokens-logs.tokens.ts'

declare global {
  namespace Express {
    interface Request {
      rawBody: Buffer
      /** Set when a valid bearer token came with the request. */
      caller?: Caller
      idempotency?: Call['idempotency']
    }
  }
}
