import type { ExecutionContext } from 'ava'

/*
 * Processor time is what code costs, whatever else the machine does meanwhile; time on the clock belongs into
 * `*.timing.test.ts`, which run alone.
 */

const milliseconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1_000

/** Milliseconds that work costs this thread. */
export function processorMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  return milliseconds(process.threadCpuUsage(before))
}

/** Milliseconds that work costs all threads of this process together. */
export async function processorMsOfAll(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  return milliseconds(process.cpuUsage(before))
}

/** The longest turn of the event loop while `work` runs, in milliseconds of this thread: between two looks of a timer. */
export async function longestTurn(t: Pick<ExecutionContext, 'log'>, work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let before = process.threadCpuUsage()
  const timer = setInterval(() => {
    longest = Math.max(longest, milliseconds(process.threadCpuUsage(before)))
    before = process.threadCpuUsage()
  }, 1)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  t.log(`longest turn: ${longest.toFixed(1)} ms`)
  return longest
}
