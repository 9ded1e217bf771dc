import { createThreadBudget } from './budget.ts'
import { type PoolName, type ThreadObserver, unobserved } from './metrics.ts'
import { type Clock, createFairQueue, type FairQueue, type FairQueueOptions, systemClock } from './queue.ts'

export interface ThreadsOptions {
  /** Milliseconds of work per tenant and minute, over all pools of the process; by default unlimited. */
  budgetMsPerMinute?: number
  /** Refuses no task, lets all wait: for batches, whose number of tasks the worker bounds. */
  patient?: boolean
  observe?: (pool: PoolName) => ThreadObserver
  clock?: Clock
}

type Bounds = Pick<FairQueueOptions, 'part' | 'slots' | 'maxWaiting'>

export interface ThreadPool {
  queue: FairQueue
  observer: ThreadObserver
}

/**
 * What the thread pools of a process share: fair turns among tenants, and one budget of thread time for each tenant.
 */
export interface Threads {
  pool(name: PoolName, bounds: Bounds): ThreadPool
}

/** Longer than a caller waits for an answer. */
const LONGEST_WAIT_MS = 20_000

export function createThreads(options: ThreadsOptions = {}): Threads {
  const { budgetMsPerMinute, patient = false, observe = () => unobserved, clock = systemClock } = options
  const budget =
    budgetMsPerMinute === undefined || patient
      ? undefined
      : createThreadBudget({ msPerMinute: budgetMsPerMinute, now: clock.now })
  const endless = Number.POSITIVE_INFINITY
  return {
    pool(name, { part, slots, maxWaiting }) {
      const observer = observe(name)
      const bounds = patient
        ? { maxWaiting: endless, maxWaitingPerTenant: endless, maxWaitMs: endless }
        : { maxWaiting, maxWaitingPerTenant: Math.ceil(maxWaiting / 2), maxWaitMs: LONGEST_WAIT_MS }
      return { observer, queue: createFairQueue({ part, slots, ...bounds, budget, observer, clock }) }
    },
  }
}
