/**
 * Calls `over` once a task has worked for `limitMs`. Time in which the thread waits for an answer of ours does not count:
 * it is not the document's fault.
 */
export function createStopwatch(limitMs: number, over: () => void) {
  let left = limitMs
  let waits = 0
  let since: number | undefined
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const run = () => {
    if (stopped) return
    since = performance.now()
    timer = setTimeout(over, left)
  }
  const halt = () => {
    clearTimeout(timer)
    if (since !== undefined) left = Math.max(0, left - (performance.now() - since))
    since = undefined
  }
  return {
    start: run,
    stop() {
      stopped = true
      halt()
    },
    async whileWaiting<T>(answer: () => Promise<T>): Promise<T> {
      if (waits++ === 0) halt()
      try {
        return await answer()
      } finally {
        if (--waits === 0) run()
      }
    },
  }
}
