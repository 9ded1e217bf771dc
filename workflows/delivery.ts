import { sleep } from '@temporalio/workflow'

/**
 * Delivers something to somebody else's server, and after each wait again, until no wait follows from an outcome.
 * `attempt` gets the number of the attempt, from 1: what the receiver's side did not accept is counted here, so that a
 * worker that dies costs no attempt.
 */
export async function deliverUntilOver<Outcome>(
  attempt: (nth: number) => Promise<Outcome>,
  waitAfter: (outcome: Outcome, nth: number) => Parameters<typeof sleep>[0] | undefined,
): Promise<Outcome> {
  for (let nth = 1; ; nth += 1) {
    const outcome = await attempt(nth)
    const wait = waitAfter(outcome, nth)
    if (wait === undefined) return outcome
    await sleep(wait)
  }
}
