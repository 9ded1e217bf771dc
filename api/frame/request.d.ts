import type { Call } from '../../activities/frame/operations.ts'
import type { Client } from '../../activities/tokens-logs/clients.ts'
import type { Caller } from '../../activities/tokens-logs/tokens.ts'
import type { Refusal } from '../../protocol/errors.ts'
import type { Noted } from './authentication.ts'
import type { Replay } from './idempotency.ts'

declare global {
  namespace Express {
    interface Request {
      rawBody: Buffer
      /** The address that limits count: an IPv4 address, or the network of an IPv6 address. */
      address: string
      /** Whether it has a forwarded header. */
      forwarded: boolean
      /** Set when the request has a valid bearer token. */
      caller?: Caller
      /** The client id of a token request. */
      clientId?: string
      /** Set on the token endpoint when client id and secret are right. */
      client?: Client
      /** Set when the bearer token is not valid. */
      refused?: Refusal
      /** Its path answers wallets. */
      isOfWallet?: true
      idempotency?: Call['idempotency']
      /** What the operation adds to its log entry. */
      noted?: Noted
      /** The media type of the response, of an operation that has several. */
      mediaType?: string | undefined
      /** The operation reads the body as a stream. */
      streamed?: true
      /** The file of a form, which stands for a member of the body. */
      sentFile?: Buffer
      /** The JWT that came in place of a JSON body. */
      sentJwt?: string
      /** The stored answer to a stream's Idempotency-Key. */
      replay?: Replay
    }
  }
}
