import { Exhausted, Unavailable } from '../../../protocol/errors.ts'
import { createFairTurns } from '../limits/fair-turns.ts'
import type { ThreadBudget } from './budget.ts'
import type { ThreadObserver } from './metrics.ts'

/** In milliseconds; never goes back. */
export interface Clock {
  now(): number
  /** Calls `call` once after so many milliseconds; returns a function that cancels it. */
  after(ms: number, call: () => void): () => void
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}

export interface FairQueueOptions {
  /** Part that is reported unavailable when the queue is full. */
  part: 'documents' | 'keys'
  /** Tasks that run at a time. */
  slots: number
  /** Tasks that may wait, in all and per tenant. */
  maxWaiting: number
  maxWaitingPerTenant: number
  /** Milliseconds that a task may wait. */
  maxWaitMs: number
  /** Undefined: no tenant is refused for its use; batches wait for their turn instead. */
  budget?: ThreadBudget
  observer: ThreadObserver
  clock: Clock
}

/**
 * Reports the cost of a task, in milliseconds of work of its thread. A task that does not call it is charged by the
 * clock.
 */
export type Spend = (workMs: number) => void

export interface FairQueue {
  /**
   * Runs a task when it is its tenant's turn. Throws `Exhausted` (429) when the tenant is over its budget while others
   * need threads, or has too many waiting tasks, and `Unavailable` (503) when too many tasks wait in all, or one for
   * too long.
   */
  run<Result>(tenantId: string, task: (spend: Spend) => Promise<Result>): Promise<Result>
}

/** Begins a waiting task, which reports its cost to `end`. */
type Begin = (end: (cost: number) => void) => void

/** Assumed cost of a tenant's first task, in milliseconds. */
const FIRST_COST_MS = 50
/** Delay before a tenant over its budget is refused, to slow down a client that ignores Retry-After. */
const HELD_MS = 1_000
/** Time for which threads count as wanted after several tenants used all of them. */
const WANTED_MS = 10_000
const LONGEST_RETRY_SECONDS = 30

/**
 * Slots that tenants share fairly. A task cannot be interrupted, so no tenant gets all slots: one is left for the
 * others.
 */
export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { part, slots, maxWaiting, maxWaitingPerTenant, maxWaitMs, budget, observer, clock } = options
  const turns = createFairTurns<Begin>({ perTenant: Math.max(1, slots - 1), firstCost: FIRST_COST_MS })
  const heldCounts = new Map<string, number>()
  let running = 0
  let wantedUntil = Number.NEGATIVE_INFINITY

  const overForMs = (tenantId: string): number => (clock.now() < wantedUntil ? (budget?.overForMs(tenantId) ?? 0) : 0)

  const exhausted = (tenantId: string, reason: 'budget' | 'tenant', detail: string) => {
    observer.refused(reason)
    return new Exhausted(part, detail, Math.max(1, Math.ceil(overForMs(tenantId) / 1000)))
  }
  const overBudget = (tenantId: string) =>
    exhausted(
      tenantId,
      'budget',
      'The tenant has used its share of computing time while other tenants wait. Try again later.',
    )

  const notNow = (reason: 'queue' | 'late', detail: string) => {
    observer.refused(reason)
    const seconds = Math.ceil(turns.expectedCost() / slots / 1000)
    return new Unavailable(part, detail, Math.min(LONGEST_RETRY_SECONDS, Math.max(1, seconds)))
  }

  /** Checks the budget again after the delay, because other tenants may be done by then. */
  async function assertWithinBudget(tenantId: string): Promise<void> {
    if (overForMs(tenantId) === 0) return
    const count = heldCounts.get(tenantId) ?? 0
    if (count >= maxWaitingPerTenant) throw overBudget(tenantId)
    heldCounts.set(tenantId, count + 1)
    await new Promise<void>((resolve) => clock.after(HELD_MS, resolve))
    const left = (heldCounts.get(tenantId) ?? 1) - 1
    if (left > 0) heldCounts.set(tenantId, left)
    else heldCounts.delete(tenantId)
    if (overForMs(tenantId) > 0) throw overBudget(tenantId)
  }

  function pump() {
    while (running < slots) {
      const turn = turns.next()
      if (turn === undefined) break
      running += 1
      turn.task(turn.end)
    }
    if (running === slots && turns.tenants() > 1) wantedUntil = clock.now() + WANTED_MS
    observer.waiting(turns.size())
  }

  /** Resolves when the caller has a slot, with the function that ends its turn. */
  function turnOf(tenantId: string): Promise<(cost: number) => void> {
    if (turns.sizeOf(tenantId) >= maxWaitingPerTenant)
      throw exhausted(tenantId, 'tenant', 'Too many requests of the tenant wait to be processed. Try again later.')
    if (turns.size() >= maxWaiting) throw notNow('queue', 'Too many requests wait to be processed. Try again later.')
    const since = clock.now()
    return new Promise((resolve, reject) => {
      const begin: Begin = (end) => {
        callOff()
        observer.began((clock.now() - since) / 1000)
        resolve(end)
      }
      const giveUp = () => {
        turns.remove(tenantId, begin)
        observer.waiting(turns.size())
        const late = () => notNow('late', 'The request waited too long to be processed. Try again later.')
        reject(overForMs(tenantId) > 0 ? overBudget(tenantId) : late())
      }
      const callOff = Number.isFinite(maxWaitMs) ? clock.after(maxWaitMs, giveUp) : () => undefined
      turns.add(tenantId, begin)
      pump()
    })
  }

  return {
    async run(tenantId, task) {
      await assertWithinBudget(tenantId)
      const end = await turnOf(tenantId)
      const startedMs = clock.now()
      let workMs: number | undefined
      try {
        return await task((ms) => {
          workMs = ms
        })
      } finally {
        const cost = workMs ?? clock.now() - startedMs
        running -= 1
        end(cost)
        budget?.charge(tenantId, cost)
        observer.worked(cost / 1000)
        pump()
      }
    },
  }
}
