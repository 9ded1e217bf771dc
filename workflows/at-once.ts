import { isCancellation, log, TemporalFailure } from '@temporalio/workflow'

/**
 * Does a step within the workflow's task, which costs Temporal half of what an activity of its own costs (D-366). An activity
 * of its own does what failed there, with its retries and where operators see them, and what `atOnce` leaves undefined.
 */
export async function atOnceOr<Result>(
  what: string,
  atOnce: () => Promise<Result | undefined>,
  later: () => Promise<Result>,
): Promise<Result> {
  const result = await atOnce().catch((error: unknown) => {
    if (!(error instanceof TemporalFailure) || isCancellation(error)) throw error
    log.info(`an activity of its own has to ${what}`, { reason: error.message })
    return undefined
  })
  return result ?? later()
}
