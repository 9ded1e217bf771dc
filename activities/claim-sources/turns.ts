import { createHostSlots } from '../frame/outbound/slots.ts'
import { createTurns } from '../frame/outbound/turns.ts'

/** Activities in one process at a time, with their pauses: below the worker's 100, so that others have room. */
const AT_ONCE = 64
/** Of one tenant. */
const PER_TENANT = 24

/**
 * Lets a slow claim source hold up the issuances of its tenant alone. Where an activity finds no place, or its call no
 * turn, both throw `Unavailable('outbound')`: the wait is Temporal's, and takes no place in the worker.
 */
export function createFetchTurns() {
  const all = createHostSlots({ perHost: AT_ONCE, waiting: 0 })
  const tenants = createHostSlots({ perHost: PER_TENANT, waiting: 0 })
  const turns = createTurns() // an activity makes one call at a time, so that these limits hold for calls, too
  const { signal } = new AbortController() // nobody waits
  return {
    /** Runs an activity of the tenant. */
    activity: <T>(tenantId: string, work: () => Promise<T>): Promise<T> =>
      all.run('', signal, () => tenants.run(tenantId, signal, work)),
    /** Runs a call of the URL: 8 at a time to one host, 6 of one tenant. */
    call: turns.run,
  }
}
