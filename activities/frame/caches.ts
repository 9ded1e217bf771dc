import type { LRUCache } from 'lru-cache'

/** Lifetimes in a cache by the process' own clock, exactly: as an option, so that a test may set the clock. */
export const byClock = (
  now: () => Date,
): Pick<LRUCache.OptionsBase<string, object, unknown>, 'perf' | 'ttlResolution'> => ({
  perf: { now: () => now().getTime() },
  ttlResolution: 0,
})
