import type { ActivityOptions, LocalActivityOptions } from '@temporalio/workflow'
import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow'

/** Retries without a limit: outages end, and refusals are final anyway (activities/frame/worker/interceptors.ts). */
const untilItWorks = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' } as const

/** Rows and keys: each takes milliseconds unless its part is unavailable; 10 s is above every timeout inside. */
export const quick: ActivityOptions = { startToCloseTimeout: '10s', retry: untilItWorks }

/**
 * One outbound request: DNS, connection, answer and size are bounded inside (OUTBOUND_TIMEOUT_MS), 30 s bounds the sum.
 */
export const outward: ActivityOptions = { startToCloseTimeout: '30s', retry: untilItWorks }

/** One mail to a mail server: connection, greeting and each answer are bounded inside; 2 minutes bound the sum. */
export const mailing: ActivityOptions = { startToCloseTimeout: '2m', retry: untilItWorks }

/**
 * Within a workflow task, which Temporal gives to another worker after 10 s: one outbound request of 3 s at most, or rows
 * and keys. Once; an activity of its own repeats what fails (workflows/at-once.ts).
 */
export const atOnce: LocalActivityOptions = { startToCloseTimeout: '8s', retry: { maximumAttempts: 1 } }

/**
 * A scheduled pass over many rows, while it makes progress. The worker sends heartbeats; after 30 s without one,
 * another worker takes the pass.
 */
export const sweeping: ActivityOptions = { startToCloseTimeout: '1h', heartbeatTimeout: '30s', retry: untilItWorks }

/**
 * Some hundred signatures: a second, or ten with BBS. A worker that is killed is noticed by its missing heartbeat, long
 * before the time is up.
 */
export const chunk: ActivityOptions = { startToCloseTimeout: '5m', heartbeatTimeout: '10s', retry: untilItWorks }

/** Work for one of many, of whom one that fails each time must not hold up the others: for about a minute. */
export const forOneOfMany: ActivityOptions = { ...chunk, retry: { ...untilItWorks, maximumAttempts: 6 } }

/**
 * The refusal that ended an activity: its code, e.g. `did.not_found`, and its sentence; undefined for any other error.
 */
export const refusalOf = (error: unknown): { code: string; message: string } | undefined => {
  const cause = error instanceof ActivityFailure ? error.cause : error
  if (!(cause instanceof ApplicationFailure && cause.nonRetryable && cause.type)) return undefined
  return { code: cause.type, message: cause.message }
}

export const refusalCode = (error: unknown): string | undefined => refusalOf(error)?.code
