import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Batches, measureBatches } from './batch.ts'
import { CBOR_FORMATS } from './cbor.formats.ts'
import { measureCbor } from './cbor.ts'
import { startChild } from './child.ts'
import { FORMATS, type Format } from './formats.ts'
import type { Load } from './load.ts'
import type { Loop, LoopResult } from './loops/linked-data.ts'
import type { Measured } from './measure.ts'
import { type Memory, type MemoryOptions, measureMemory } from './memory.ts'
import { measureSessions, SESSIONS, type Sessions } from './openid/sessions.ts'
import { measurePdfs, PDF } from './pdf.ts'
import { type BenchedPlatform, type Environment, openPlatform } from './platform.ts'
import { overHttp, type Prepared, prepare, type Tools } from './prepare.ts'
import { describeMachine, loadNow, type Report, type Row, table, tables, writeReadme } from './report.ts'
import { inRounds } from './rounds.ts'
import { SD_JWT } from './sd-jwt/claims.ts'
import { measureSdJwts } from './sd-jwt/credentials.ts'
import { openVault } from './vault.ts'
import { type Deliveries, measureDeliveries, WEBHOOKS } from './webhooks/deliveries.ts'

export interface BenchOptions {
  env: Environment
  /** Names of formats; all unless told. */
  only?: string[]
  /** Seconds of each measurement; they are taken in rounds, so that a busy moment of the machine meets every way. */
  seconds?: number
  /** Of a batch; batches are measured for the first format, and for credentials in CBOR. */
  batchRows?: number
  memory?: MemoryOptions
  /** Of a platform that signs SD-JWT VCs in turn with the first one: without Vault, where that has one. */
  beside?: Environment | undefined
  say?: (line: string) => void
}

/** The first is the main figure. */
const BATCHES = [
  { row: 'diploma', revocable: true },
  { row: 'diploma', revocable: false },
  { row: 'one text', revocable: false },
] as const

async function measure(format: Format, verb: 'sign' | 'verify', prepared: Prepared, tools: Tools): Promise<Row> {
  const { loop, say } = tools
  const { signed, shown } = prepared
  const credentials = verb === 'sign' ? signed : shown
  const plainly = async (forSeconds: number) =>
    (await loop.ask({ format: format.name, verb, credentials, seconds: forSeconds })).measured
  const row = await inRounds({ format: format.name, verb, plainly, ask: overHttp(verb, prepared, tools) }, tools)
  say(table([row]).split('\n').at(-1) ?? '')
  return row
}

const NAMES: readonly string[] = [
  ...[...FORMATS, ...CBOR_FORMATS].map(({ name }) => name),
  SD_JWT,
  PDF,
  WEBHOOKS,
  SESSIONS,
]

/** Measures the platform over HTTP beside the libraries under it, both in the same run. */
export async function bench({
  env,
  only,
  seconds = 15,
  batchRows = 20_000,
  memory: memoryOptions = { rows: 100_000, restMs: 60_000 },
  beside,
  say = () => undefined,
}: BenchOptions): Promise<Report> {
  if (only && (only.length === 0 || !only.every((name) => NAMES.includes(name))))
    throw new Error(`--only takes ${NAMES.join(', ')}.`)
  const formats = FORMATS.filter(({ name }) => !only || only.includes(name))
  const cborFormats = CBOR_FORMATS.filter(({ name }) => !only || only.includes(name))
  const before = loadNow()
  const platform = await openPlatform(env, say)
  let other: BenchedPlatform | undefined
  const load = startChild<Load, Measured>('./load.ts')
  const loop = startChild<Loop, LoopResult>('./loops/linked-data.ts')
  const tools: Tools = { platform, load, loop, seconds, say }
  try {
    const rows: Row[] = []
    const batches: Batches[] = []
    let memory: Memory | undefined
    for (const format of formats) {
      // what a start leaves behind is freed by then
      if (format === formats[0]) await wait(memoryOptions.restMs / 2)
      const started = platform.memory()
      const prepared = await prepare(format, tools)
      for (const verb of ['sign', 'verify'] as const) rows.push(await measure(format, verb, prepared, tools))
      if (format !== formats[0]) continue
      for (const kind of BATCHES)
        batches.push(await measureBatches(format, prepared, { ...kind, rows: batchRows }, tools))
      memory = await measureMemory(format, prepared.did, platform, memoryOptions, started)
    }
    for (const format of cborFormats) {
      const measured = await measureCbor(format, tools, Math.min(batchRows, format.batchRows))
      rows.push(...measured.rows)
      batches.push(...measured.batches)
    }
    if (!only || only.includes(SD_JWT)) {
      other = beside && (await openPlatform(beside, say))
      rows.push(...(await measureSdJwts(tools, other)))
    }
    if (!only || only.includes(PDF)) rows.push(await measurePdfs(tools))
    const deliveries: Deliveries | undefined =
      !only || only.includes(WEBHOOKS) ? await measureDeliveries(tools) : undefined
    // last, because it adds a worker
    const sessions: Sessions[] = !only || only.includes(SESSIONS) ? await measureSessions(tools) : []
    return {
      machine: describeMachine(),
      load: [before, loadNow()],
      postgres: platform.postgresVersion,
      processes: platform.processes,
      seconds,
      rows,
      batches,
      memory,
      deliveries,
      sessions,
    }
  } finally {
    load.stop()
    loop.stop()
    await other?.close()
    await platform.close()
  }
}

/** `npm run bench`. Only a whole run is written down. */
export async function benchCommand(env: Environment, args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      seconds: { type: 'string' },
      rows: { type: 'string' },
      vault: { type: 'boolean' },
    },
  })
  const seconds = values.seconds === undefined ? undefined : Number(values.seconds)
  if (seconds !== undefined && !(seconds >= 0.5 && seconds <= 600))
    throw new Error('--seconds takes a number from 0.5 to 600.')
  const batchRows = values.rows === undefined ? undefined : Number(values.rows)
  if (batchRows !== undefined && !(Number.isInteger(batchRows) && batchRows >= 100 && batchRows <= 1_000_000))
    throw new Error('--rows takes a whole number from 100 to 1000000.')
  const say = (line: string) => process.stdout.write(`${line}\n`)
  const vault = values.vault ? await openVault(env, say) : undefined
  const envs = vault ? { env: vault.env, beside: env } : { env }
  const options = { ...envs, only: values.only?.split(','), seconds, batchRows, say }
  const report = await bench(options).finally(() => vault?.stop())
  say(`\n${tables(report)}`)
  const wrong = report.rows.filter(({ one, many, lost }) => one.errors + many.errors + lost > 0)
  const wrongSessions = report.sessions.reduce((sum, each) => sum + each.wrong, 0)
  if (wrong.length > 0 || (report.deliveries?.wrong ?? 0) + wrongSessions > 0)
    throw new Error('There were wrong answers or lost credentials: nothing is written down.')
  if (values.only || values.seconds || values.rows || vault)
    say('\nNot written to bench/README.md: that takes a whole run without options.')
  else writeReadme(report)
}
