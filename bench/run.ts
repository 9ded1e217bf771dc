import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Json } from '../protocol/data-integrity.ts'
import { type Child, startChild } from './child.ts'
import { FORMATS, type Format, payload, SERIAL } from './formats.ts'
import type { Load } from './load.ts'
import type { Loop, LoopResult } from './loop.ts'
import { joined, type Measured } from './measure.ts'
import { type BenchedPlatform, type Environment, openPlatform } from './platform.ts'
import { describeMachine, loadNow, type Report, type Row, table, writeReadme } from './report.ts'

export interface BenchOptions {
  env: Environment
  /** Names of formats; all unless told. */
  only?: string[]
  /** Seconds of each measurement; they are taken in rounds, so that a busy moment of the machine meets every way. */
  seconds?: number
  say?: (line: string) => void
}

const ROUNDS = 5
const CREDENTIALS = 64
const PATH = '/v1/credentials/web-semantic'

interface Tools {
  platform: BenchedPlatform
  load: Child<Load, Measured>
  loop: Child<Loop, LoopResult>
  seconds: number
  say: (line: string) => void
}

/** An issuer, and credentials of it to verify. A BBS base proof is for its holder: what others verify is derived from it. */
async function prepare(format: Format, { platform, loop }: Tools) {
  const { did } = await platform.post<{ did: string }>('/v1/dids', {
    method: 'KEY',
    options: { keyType: format.keyType },
  })
  const request = { payload: payload(format, did), proofType: format.name, revocable: false }
  const signed: Json[] = []
  while (signed.length < CREDENTIALS) {
    const body = JSON.stringify(request).replace(SERIAL, String(signed.length))
    signed.push((await platform.post<{ credential: Json }>(`${PATH}/sign`, JSON.parse(body))).credential)
  }
  if (format.name !== 'bbs-2023') return { request, signed, shown: signed }
  const { derived } = await loop.ask({ format: format.name, verb: 'derive', credentials: signed, seconds: 0 })
  return { request, signed, shown: derived }
}

async function measure(
  format: Format,
  verb: 'sign' | 'verify',
  prepared: Awaited<ReturnType<typeof prepare>>,
  tools: Tools,
): Promise<Row> {
  const { platform, load, loop, seconds, say } = tools
  const { request, signed, shown } = prepared
  const bodies = verb === 'sign' ? [request] : shown.map((payload) => ({ payload }))
  const common = {
    host: platform.host,
    port: platform.port,
    token: platform.token,
    path: `${PATH}/${verb}`,
    bodies: bodies.map((body) => JSON.stringify(body)),
    expected: verb === 'sign' ? '"proof":{' : '"verified":true',
  }
  const overHttp = (concurrency: number, forSeconds: number) =>
    load.ask({ ...common, concurrency, seconds: forSeconds })
  const credentials = verb === 'sign' ? signed : shown
  const plainly = async (forSeconds: number) =>
    (await loop.ask({ format: format.name, verb, credentials, seconds: forSeconds })).measured
  const stored = await platform.countCredentials()
  const warming = Math.min(3, seconds)
  const warm = await overHttp(32, warming)
  await plainly(warming / 2)
  const plain: Measured[] = []
  const one: Measured[] = []
  const many: Measured[] = []
  for (let round = 0; round < ROUNDS; round++) {
    plain.push(await plainly(seconds / ROUNDS))
    one.push(await overHttp(1, seconds / ROUNDS))
    await wait(200) // what one request at a time left to do, such as its log entries, is not the next one's work
    const before = platform.workMs()
    const measured = await overHttp(32, seconds / ROUNDS)
    await wait(200)
    const after = platform.workMs()
    many.push({ ...measured, ...(before !== undefined && after !== undefined && { workMs: after - before }) })
  }
  const answered = [warm, ...one, ...many].reduce((sum, { done, errors }) => sum + done - errors, 0)
  const lost = verb === 'sign' ? answered - ((await platform.countCredentials()) - stored) : 0
  const row = { format: format.name, verb, plain, one: joined(one), rounds: many, many: joined(many), lost }
  say(table([row]).split('\n').at(-1) ?? '')
  return row
}

/** Measures the platform over HTTP beside the libraries under it, both in the same run. */
export async function bench({ env, only, seconds = 15, say = () => undefined }: BenchOptions): Promise<Report> {
  const formats = FORMATS.filter(({ name }) => !only || only.includes(name))
  if (formats.length === 0 || (only && formats.length < only.length))
    throw new Error(`--only takes ${FORMATS.map(({ name }) => name).join(', ')}.`)
  const before = loadNow()
  const platform = await openPlatform(env, say)
  const load = startChild<Load, Measured>('./load.ts')
  const loop = startChild<Loop, LoopResult>('./loop.ts')
  const tools: Tools = { platform, load, loop, seconds, say }
  try {
    const rows: Row[] = []
    for (const format of formats) {
      const prepared = await prepare(format, tools)
      for (const verb of ['sign', 'verify'] as const) rows.push(await measure(format, verb, prepared, tools))
    }
    return {
      machine: describeMachine(),
      load: [before, loadNow()],
      postgres: platform.postgresVersion,
      processes: platform.processes,
      seconds,
      rows,
    }
  } finally {
    load.stop()
    loop.stop()
    await platform.close()
  }
}

/** `npm run bench`. Only a whole run is written down. */
export async function benchCommand(env: Environment, args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { only: { type: 'string' }, seconds: { type: 'string' } } })
  const seconds = values.seconds === undefined ? undefined : Number(values.seconds)
  if (seconds !== undefined && !(seconds >= 0.5 && seconds <= 600))
    throw new Error('--seconds takes a number from 0.5 to 600.')
  const say = (line: string) => process.stdout.write(`${line}\n`)
  const report = await bench({ env, only: values.only?.split(','), seconds, say })
  say(`\n${table(report.rows)}`)
  const wrong = report.rows.filter(({ one, many, lost }) => one.errors + many.errors + lost > 0)
  if (wrong.length > 0) throw new Error('There were wrong answers or lost credentials: nothing is written down.')
  if (values.only || values.seconds) say('\nNot written to bench/README.md: that takes a whole run without options.')
  else writeReadme(report)
}
