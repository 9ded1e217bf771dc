import type { Call } from '../../activities/frame/operations.ts'
import type { Client } from '../../activities/tokens-logs/clients.ts'
import type { Caller } from '../../activities/tokens-logs/tokens.ts'
import type { Refusal } from '../../protocol/errors.ts'
import type { Replay } from './idempotency.ts'

declare global {
  namespace Express {
    interface Request {
      rawBody: Buffer
      /** Where it comes from, as limits count it: an address, or the network of an IPv6 address. */
      address: string
      /** It came through a proxy, or says so. */
      forwarded: boolean
      /** Set when a valid bearer token came with the request. */
      caller?: Caller
      /** The client id that a request for a token names. */
      clientId?: string
      /** Set on the token endpoint when client id and secret are right. */
      client?: Client
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
