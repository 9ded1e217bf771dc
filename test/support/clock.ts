import type { Clock } from '../../activities/frame/threads/queue.ts'

/** A clock that stands still until it is moved; what is due on the way is called in its order. */
export function fakeClock() {
  let time = 0
  const alarms = new Set<{ at: number; call: () => void }>()
  const clock: Clock = {
    now: () => time,
    after(ms, call) {
      const alarm = { at: time + ms, call }
      alarms.add(alarm)
      return () => alarms.delete(alarm)
    },
  }
  return {
    clock,
    /** Also lets everything run that a call has set free. */
    async pass(ms: number): Promise<void> {
      await settle()
      const end = time + ms
      for (;;) {
        const [next] = [...alarms].filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)
        if (!next) break
        alarms.delete(next)
        time = next.at
        next.call()
        await settle()
      }
      time = end
      await settle()
    },
  }
}

/** Everything that waits for nothing but its turn on the event loop has run. */
export const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
