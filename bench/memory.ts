import { setTimeout as wait } from 'node:timers/promises'
import { uploadAndWait } from './batch.ts'
import { diploma, type Format, SERIAL } from './formats.ts'
import type { BenchedPlatform } from './platform.ts'

export interface MemoryOptions {
  /** Of the batch. */
  rows: number
  /** How long after it the platform is at rest again. */
  restMs: number
}

/** MiB of one process. */
export interface MemoryRow {
  name: string
  /** Before any load. */
  started: number
  /** When the batch has ended. */
  after: number
  rested: number
}

export interface Memory extends MemoryOptions {
  processes: MemoryRow[]
}

/** What the processes of the platform hold at rest and after a batch, in MiB. Undefined where that cannot be told. */
export async function measureMemory(
  format: Format,
  did: string,
  platform: BenchedPlatform,
  { rows, restMs }: MemoryOptions,
  started: ReturnType<BenchedPlatform['memory']>,
): Promise<Memory | undefined> {
  const lines = Array.from({ length: rows }, (_, serial) =>
    JSON.stringify({ payload: diploma(format, did, serial) }).replace(SERIAL, `${serial}`),
  ).join('\n')
  await uploadAndWait(lines, `proofType=${format.name}&revocable=true`, rows, platform)
  const after = platform.memory()
  await wait(restMs)
  const rested = platform.memory()
  if (!started || !after || !rested) return undefined
  const rowsOf = (part: 'worker' | 'api', nameOf: (index: number) => string): MemoryRow[] =>
    rested[part].map((megabytes, index) => ({
      name: nameOf(index),
      started: started[part][index] ?? 0,
      after: after[part][index] ?? 0,
      rested: megabytes,
    }))
  const processes = [
    ...rowsOf('worker', () => 'worker'),
    ...rowsOf('api', (index) => (index === 0 ? 'API, primary' : `API, process ${index}`)),
  ]
  return { rows, restMs, processes }
}
