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
