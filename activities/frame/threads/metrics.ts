import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/**
 * Why a task was not done: its tenant is over its `budget` or has too many in the `tenant`'s own line, the whole
 * `queue` is full, its turn came too `late`, or it took too much `time` or `memory`.
 */
export const REFUSED_FOR = ['budget', 'tenant', 'queue', 'late', 'time', 'memory'] as const
export type RefusedFor = (typeof REFUSED_FOR)[number]

/** Measures one pool of threads. */
export interface ThreadObserver {
  /** Tasks that wait now. */
  waiting(count: number): void
  /** A task began after so many seconds. */
  began(waitedSeconds: number): void
  /** A task ended after so many seconds of work. */
  worked(seconds: number): void
  refused(reason: RefusedFor): void
}

export const unobserved: ThreadObserver = {
  waiting: () => undefined,
  began: () => undefined,
  worked: () => undefined,
  refused: () => undefined,
}

export const POOLS = ['documents', 'bbs'] as const
/** Threads for documents, and those that make BBS keys and signatures. */
export type PoolName = (typeof POOLS)[number]

/** By pool and reason, never by tenant: the number of series must not grow with theirs. */
export function threadMetrics(metrics: Registry): (pool: PoolName) => ThreadObserver {
  const registers = [metrics]
  const waiting = new Gauge({
    name: 'countersign_thread_tasks_waiting',
    help: 'Tasks that wait for a thread, by pool',
    labelNames: ['pool'],
    registers,
  })
  const waited = new Histogram({
    name: 'countersign_thread_wait_seconds',
    help: 'Seconds that a task waited for a thread, by pool',
    labelNames: ['pool'],
    buckets: [0.001, 0.01, 0.05, 0.1, 0.5, 1, 5, 20],
    registers,
  })
  const busy = new Counter({
    name: 'countersign_thread_busy_seconds_total',
    help: 'Seconds that threads worked, by pool',
    labelNames: ['pool'],
    registers,
  })
  const refused = new Counter({
    name: 'countersign_thread_tasks_refused_total',
    help: 'Tasks that were not done, by pool and reason',
    labelNames: ['pool', 'reason'],
    registers,
  })
  for (const pool of POOLS) {
    waiting.set({ pool }, 0)
    busy.inc({ pool }, 0)
    for (const reason of REFUSED_FOR) refused.inc({ pool, reason }, 0) // a rate needs the zero before
  }
  return (pool) => ({
    waiting: (count) => waiting.set({ pool }, count),
    began: (seconds) => waited.observe({ pool }, seconds),
    worked: (seconds) => busy.inc({ pool }, seconds),
    refused: (reason) => refused.inc({ pool, reason }),
  })
}
