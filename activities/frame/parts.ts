import type { Dependencies } from '../dependencies.ts'

/** Milliseconds to wait for the parts that a process needs, and for the optional ones. */
const NEEDED_MS = 2_500
const OPTIONAL_MS = 800

export type PartState = 'up' | 'down'

/** Settles within the time. */
export const within = (ms: number, check: () => Promise<unknown>): Promise<PartState> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve('down'), ms)
    check()
      .then(
        () => resolve('up'),
        () => resolve('down'),
      )
      .finally(() => clearTimeout(timer))
  })

export type PartStates = Record<'database' | 'keys' | 'temporal' | 'documents', PartState>

/** What a process stands on: whether each part answers now. `documents`: the process signs and verifies itself. */
export const createPartChecks =
  ({ sql, keys, temporal, selfTest }: Pick<Dependencies, 'sql' | 'keys' | 'temporal' | 'selfTest'>) =>
  async (): Promise<PartStates> => {
    const [database, keyStore, workflows, documents] = await Promise.all([
      within(NEEDED_MS, () => sql.query({ text: 'select 1', values: [] })),
      within(OPTIONAL_MS, () => keys.ready()),
      within(OPTIONAL_MS, () => temporal.check()),
      within(NEEDED_MS, () => selfTest.check()),
    ])
    return { database, keys: keyStore, temporal: workflows, documents }
  }
