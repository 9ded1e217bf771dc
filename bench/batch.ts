import { setTimeout as wait } from 'node:timers/promises'
import type { CborFormat } from './cbor.formats.ts'
import { diploma, type Format, payload, type Row, SERIAL } from './formats.ts'
import type { Measured } from './measure.ts'
import type { BenchedPlatform } from './platform.ts'
import { overHttp, type Prepared, type Tools, withWork } from './prepare.ts'

const ROUNDS = 3
/** Single requests are made of so many different credentials, in turn. */
const CREDENTIALS = 64
const PATH = '/v1/credentials/batches'
/** A batch that takes longer than this hangs. */
const LIMIT_MS = 15 * 60_000

export interface Batches {
  format: string
  row: Row | CborFormat['row']
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

/** Resolves when the last credential of a batch is kept; throws if one is missing. */
export async function uploadAndWait(
  lines: string,
  query: string,
  rows: number,
  platform: BenchedPlatform,
): Promise<Measured> {
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

/** The credentials of the single requests, as batches. */
export async function measureBatches(
  format: Format,
  prepared: Prepared,
  { row, rows, revocable }: Pick<Batches, 'rows' | 'revocable'> & { row: Row },
  tools: Tools,
): Promise<Batches> {
  const credential = (serial: number) =>
    row === 'diploma' ? diploma(format, prepared.did, serial) : payload(format, prepared.did)
  const requests = Array.from({ length: CREDENTIALS }, (_, serial) => ({
    payload: credential(serial),
    proofType: format.name,
    revocable,
  }))
  const ask = overHttp('sign', { ...prepared, requests }, tools)
  const lines = Array.from({ length: rows }, (_, serial) =>
    JSON.stringify({ payload: credential(serial) }).replace(SERIAL, `${serial}`),
  ).join('\n')
  const query = new URLSearchParams({ proofType: format.name, revocable: String(revocable) }).toString()
  const measured = await batchInTurn({ lines, query, rows }, ask, tools, tools.seconds)
  return { format: format.name, row, revocable, ...measured }
}

interface BatchUpload {
  lines: string
  query: string
  rows: number
}

/** Single requests and batches in turn, so that both meet the same machine. */
export async function batchInTurn(
  { lines, query, rows }: BatchUpload,
  ask: (concurrency: number, seconds: number) => Promise<Measured>,
  { platform, say }: Tools,
  seconds: number,
): Promise<Pick<Batches, 'rows' | 'single' | 'batch'>> {
  const [single, batch]: [Measured[], Measured[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    single.push(await withWork(platform, () => ask(32, seconds / ROUNDS)))
    batch.push(await withWork(platform, () => uploadAndWait(lines, query, rows, platform)))
    say(`batch of ${rows} rows (${query}): ${Math.round(rows / (batch.at(-1)?.seconds ?? 1))}/s`)
  }
  return { rows, single, batch }
}
