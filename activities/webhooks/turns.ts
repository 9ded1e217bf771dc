import { Unavailable } from '../../protocol/errors.ts'
import { OutboundFault } from '../frame/outbound/faults.ts'
import { createHostSlots } from '../frame/outbound/slots.ts'

export interface TurnOptions {
  /** Deliveries in one process at a time: below the worker's 100 activities, so that others have room. */
  atOnce?: number
  perTenant?: number
  perHost?: number
  /** Deliveries that wait in the process for a slow host; more come again later. */
  waitingPerHost?: number
  /** Longest wait in the process. */
  waitMs?: number
  /** Deliveries within workflow tasks at a time, and those that wait for them: a worker has 40 workflow tasks. */
  soon?: { atOnce: number; waiting: number }
}

const LONGEST_PAUSE_MS = 30_000
/** A receiver that answers later than this gets no attempt within a workflow task. */
const FAST_MS = 500
/** Hosts whose pace is stored. */
const KEPT = 1_000

/** A delivery would have to wait for its turn. */
export class NoTurn extends Unavailable {
  override readonly name = 'NoTurn'
}

/**
 * Lets a slow receiver hold up its own deliveries alone: one that finds no place throws `Unavailable('outbound')`, with
 * the time after which Temporal tries it again. That is no attempt of the receiver. The times are spread at the host's
 * own pace, so that a thousand waiting deliveries do not all come at once.
 */
export function createTurns({
  atOnce = 64,
  perTenant = 32,
  perHost = 8,
  waitingPerHost = 8,
  waitMs = 1_000,
  soon = { atOnce: 16, waiting: 12 },
}: TurnOptions = {}) {
  const all = createHostSlots({ perHost: atOnce, waiting: 0 })
  const tenants = createHostSlots({ perHost: perTenant, waiting: 0 })
  const hosts = createHostSlots({ perHost, waiting: waitingPerHost })
  const tasks = createHostSlots({ perHost: soon.atOnce, waiting: soon.waiting })
  /** By host: when the next delivery that was sent away may come, and how long one lasts. */
  const paces = new Map<string, { nextAt: number; lastsMs: number }>()

  const paceOf = (host: string) => {
    const pace = paces.get(host) ?? { nextAt: 0, lastsMs: 200 }
    paces.delete(host)
    paces.set(host, pace) // the newest last
    const [oldest] = paces.keys()
    if (paces.size > KEPT && oldest !== undefined) paces.delete(oldest)
    return pace
  }

  const later = (host: string): Unavailable => {
    const pace = paceOf(host)
    const nowMs = performance.now()
    pace.nextAt = Math.max(nowMs + 100, pace.nextAt) + pace.lastsMs / perHost
    const pauseMs = Math.min(LONGEST_PAUSE_MS, pace.nextAt - nowMs)
    return new Unavailable('outbound', 'Other deliveries have their turn first.', pauseMs / 1000)
  }

  const measured = async <T>(host: string, work: () => Promise<T>): Promise<T> => {
    const fromMs = performance.now()
    try {
      return await work()
    } finally {
      const pace = paceOf(host)
      pace.lastsMs = (pace.lastsMs + performance.now() - fromMs) / 2
    }
  }

  const isBusy = (error: unknown) => error instanceof OutboundFault && error.kind === 'busy'

  /** Gives a signal that ends the waits, but not the work, after `waitMs`. */
  async function patiently<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const patience = new AbortController()
    const timer = setTimeout(() => patience.abort(new OutboundFault('busy', 'The wait was too long.')), waitMs)
    try {
      return await work(patience.signal)
    } finally {
      clearTimeout(timer)
    }
  }

  const inTurn = <T>(tenantId: string, host: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> =>
    all.run('', signal, () => tenants.run(tenantId, signal, () => hosts.run(host, signal, () => measured(host, work))))

  return {
    /**
     * Runs `work`, which calls the URL for the tenant, in its turn. All ports of a host share its places, as in the
     * frame's slots. Throws `Unavailable('outbound')`: not called.
     */
    async run<T>(tenantId: string, url: string, work: () => Promise<T>): Promise<T> {
      const host = new URL(url).hostname
      try {
        return await patiently((signal) => inTurn(tenantId, host, signal, work))
      } catch (error) {
        throw isBusy(error) ? later(host) : error
      }
    },
    /** Runs `work` as `run` does, for a workflow task that waits for it. Throws `NoTurn`: not called. */
    async runAtOnce<T>(tenantId: string, url: string, work: () => Promise<T>): Promise<T> {
      const host = new URL(url).hostname
      const none = () => new NoTurn('outbound', 'An activity makes this attempt.')
      if (paceOf(host).lastsMs > FAST_MS) throw none()
      try {
        return await patiently((signal) => tasks.run('', signal, () => inTurn(tenantId, host, signal, work)))
      } catch (error) {
        throw isBusy(error) ? none() : error
      }
    },
  }
}

export type Turns = ReturnType<typeof createTurns>
