import { type ClaimsFailure, type ClaimsPart, reasonOf } from '../../protocol/claim-sources/outcome.ts'
import { Refusal } from '../../protocol/errors.ts'
import { OutboundFault } from '../frame/outbound/faults.ts'

/** A call of a claim source that led to no claims: what the other side did wrong, never an error of ours. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed'
  readonly failure: ClaimsFailure

  constructor(part: ClaimsPart, failure: Omit<ClaimsFailure, 'part'>) {
    super(failure.code)
    this.failure = { part, ...failure }
  }
}

/** Whether a server that answered so may answer otherwise later. */
export const mayPass = (status: number): boolean => status >= 500 || status === 429 || status === 408

/** Names what an outbound call to one of the two servers threw; any other error stays. */
export async function named<Result>(part: ClaimsPart, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof OutboundFault)
      throw new CallFailed(part, { code: error.kind, reason: reasonOf(error.kind), mayPass: true })
    if (error instanceof Refusal && error.code.startsWith('outbound.'))
      throw new CallFailed(part, { code: error.code, reason: reasonOf(error.code), mayPass: false })
    throw error
  }
}
