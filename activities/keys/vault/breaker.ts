import { Unavailable } from '../../../protocol/errors.ts'
import { Barred } from './answers.ts'

export interface Breaker {
  /** Runs `work`, or refuses at once with `Unavailable('keys')` while the store is known to be unavailable. */
  run<Result>(work: () => Promise<Result>): Promise<Result>
  /** Lets calls through again, because the store answered. */
  reset(): void
}

export interface BreakerOptions {
  now?: () => number
  threshold?: number
  openMs?: number
  /** Called when the breaker begins to refuse calls, and when it stops. */
  changed?(open: boolean): void
}

/** Refuses calls after `threshold` failures in a row; after `openMs` lets one call through to test the store. */
export function createBreaker(options: BreakerOptions = {}): Breaker {
  const { now = Date.now, threshold = 3, openMs = 5_000, changed } = options
  let failures = 0
  let openedAt = 0
  let reason = ''
  let probing = false

  const reset = () => {
    if (failures >= threshold) changed?.(false)
    failures = 0
  }
  const attempt = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      const result = await work()
      reset()
      return result
    } catch (error) {
      if (error instanceof Unavailable && error.part === 'keys' && !(error instanceof Barred)) {
        failures += 1
        if (failures === threshold) changed?.(true)
        openedAt = now()
        reason = error.message
      } else if (error instanceof Barred || !(error instanceof Unavailable)) reset() // an outage of another part says nothing
      throw error
    }
  }

  return {
    reset,
    async run(work) {
      if (failures < threshold) return attempt(work)
      const waitMs = openedAt + openMs - now()
      if (waitMs > 0 || probing) throw new Unavailable('keys', reason, Math.max(1, Math.ceil(waitMs / 1000)))
      probing = true
      try {
        return await attempt(work)
      } finally {
        probing = false
      }
    },
  }
}
