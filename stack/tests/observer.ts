/**
 * Runs inside AVA, as its configuration asks: writes what happens to tests as lines of JSON to the runner. AVA's own TAP
 * report is not read, because AVA 8.0.1 throws while it writes one about a file that hangs or calls process.exit().
 * AVA loads this file without a loader: only erasable syntax and node: imports here.
 */
import { writeSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'

/** Names the descriptor that the runner reads. */
export const EVENTS = 'COUNTERSIGN_TEST_EVENTS'

/** Variable of the environment: the process runs test files one after the other. */
export const SHARED = 'COUNTERSIGN_TEST_SHARED'

/** What AVA says of an error (`lib/serialize-error.js`). */
export interface AvaError {
  message?: string
  stack?: string
  formattedError?: string
  formattedDetails?: { label: string; formatted: string }[]
  errors?: AvaError[]
}

/** AVA's events (`lib/run-status.js`, `lib/fork.js`), as far as we read them. */
export interface AvaEvent {
  type: string
  title?: string
  skip?: boolean
  todo?: boolean
  knownFailing?: boolean
  err?: AvaError
  logs?: string[]
  stack?: string
  period?: number
  nonZeroExitCode?: number
  signal?: string
  forcedExit?: boolean
  bytes?: number
}

export interface TestEvent {
  type: string
  title?: string
  mark?: 'skip' | 'todo' | 'failing'
  why?: string[]
  /** What a test said with t.log(). */
  logs?: string[]
  /** Milliseconds that a test asked for with t.timeout(). */
  period?: number
  /** At the end of a file: resident memory of a process that runs others after it. */
  bytes?: number
}

const linesOf = (text = ''): string[] => (text === '' ? [] : stripVTControlCharacters(text).split('\n'))

const reasonsOf = ({ message, stack, formattedError, formattedDetails = [], errors = [] }: AvaError): string[] => [
  ...(stack?.includes(message ?? '') ? [] : linesOf(message)),
  ...linesOf(formattedError),
  ...formattedDetails.flatMap(({ label, formatted }) => [...linesOf(label), ...linesOf(formatted)]),
  ...linesOf(stack),
  ...errors.flatMap(reasonsOf),
]

const markOf = ({ skip, todo, knownFailing }: AvaEvent): TestEvent['mark'] =>
  skip ? 'skip' : todo ? 'todo' : knownFailing ? 'failing' : undefined

const endOf = ({ nonZeroExitCode, signal }: AvaEvent): string[] =>
  nonZeroExitCode ? [`exit code ${nonZeroExitCode}`] : signal ? [`signal ${signal}`] : []

/** Too many, or not text. */
const LEFT_OUT = ['stats', 'worker-stdout', 'worker-stderr', 'test-register-log-reference', 'touched-files']

const wireOf = (event: AvaEvent): TestEvent => ({
  type: event.type === 'worker-finished' && event.forcedExit ? 'worker-failed' : event.type,
  title: event.title,
  mark: markOf(event),
  why: [...(event.err ? reasonsOf(event.err) : linesOf(event.stack)), ...endOf(event)],
  logs: event.logs?.flatMap(linesOf),
  period: event.period,
  bytes: event.bytes,
})

/** The line that the runner reads, of an event that it wants. */
export const lineOf = (event: AvaEvent): string | undefined =>
  LEFT_OUT.includes(event.type) ? undefined : `${JSON.stringify(wireOf(event))}\n`

/** Does nothing when AVA was not started by the runner. */
export async function observeRun({ events }: { events: AsyncIterable<AvaEvent> }): Promise<void> {
  const descriptor = Number(process.env[EVENTS] ?? 0)
  if (descriptor === 0) return
  for await (const event of events) {
    const line = lineOf(event)
    if (line) writeSync(descriptor, line)
  }
}
