import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { VARIABLES } from '../config.ts'
import { buildAll } from './build.ts'
import { asCommand } from './command.ts'
import { type Counts, countsLine, tapReader } from './tap.ts'

type Environment = Readonly<Record<string, string | undefined>>

const root = fileURLToPath(new URL('..', import.meta.url))
const terminal = process.stdout.isTTY
const write = (text: string) => process.stdout.write(text)

/** Where programs are that tests run. */
const PROGRAMS = ['TEMPORAL_CLI', 'VAULT_BINARY', 'POSTGRES_BINARIES']

/** A run is the same for everybody: tests bring up their own parts, so no other variable of the platform reaches them. */
const forTests = (env: Environment): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => PROGRAMS.includes(name) || !(name in VARIABLES)))

/** One moving line on a terminal; elsewhere a line every quarter of a minute. */
function progress() {
  let shown = Date.now()
  return (counts: Counts, title: string) => {
    if (terminal) write(`\r\x1b[K${`${countsLine(counts)} · ${title}`.slice(0, (process.stdout.columns ?? 80) - 1)}`)
    else if (Date.now() - shown > 15_000) {
      shown = Date.now()
      write(`${countsLine(counts)} so far\n`)
    }
  }
}

async function runAva(
  env: Environment,
  args: string[],
): Promise<{ code: number | null; counts: Counts; failures: string[] }> {
  const ava = join(root, 'node_modules', 'ava', 'entrypoints', 'cli.js')
  const child = spawn(process.execPath, [ava, '--tap', ...args], {
    cwd: root,
    env: forTests(env),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  const failures: string[] = []
  const reader = tapReader({
    counted: progress(),
    failed: (title, why) => {
      failures.push(title)
      write(`${terminal ? '\r\x1b[K' : ''}\n✘ ${title}\n${why.join('\n')}\n`)
    },
  })
  const closed = once(child, 'close') as Promise<[number | null]>
  for await (const line of createInterface({ input: child.stdout })) reader.line(line)
  const [code] = await closed
  reader.end()
  if (terminal) write('\r\x1b[K')
  return { code, counts: reader.counts, failures }
}

/** The files that failures come from, as AVA names them: `stack › title`, or the path of a file that ended badly. */
export function filesOf(failures: string[]): string[] | undefined {
  const files = failures.map((title) => {
    const name = /^([\w.-]+) › /.exec(title)?.[1]
    return name ? `test/${name}.test.ts` : /\btest\/[\w.-]+\.test\.ts\b/.exec(title)?.[0]
  })
  return files.every((file) => file !== undefined && existsSync(join(root, file)))
    ? [...new Set(files as string[])]
    : undefined
}

/** More than this many files do not fail because the machine was busy. */
const SECOND_CHANCES = 8

/**
 * Many tests hold real servers to real times, and a machine that does something else may be too slow once. So in a whole
 * run a file that failed runs once more, alone and in sight: what fails twice has failed (D-125).
 */
async function runTwiceWhereNeeded(env: Environment, args: string[]) {
  const first = await runAva(env, args)
  const files = args.length === 0 && first.failures.length > 0 ? filesOf(first.failures) : undefined
  if (!files || files.length > SECOND_CHANCES) return first
  write(`\nOnce more, alone: ${files.join(', ')}\n`)
  const second = await runAva(env, ['--concurrency=1', ...files])
  const failed = second.code === 0 ? 0 : Math.max(1, second.counts.failed)
  const { passed, skipped } = first.counts
  if (failed === 0) write(`\nFailed once and passed alone:\n${first.failures.map((title) => `~ ${title}\n`).join('')}`)
  const counts = { passed: passed + Math.max(0, first.counts.failed - failed), failed, skipped }
  return { code: second.code, counts, failures: failed === 0 ? [] : second.failures }
}

/** Builds, runs the tests, and says how many passed and failed in the last line. No test at all is a failure. */
export const runTests = (env: Environment, args: string[]): Promise<void> =>
  asCommand(async () => {
    await buildAll(console.log)
    const { code, counts, failures } = await runTwiceWhereNeeded(env, args)
    const ran = counts.passed + counts.failed
    if (failures.length > 0) write(`\nFailed:\n${failures.map((title) => `✘ ${title}\n`).join('')}`)
    if (ran === 0) write('No test ran: nothing matches.\n')
    write(`\n${countsLine(counts)}\n`)
    process.exitCode = ran === 0 || counts.failed > 0 ? 1 : (code ?? 1)
  })
