import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { launch } from '../parts/part.ts'
import { EVENTS, type TestEvent } from './observer.ts'
import type { PlannedFile, Suite } from './plan.ts'
import { createReport, type FileReport } from './report.ts'

export interface FileRun {
  suite: Pick<Suite, 'root' | 'silenceMs'>
  env: NodeJS.ProcessEnv
  /** Titles, as AVA's --match takes them. */
  matching: string[]
  /** The first failed test ends the file. */
  failFast?: boolean
  /** Ends the file. */
  stop: AbortSignal
  /** After every event. */
  counted(counts: { passed: number; failed: number; skipped: number }): void
  /** What a test has measured. */
  said?(lines: string[]): void
}

/** AVA's own limit sees files that run together and ends none of what they started: ours sees one file. */
const NO_LIMIT = '--timeout=24h'

/** An AVA that is killed may leave half a line. */
function eventOf(line: string): TestEvent {
  try {
    return JSON.parse(line) as TestEvent
  } catch {
    return { type: 'internal-error', why: ['The report of AVA about the file is incomplete.'] }
  }
}

/** Runs one file in an AVA of its own, and ends whatever it leaves behind. */
export async function runFile(file: PlannedFile, run: FileRun): Promise<FileReport> {
  const { suite, env, matching, failFast = false, stop, counted, said } = run
  const report = createReport(file.path, matching.length > 0 || file.argument !== file.path)
  if (stop.aborted) return report.end({ how: 'an interruption', milliseconds: 0 })
  const begun = performance.now()
  const ava = join(suite.root, 'node_modules', 'ava', 'entrypoints', 'cli.js')
  const part = await launch({
    name: `AVA of ${file.path}`,
    command: process.execPath,
    args: [
      ava,
      NO_LIMIT,
      ...(failFast ? ['--fail-fast'] : []),
      ...matching.map((title) => `--match=${title}`),
      file.argument,
    ],
    cwd: suite.root,
    env: { ...env, [EVENTS]: '3' },
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    signal: 'SIGTERM',
    graceMs: 2_000,
  })
  let silentMs: number | undefined
  let patientUntil = 0
  const silence = setTimeout(() => {
    if (Date.now() < patientUntil) return void silence.refresh()
    silentMs = suite.silenceMs
    void part.stop()
  }, suite.silenceMs)
  const end = () => void part.stop()
  stop.addEventListener('abort', end, { once: true })

  const lines = createInterface({ input: part.child.stdio[3] as Readable })
  const read = once(lines, 'close')
  lines.on('line', (line) => {
    const event = eventOf(line)
    silence.refresh()
    if (event.type === 'test-timeout-configured') patientUntil = Date.now() + (event.period ?? 0)
    report.add(event)
    counted(report.counts())
    if (event.logs && event.logs.length > 0) said?.([event.title ?? '', ...event.logs])
  })
  const how = await part.exited
  clearTimeout(silence)
  stop.removeEventListener('abort', end)
  await part.stop() // what is left of its group
  await read
  return report.end({ how, silentMs, milliseconds: performance.now() - begun })
}
