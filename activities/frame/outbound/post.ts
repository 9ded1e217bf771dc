import { Refusal } from '../../../protocol/errors.ts'
import { OutboundFault } from './faults.ts'
import type { Outbound, OutboundRequest, OutboundResponse } from './index.ts'

/** What became of a message to somebody else's server. */
export type Posted =
  | { accepted: true; status: number }
  | {
      accepted: false
      /** Of the answer; absent where there was none. */
      status?: number
      /** `answer` for another status than 2xx, else the kind of the fault or the code of the refusal. */
      code: string
      reason: string
      /** The receiver may accept the same message later. */
      mayPass: boolean
    }

/** Of an answer: its text decides nothing, but a receiver that does not end it has not answered. */
const MAX_ANSWER = 20_000

const mayPass = (status: number) => status >= 500 || status === 429 || status === 408

/**
 * Sends a message by POST. The receiver accepts it with a status 2xx and a whole answer in time; redirects are not
 * followed. What the receiver's side does wrong is a result, never an error. `answered` is given each answer, whatever
 * its status.
 */
export async function postMessage(
  outbound: Outbound,
  request: Omit<OutboundRequest, 'method' | 'maxBytes' | 'whenTooLarge' | 'statusOnly'>,
  answered?: (answer: OutboundResponse) => void,
): Promise<Posted> {
  try {
    const how = { method: 'POST', maxBytes: MAX_ANSWER, whenTooLarge: 'cut', statusOnly: true } as const
    const answer = await outbound.fetch({ ...request, ...how })
    const { status } = answer
    answered?.(answer)
    if (status >= 200 && status < 300) return { accepted: true, status }
    return { accepted: false, status, code: 'answer', reason: `answered ${status}`, mayPass: mayPass(status) }
  } catch (error) {
    if (error instanceof OutboundFault)
      return { accepted: false, code: error.kind, reason: error.message, mayPass: true }
    if (!(error instanceof Refusal && error.code.startsWith('outbound.'))) throw error
    return { accepted: false, code: error.code, reason: error.code, mayPass: false }
  }
}
