/** Use of a thread: milliseconds of work on the task, and megabytes of its heap and of bytes beside it. */
export interface Used {
  workMs: number
  heapMb: number
}

export interface WatchOptions {
  /** `waitMs`: for all our answers together, while the thread waits. */
  limits: { timeoutMs: number; memoryMb: number; waitMs: number }
  /** Undefined once the thread has ended. */
  look(): Promise<Used | undefined>
  /** Called once with the exceeded limit; `late` when the machine is too busy, not the task too long. */
  over(what: Short): void
}

export type Short = 'time' | 'memory' | 'late'

/**
 * Most tasks have ended before the first look; in one interval a thread cannot fill what V8 allows it beyond its limit.
 */
const INTERVAL_MS = 100
/** Factor by which a task may take longer by the clock than by its work, on a busy machine. */
const LATEST = 5

/**
 * Bounds one task from outside its thread. V8's own limit of memory is higher, because a thread that reaches it may end
 * the whole process. Time in which the thread waits for our answers counts separately.
 */
export function createWatch({ limits, look, over }: WatchOptions) {
  const { timeoutMs, memoryMb, waitMs } = limits
  let waitedMs = 0
  let waitingSince = 0
  let waitTimer: NodeJS.Timeout | undefined
  let passedMs = 0
  let waits = 0
  let since: number | undefined
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const passed = () => passedMs + (since === undefined ? 0 : performance.now() - since)
  const again = () => {
    clearTimeout(timer)
    timer = setTimeout(check, INTERVAL_MS)
  }
  const check = async () => {
    const used = await look()
    if (stopped || since === undefined || used === undefined) return
    if (used.heapMb >= memoryMb) over('memory')
    else if (used.workMs >= timeoutMs) over('time')
    else if (passed() >= timeoutMs * LATEST) over('late')
    else again()
  }
  const run = () => {
    if (stopped) return
    since = performance.now()
    again()
  }
  const halt = () => {
    clearTimeout(timer)
    passedMs = passed()
    since = undefined
  }
  return {
    start: run,
    /** Milliseconds that the thread has waited for our answers. */
    waitedMs: () => waitedMs + (waits === 0 ? 0 : performance.now() - waitingSince),
    stop() {
      stopped = true
      clearTimeout(waitTimer)
      halt()
    },
    async whileWaiting<T>(answer: () => Promise<T>): Promise<T> {
      if (waits++ === 0) {
        halt()
        waitingSince = performance.now()
        waitTimer = setTimeout(() => over('time'), Math.max(0, waitMs - waitedMs))
      }
      try {
        return await answer()
      } finally {
        if (--waits === 0) {
          clearTimeout(waitTimer)
          waitedMs += performance.now() - waitingSince
          run()
        }
      }
    },
  }
}
