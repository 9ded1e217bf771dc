import { readFileSync, writeFileSync } from 'node:fs'
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os'
import type { Batches } from './batch.ts'
import { joined, type Measured, median, percentile, rate } from './measure.ts'
import type { Memory } from './memory.ts'
import { type Sessions, sessionsTable } from './openid/sessions.ts'
import { type Deliveries, deliveriesTable } from './webhooks/deliveries.ts'

export interface Row {
  format: string
  verb: 'sign' | 'verify' | 'fill'
  /** The plain loop, round by round. */
  plain: Measured[]
  one: Measured
  /** At concurrency 32, round by round. */
  rounds: Measured[]
  many: Measured
  /** Answered credentials that the database does not hold. */
  lost: number
  /** Of the platform without Vault beside it, at concurrency 32, round by round; only with `--vault`. */
  beside?: Measured[]
}

export interface Report {
  machine: string[]
  /** Load averages before and after: what else ran on the machine, before this did. */
  load: [before: number, after: number]
  postgres: string
  /** API processes. */
  processes: number
  seconds: number
  rows: Row[]
  batches: Batches[]
  memory: Memory | undefined
  /** Of webhooks. */
  deliveries: Deliveries | undefined
  /** With one worker, then with two. */
  sessions: Sessions[]
}

/** What the figures depend on, without any name of the machine. */
export const describeMachine = (): string[] => {
  const all = cpus()
  return [
    `${all.length} cores, ${all[0]?.model.trim() ?? 'unknown CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB of memory`,
    `${platform()} ${release().split('-')[0]} on ${arch()}, Node ${process.versions.node}`,
  ]
}

/** Of the last minute. */
export const loadNow = (): number => loadavg()[0] ?? 0

/** Rounds are compared one by one, since both meet the same machine in each; the middle one counts. */
function comparedWith(other: Measured[], rounds: Measured[]): { middle: number; low: number; high: number } {
  const ratios = rounds.map((round, index) => rate(round) / rate(other[index] ?? joined(other)))
  return { middle: median(ratios), low: Math.min(...ratios), high: Math.max(...ratios) }
}

/** The platform beside the plain loop. */
export const ratioOf = ({ plain, rounds }: Row) => comparedWith(plain, rounds)

const HEAD = [
  'Format | | Plain loop /s | 1 at a time /s | p50 ms | p95 | p99 | 32 at a time /s | p50 ms | p95 | p99 | Errors | 32 ÷ plain (rounds) | CPU ms plain | CPU ms at 32',
  '--- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --:',
]

const amount = (value: number) => (value < 100 ? value.toFixed(1) : String(Math.round(value)))
const work = ({ workMs, done }: Measured) => (workMs === undefined ? '–' : (workMs / done).toFixed(2))
const percent = (value: number) => `${Math.round(value * 100)} %`

function cells(measured: Measured): string[] {
  const sorted = measured.latencies.toSorted((a, b) => a - b)
  return [amount(rate(measured)), ...[50, 95, 99].map((rank) => percentile(sorted, rank).toFixed(1))]
}

const inPercent = ({ middle, low, high }: ReturnType<typeof comparedWith>) =>
  `**${percent(middle)}** (${percent(low)} – ${percent(high)})`

function line(row: Row): string {
  return [
    row.format,
    row.verb,
    amount(rate(joined(row.plain))),
    ...cells(row.one),
    ...cells(row.many),
    String(row.one.errors + row.many.errors + row.lost),
    inPercent(ratioOf(row)),
    work(joined(row.plain)),
    work(row.many),
  ].join(' | ')
}

export const table = (rows: Row[]): string => [...HEAD, ...rows.map(line)].map((text) => `| ${text} |`).join('\n')

/** What Vault costs, a line for each row that was measured beside the same without. */
export const vaultLines = (rows: Row[]): string[] =>
  rows.flatMap(({ format, verb, rounds, many, beside }) =>
    beside
      ? [
          `${format}, ${verb}, 32 at a time: with keys in Vault ${inPercent(comparedWith(beside, rounds))} of the rate without, ` +
            `${amount(rate(many))} against ${amount(rate(joined(beside)))} /s; CPU ms ${work(many)} and ${work(joined(beside))}, Vault's own not counted`,
        ]
      : [],
  )

const BATCH_HEAD = [
  'Batch | Rows | Single requests, 32 at a time /s | Batch, upload to end /s | Batch ÷ single (rounds) | CPU ms single | CPU ms batch',
  '--- | --: | --: | --: | --: | --: | --:',
]

function batchLine({ format, row, revocable, rows, single, batch }: Batches): string {
  const ratios = batch.map((each, round) => rate(each) / rate(single[round] ?? joined(single)))
  return [
    `${format}, ${row}${revocable ? ', with a status entry' : ''}`,
    String(rows),
    amount(rate(joined(single))),
    amount(rate(joined(batch))),
    `**${median(ratios).toFixed(1)}** (${Math.min(...ratios).toFixed(1)} – ${Math.max(...ratios).toFixed(1)})`,
    work(joined(single)),
    work(joined(batch)),
  ].join(' | ')
}

export const batchTable = (all: Batches[]): string =>
  [...BATCH_HEAD, ...all.map(batchLine)].map((text) => `| ${text} |`).join('\n')

/** MiB of each process of the platform; a sentence where that cannot be told. */
export function memoryTable(memory: Memory | undefined): string {
  if (!memory) return 'Memory: not measured: there is no /proc, or no format that it is measured for was asked for.'
  const { processes, rows, restMs } = memory
  const sum = (column: 'started' | 'after' | 'rested') => processes.reduce((all, each) => all + each[column], 0)
  const all = { name: '**together**', started: sum('started'), after: sum('after'), rested: sum('rested') }
  return [
    `Memory in MiB | At rest | When a batch of ${rows} rows has ended | At rest, ${restMs / 1000} s later`,
    '--- | --: | --: | --:',
    ...[...processes, all].map(({ name, started, after, rested }) =>
      [name, ...[started, after, rested].map((value) => value.toFixed(0))].join(' | '),
    ),
  ]
    .map((text) => `| ${text} |`)
    .join('\n')
}

/** All that was measured, as Markdown. */
export const tables = ({ rows, batches, memory, deliveries, sessions }: Report): string =>
  [
    table(rows),
    ...vaultLines(rows),
    batchTable(batches),
    memoryTable(memory),
    ...(deliveries ? [deliveriesTable(deliveries)] : []),
    ...(sessions.length > 0 ? [sessionsTable(sessions)] : []),
  ].join('\n\n')

const readme = new URL('./README.md', import.meta.url)
const [BEGIN, END] = ['<!-- measured: begin -->', '<!-- measured: end -->']

/** Replaces what stands between the markers. */
export function writeReadme(report: Report): void {
  const { machine, load, postgres, processes, seconds } = report
  const text = readFileSync(readme, 'utf8')
  const [before, rest = ''] = text.split(BEGIN)
  const after = rest.split(END)[1]
  if (after === undefined) throw new Error('bench/README.md has lost its markers.')
  const facts = [
    ...machine,
    `load average before the run ${load[0].toFixed(1)}, at its end ${load[1].toFixed(1)} (the run itself makes about 3)`,
    `PostgreSQL ${postgres} with durable commits, ${processes} API processes, ${seconds} s per measurement`,
  ]
  const measured = [...facts.map((fact) => `- ${fact}`), '', tables(report)].join('\n')
  writeFileSync(readme, `${before}${BEGIN}\n${measured}\n${END}${after}`)
}
