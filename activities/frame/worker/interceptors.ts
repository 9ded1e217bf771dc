import type { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import type { ActivityInterceptorsFactory } from '@temporalio/worker'
import { Histogram, type Registry } from 'prom-client'
import { Refusal, Unavailable } from '../../../protocol/errors.ts'

/** A retry costs little, and a longer outage, e.g. a refused login, may be repaired at any moment. */
const LONGEST_RETRY_SECONDS = 30

/**
 * Converts an activity's error for Temporal. A refusal is final, with its code as the type. An outage names the time of
 * the next attempt. All other errors are retried by the workflow's options.
 */
const activityFailure = (error: unknown): unknown => {
  if (error instanceof Refusal) {
    return ApplicationFailure.create({
      message: error.message,
      type: error.code,
      nonRetryable: true,
      details: [error.errors],
      cause: error,
    })
  }
  if (error instanceof Unavailable) {
    return ApplicationFailure.create({
      message: error.message,
      type: `unavailable.${error.part}`,
      nextRetryDelay: `${Math.min(error.retryAfterSeconds, LONGEST_RETRY_SECONDS)}s`,
      cause: error,
    })
  }
  return error
}

const outcomeOf = (error: unknown): string =>
  error instanceof Refusal ? 'refused' : error instanceof Unavailable ? 'unavailable' : 'failed'

/**
 * Sends heartbeats while `work` runs, where the workflow asked for them; activities themselves know nothing of
 * Temporal.
 */
async function withHeartbeat<T>({ info, heartbeat }: Context, work: () => Promise<T>): Promise<T> {
  const timer = info.heartbeatTimeoutMs ? setInterval(() => heartbeat(), info.heartbeatTimeoutMs / 3) : undefined
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}

/** Around every activity: duration by type and outcome, heartbeats, and refusals made final. */
export function createActivityInterceptors(metrics: Registry): ActivityInterceptorsFactory {
  const seconds = new Histogram({
    name: 'countersign_activity_seconds',
    help: 'Duration of activity attempts by type and outcome',
    labelNames: ['activity', 'outcome'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [metrics],
  })
  return (context) => ({
    inbound: {
      async execute(input, next) {
        const end = seconds.startTimer({ activity: context.info.activityType })
        try {
          const result = await withHeartbeat(context, () => next(input))
          end({ outcome: 'done' })
          return result
        } catch (error) {
          end({ outcome: outcomeOf(error) })
          throw activityFailure(error)
        }
      },
    },
  })
}
