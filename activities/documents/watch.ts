/** What a thread has used: milliseconds of work on the task, and its heap in megabytes. */
export interface Used {
  workMs: number
  heapMb: number
}

export interface WatchOptions {
  /** `waitMs`: for all answers of ours together, while the thread stands still. */
  limits: { timeoutMs: number; memoryMb: number; waitMs: number }
  /** Undefined once the thread has ended. */
  look(): Promise<Used | undefined>
  /** Called once, with what there is too little of; `late` when it is the machine that lacks the time, not the task. */
  over(what: Short): void
}

export type Short = 'time' | 'memory' | 'late'

/** Most tasks have ended before the first look; in one interval a thread cannot fill what V8 allows it beyond its limit. */
const INTERVAL_MS = 100
/** A busy machine makes a task late, not complex: by the clock it may take so many times as long as by its work. */
const LATEST = 5

/**
 * Bounds one task from outside its thread. V8's own limit of memory stands behind this one, and is higher: a thread that
 * reaches it may end the whole process. Time in which the thread waits for an answer of ours counts by itself.
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
    /** Milliseconds that the thread has stood still, waiting for answers of ours. */
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
