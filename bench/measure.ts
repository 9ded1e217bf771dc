/** What one measurement of one way saw. */
export interface Measured {
  done: number
  /** Answers that were not the expected one, and connections that broke. */
  errors: number
  seconds: number
  /** Milliseconds, one per request; empty for a plain loop. */
  latencies: number[]
  /** Milliseconds of processor time: of the plain loop's process, or of the whole platform. */
  workMs?: number
}

/** One piece of work after another for a while, with the processor time of this process. `work` takes how many are done. */
export async function repeated(seconds: number, work: (done: number) => Promise<void>): Promise<Measured> {
  const before = process.cpuUsage()
  const begun = performance.now()
  const until = begun + seconds * 1000
  let done = 0
  while (performance.now() < until) {
    await work(done)
    done += 1
  }
  const passed = (performance.now() - begun) / 1000
  const { user, system } = process.cpuUsage(before)
  return { done, errors: 0, seconds: passed, latencies: [], workMs: (user + system) / 1000 }
}

/** Nearest rank. NaN for no values. */
export function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN
}

export const median = (values: number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [low, high] = [sorted[middle - 1] ?? Number.NaN, sorted[middle] ?? Number.NaN]
  return sorted.length % 2 ? high : (low + high) / 2
}

export const rate = ({ done, seconds }: Measured): number => done / seconds

/** Several measurements of the same thing as one. */
export const joined = (parts: Measured[]): Measured => ({
  done: parts.reduce((sum, { done }) => sum + done, 0),
  errors: parts.reduce((sum, { errors }) => sum + errors, 0),
  seconds: parts.reduce((sum, { seconds }) => sum + seconds, 0),
  latencies: parts.flatMap(({ latencies }) => latencies),
  ...(parts.every(({ workMs }) => workMs !== undefined) && {
    workMs: parts.reduce((sum, { workMs = 0 }) => sum + workMs, 0),
  }),
})
