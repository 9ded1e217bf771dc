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

/** A process that is killed may leave half a line. */
export function eventOf(line: string): TestEvent {
  try {
    return JSON.parse(line) as TestEvent
  } catch {
    return { type: 'internal-error', why: ['The report of AVA about the file is incomplete.'] }
  }
}

/** Follows the events of a file until its end; `kill` ends its process, because no test ended for too long or the run is stopped. */
export function followFile(file: PlannedFile, run: FileRun, kill: () => void) {
  const { suite, matching, stop, counted, said } = run
  const report = createReport(file.path, matching.length > 0 || file.argument !== file.path)
  const begun = performance.now()
  let silentMs: number | undefined
  let patientUntil = 0
  const silence = setTimeout(() => {
    if (Date.now() < patientUntil) return void silence.refresh()
    silentMs = suite.silenceMs
    kill()
  }, suite.silenceMs)
  stop.addEventListener('abort', kill, { once: true })
  return {
    add(event: TestEvent): void {
      silence.refresh()
      if (event.type === 'test-timeout-configured') patientUntil = Date.now() + (event.period ?? 0)
      report.add(event)
      counted(report.counts())
      if (event.logs && event.logs.length > 0) said?.([event.title ?? '', ...event.logs])
    },
    /** Its process has ended, so that nothing can be silent any more. */
    over(): void {
      clearTimeout(silence)
      stop.removeEventListener('abort', kill)
    },
    /** `how` as a part's `exited` says it. */
    end: (how: string): FileReport => report.end({ how, silentMs, milliseconds: performance.now() - begun }),
  }
}

/** What is said of a file that an interrupted run does not begin. */
export const notBegun = (file: PlannedFile): FileReport =>
  createReport(file.path, file.argument !== file.path).end({ how: 'an interruption', milliseconds: 0 })

/** Runs one file in an AVA of its own, and ends whatever it leaves behind. */
export async function runFile(file: PlannedFile, run: FileRun): Promise<FileReport> {
  const { suite, env, matching, failFast = false, stop } = run
  if (stop.aborted) return notBegun(file)
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
  const followed = followFile(file, run, () => void part.stop())
  const lines = createInterface({ input: part.child.stdio[3] as Readable })
  const read = once(lines, 'close')
  lines.on('line', (line) => followed.add(eventOf(line)))
  const how = await part.exited
  followed.over()
  await part.stop() // what is left of its group
  await read
  return followed.end(how)
}
