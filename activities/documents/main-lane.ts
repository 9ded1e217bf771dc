import { LRUCache } from 'lru-cache'
import { createWorkClock } from './work-clock.ts'

/** Average processor time that a tenant's light documents may take; ordinary ones take half a millisecond. */
const MOST_MS = 2.5
/** Weight of one document in the average. */
const WEIGHT = 0.05
/** What one document counts at most: the first ones of a process, which compile our code, change the average little. */
const COUNTED_MS = 10
/** A tenant's average is dropped this long after its last document. */
const REMEMBERED_MS = 10_000

export interface MainLane {
  /** Whether the tenant's light documents run on the event loop: not when they delay everybody. */
  takes(tenantId: string): boolean
  /** Runs the work of a document, and adds its time to the tenant's average. */
  measure<Result>(tenantId: string, work: () => Promise<Result>): Promise<Result>
}

export interface Clocks {
  /** Milliseconds. */
  now(): number
  /** Milliseconds of processor time that this thread has used. */
  worked(): number
}

/**
 * The lane of light documents on the event loop, which all tenants share. Bounds on a document's form tell roughly what
 * it costs, processor time tells exactly, also on a machine that is busy with other work: a tenant whose documents are
 * the costly kind has them processed in threads, where they wait for their turn.
 */
export function createMainLane({
  now = () => performance.now(),
  worked = createWorkClock(),
}: Partial<Clocks> = {}): MainLane {
  const averages = new LRUCache<string, number>({ max: 1_000, ttl: REMEMBERED_MS, ttlResolution: 0, perf: { now } })
  /** Documents that are processed at the same time take turns within one turn of the event loop, and share its time. */
  let active = 0
  let shared = 0
  let last = 0

  const pass = () => {
    const time = worked()
    if (active > 0) shared += (time - last) / active
    last = time
  }

  return {
    takes: (tenantId) => (averages.get(tenantId) ?? 0) < MOST_MS,
    async measure(tenantId, work) {
      pass()
      active += 1
      const sharedAtStart = shared
      try {
        return await work()
      } finally {
        pass()
        active -= 1
        const average = averages.get(tenantId) ?? 0
        averages.set(tenantId, average + WEIGHT * (Math.min(COUNTED_MS, shared - sharedAtStart) - average))
      }
    },
  }
}
