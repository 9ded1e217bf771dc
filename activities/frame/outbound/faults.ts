import { Unavailable } from '../../../protocol/errors.ts'

/**
 * `timeout`: no whole answer in time. `connection`: none was made, or it broke. `not_called`: the name has no public
 * address. `busy`: too many calls wait for the host; it was not called.
 */
export type OutboundFaultKind = 'timeout' | 'connection' | 'not_called' | 'busy'

/** An outbound call without an answer. A retry may succeed. */
export class OutboundFault extends Unavailable {
  readonly kind: OutboundFaultKind

  constructor(kind: OutboundFaultKind, message: string, options?: ErrorOptions) {
    super('outbound', message, 5, options)
    this.kind = kind
  }
}
