import { setTimeout as wait } from 'node:timers/promises'
import { type Format, payload, SERIAL } from './formats.ts'
import type { Measured } from './measure.ts'
import type { BenchedPlatform } from './platform.ts'
import { overHttp, type Prepared, type Tools, withWork } from './prepare.ts'

const ROUNDS = 3
const PATH = '/v1/credentials/batches'
/** A batch that takes longer than this hangs. */
const LIMIT_MS = 15 * 60_000

export interface Batches {
  format: string
  /** Each credential with an entry in a status list, single ones as well. */
  revocable: boolean
  /** Of each batch. */
  rows: number
  /** Single requests, 32 at a time, each round's before its batch. */
  single: Measured[]
  /** From the first byte of the upload to the last credential's commit, round by round. */
  batch: Measured[]
}

interface Batch {
  id: string
  status: string
  signed: number
}

async function one(lines: string, query: string, rows: number, platform: BenchedPlatform): Promise<Measured> {
  const stored = await platform.countCredentials()
  const begun = performance.now()
  let batch = await platform.upload<Batch>(`${PATH}?${query}`, lines)
  while (batch.status !== 'COMPLETED') {
    if (performance.now() - begun > LIMIT_MS) throw new Error(`A batch did not end: ${JSON.stringify(batch)}`)
    await wait(50)
    batch = await platform.get<Batch>(`${PATH}/${batch.id}`)
  }
  const seconds = (performance.now() - begun) / 1000
  const kept = (await platform.countCredentials()) - stored
  if (batch.signed !== rows || kept !== rows)
    throw new Error(`Of ${rows} rows ${batch.signed} were signed, ${kept} kept.`)
  return { done: rows, errors: 0, seconds, latencies: [] }
}

/** The credentials of the single requests, as batches. Both in turn, so that both meet the same machine. */
export async function measureBatches(
  format: Format,
  prepared: Prepared,
  { rows, revocable }: Pick<Batches, 'rows' | 'revocable'>,
  tools: Tools,
): Promise<Batches> {
  const { platform } = tools
  const ask = overHttp('sign', { ...prepared, request: { ...prepared.request, revocable } }, tools)
  const line = JSON.stringify({ payload: payload(format, prepared.did) })
  const lines = Array.from({ length: rows }, (_, row) => line.replace(SERIAL, `${row}`)).join('\n')
  const query = new URLSearchParams({ proofType: format.name, revocable: String(revocable) }).toString()
  const [single, batch]: [Measured[], Measured[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    single.push(await withWork(platform, () => ask(32, tools.seconds / ROUNDS)))
    batch.push(await withWork(platform, () => one(lines, query, rows, platform)))
    tools.say(`batch of ${rows} rows: ${Math.round(rows / (batch.at(-1)?.seconds ?? 1))}/s`)
  }
  return { format: format.name, revocable, rows, single, batch }
}
