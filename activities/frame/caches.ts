import type { LRUCache } from 'lru-cache'

/** Options for a cache whose lifetimes follow `now`, so that a test may set the clock. */
export const byClock = (
  now: () => Date,
): Pick<LRUCache.OptionsBase<string, object, unknown>, 'perf' | 'ttlResolution'> => ({
  perf: { now: () => now().getTime() },
  ttlResolution: 0,
})

/**
 * Returns a function that runs `work` once per name at a time: concurrent callers get the same outcome, also a failure.
 * The outcome is not kept; `work` may have a cache of its own. lru-cache's own `fetch` keeps what it fetched, and makes
 * readers of a good entry wait while it is refreshed.
 */
export function singleFlight<Outcome>() {
  const flights = new Map<string, Promise<Outcome>>()
  return (name: string, work: () => Promise<Outcome>): Promise<Outcome> => {
    const flight = flights.get(name) ?? work().finally(() => flights.delete(name))
    flights.set(name, flight)
    return flight
  }
}
