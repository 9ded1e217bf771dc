import { LRUCache } from 'lru-cache'
import type { Dependencies } from '../dependencies.ts'
import { byClock, singleFlight } from '../frame/caches.ts'

/** Less than from one pass of the schedule to the next, so that each pass reads what is there then. */
const LIFETIME_MS = 4 * 60_000
const MAX_TEXTS = 100
/** Four of the largest lists, or 40 as long as that of the EU. */
const MAX_BYTES = 64 * 1024 * 1024

/** How a reading takes texts that were fetched for other lists. */
export interface Sharing {
  /** Whether it took one that was fetched before. */
  tookKept: boolean
}

/**
 * Texts of addresses that many lists name, of one tenant or several, such as that of the list of lists: the schedule
 * fetches each once within four minutes (D-866). Nothing else is shared: each list verifies its text itself.
 */
export function createTexts({ now }: Pick<Dependencies, 'now'>) {
  const kept = new LRUCache<string, string>({
    max: MAX_TEXTS,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ length }) => 2 * length + 512,
    ttl: LIFETIME_MS,
    ttlAutopurge: true,
    ...byClock(now),
  })
  const once = singleFlight<string>()

  return {
    /** `sharing`: undefined where the text must be the one that is there now. Throws what `fetch` throws. */
    async text(name: string, sharing: Sharing | undefined, fetch: () => Promise<string>): Promise<string> {
      const anew = async () => {
        const text = await fetch()
        // one that a request reads is kept for nobody, but in place of an earlier one
        if (sharing || kept.has(name)) kept.set(name, text)
        return text
      }
      if (!sharing) return anew()
      const known = kept.get(name)
      if (known !== undefined) {
        sharing.tookKept = true
        return known
      }
      let isOwn = false
      const own = () => {
        isOwn = true
        return anew()
      }
      const [outcome] = await Promise.allSettled([once(name, own)])
      if (outcome.status === 'fulfilled') return outcome.value
      if (isOwn) throw outcome.reason
      // what keeps one tenant from reading it, such as its budget, says nothing to another one
      return anew()
    },
  }
}
