import { LRUCache } from 'lru-cache'
import { Unavailable } from '../../../protocol/errors.ts'
import { OutboundFault } from './faults.ts'
import { createHostSlots } from './slots.ts'

export interface TurnOptions {
  /** Calls in one process at a time: below the worker's 100 activities, so that others have room. */
  atOnce?: number
  perTenant?: number
  perHost?: number
  /** Calls of one tenant to one host: below `perHost`, so that other tenants have room at it. */
  perTenantAtHost?: number
  /** Calls of one tenant that wait in the process for a slow host; more come again later. */
  waitingPerHost?: number
  /** Longest wait in the process. */
  waitMs?: number
  /** Calls within workflow tasks at a time, and those that wait for them: a worker has 40 workflow tasks. */
  soon?: { atOnce: number; waiting: number }
}

const LONGEST_PAUSE_MS = 30_000
/** A receiver that answers later than this gets no attempt within a workflow task. */
const FAST_MS = 500
/** Until a host was called. */
const USUAL_MS = 200
/** Hosts whose pace is stored, and tenants at hosts. */
const KEPT = 1_000

/** A delivery would have to wait for its turn. */
export class NoTurn extends Unavailable {
  override readonly name = 'NoTurn'
}

/**
 * Lets a slow receiver hold up the deliveries to it alone, and a tenant its own: one that finds no place throws
 * `Unavailable('outbound')`, with the time after which Temporal tries it again. That is no attempt of the receiver. The
 * times are spread at the pace of the host, for each tenant by itself, so that a thousand waiting deliveries do not all
 * come at once, nor before those of others.
 */
export function createTurns({
  atOnce = 64,
  perTenant = 32,
  perHost = 8,
  perTenantAtHost = Math.ceil(perHost * 0.75),
  waitingPerHost = 8,
  waitMs = 1_000,
  soon = { atOnce: 16, waiting: 12 },
}: TurnOptions = {}) {
  const all = createHostSlots({ perHost: atOnce, waiting: 0 })
  const tenants = createHostSlots({ perHost: perTenant, waiting: 0 })
  const shares = createHostSlots({ perHost: perTenantAtHost, waiting: waitingPerHost })
  const hosts = createHostSlots({ perHost, waiting: waitingPerHost })
  const tasks = createHostSlots({ perHost: soon.atOnce, waiting: soon.waiting })
  /** By host: milliseconds that a call lasts. */
  const lasts = new LRUCache<string, number>({ max: KEPT })
  /** By tenant and host: when the next call that was sent away may come. */
  const nexts = new LRUCache<string, number>({ max: KEPT })

  const shareOf = (tenantId: string, host: string) => `${tenantId} ${host}`
  const lastsMs = (host: string) => lasts.get(host) ?? USUAL_MS

  const later = (tenantId: string, host: string): Unavailable => {
    const nowMs = performance.now()
    const share = shareOf(tenantId, host)
    const nextMs = Math.max(nowMs + 100, nexts.get(share) ?? 0) + lastsMs(host) / perTenantAtHost
    nexts.set(share, nextMs)
    const pauseMs = Math.min(LONGEST_PAUSE_MS, nextMs - nowMs)
    return new Unavailable('outbound', 'Other deliveries have their turn first.', pauseMs / 1000)
  }

  const measured = async <T>(host: string, work: () => Promise<T>): Promise<T> => {
    const fromMs = performance.now()
    try {
      return await work()
    } finally {
      lasts.set(host, (lastsMs(host) + performance.now() - fromMs) / 2)
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
    all.run('', signal, () =>
      tenants.run(tenantId, signal, () =>
        shares.run(shareOf(tenantId, host), signal, () => hosts.run(host, signal, () => measured(host, work))),
      ),
    )

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
        throw isBusy(error) ? later(tenantId, host) : error
      }
    },
    /** Runs `work` as `run` does, for a workflow task that waits for it. Throws `NoTurn`: not called. */
    async runAtOnce<T>(tenantId: string, url: string, work: () => Promise<T>): Promise<T> {
      const host = new URL(url).hostname
      const none = () => new NoTurn('outbound', 'An activity makes this attempt.')
      if (lastsMs(host) > FAST_MS) throw none()
      try {
        return await patiently((signal) => tasks.run('', signal, () => inTurn(tenantId, host, signal, work)))
      } catch (error) {
        throw isBusy(error) ? none() : error
      }
    },
  }
}

export type Turns = ReturnType<typeof createTurns>
