import type { Call } from '../activities/operations.ts'
import type { Caller } from '../activities/tokens-logs.tokens.ts'
import type { Refusal } from '../protocol/errors.ts'
import type { Replay } from './idempotency.ts'

declare global {
  namespace Express {
    interface Request {
      rawBody: Buffer
      /** Set when a valid bearer token came with the request. */
      caller?: Caller
      /** Set when what came as a bearer token is none. */
      refused?: Refusal
      idempotency?: Call['idempotency']
      /** The operation reads the body itself, as it arrives. */
      streamed?: true
      /** The stored answer to a stream's Idempotency-Key. */
      replay?: Replay
    }
  }
}
