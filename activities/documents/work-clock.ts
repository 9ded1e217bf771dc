/** Milliseconds between two readings of the processor time, which is a system call. */
const READ_MS = 50

const threadMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/**
 * Returns a clock of the processor time that this thread uses, in milliseconds: the time that passes, less the share in
 * which the machine had the busy thread wait. The share is the one of the last 50 ms; the clock is for work of the event
 * loop, and also runs while the loop is idle.
 */
export function createWorkClock(): () => number {
  let last = performance.now()
  let read = { at: last, cpuMs: threadMs(), loop: performance.eventLoopUtilization() }
  let share = 1
  let worked = 0
  return () => {
    const time = performance.now()
    worked += (time - last) * share
    last = time
    if (time - read.at >= READ_MS) {
      const now = { at: time, cpuMs: threadMs(), loop: performance.eventLoopUtilization() }
      const activeMs = now.loop.active - read.loop.active
      if (activeMs > 0) share = Math.min(1, (now.cpuMs - read.cpuMs) / activeMs)
      read = now
    }
    return worked
  }
}
