import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { launch } from '../../../stack/parts/part.ts'
import { startOf } from '../../../stack/parts/processes.ts'

interface Owner {
  teardown(work: () => void | Promise<void>): void
}

/** A directory of its own, gone after the test. */
export function temporary(t: Owner, name: string): string {
  const directory = mkdtempSync(join(tmpdir(), `countersign-${name}-`))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** A process of ours that runs `code` until it is asked to stop. */
export const launchNode = (code: string, options: { signal?: NodeJS.Signals; graceMs?: number } = {}) =>
  launch({
    name: 'Sleeper',
    command: process.execPath,
    args: ['-e', code],
    env: {},
    stdio: 'ignore',
    signal: options.signal ?? 'SIGTERM',
    graceMs: options.graceMs ?? 5_000,
  })

export const isAlive = (pid: number): boolean => startOf(pid) !== undefined

/** Repeats the question for `timeoutMs`; the last answer. */
export async function eventually(question: () => boolean, timeoutMs = 20_000): Promise<boolean> {
  const deadline = Date.now() + timeoutMs
  while (!question()) {
    if (Date.now() > deadline) return false
    await wait(50)
  }
  return true
}

/** Numbers of the processes that `pid` started. */
export function children(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
  } catch {
    return [] // gone, or no /proc
  }
}

export const descendants = (pid: number): number[] => children(pid).flatMap((child) => [child, ...descendants(child)])

/** What the image runs before the words of a command: `node` is the Node of the tests, which is that of the image. */
export function entrypoint(): string[] {
  const [, words = '[]'] = /^ENTRYPOINT (\[.*\])$/m.exec(readFileSync('Dockerfile', 'utf8')) ?? []
  const [program, ...rest] = JSON.parse(words) as string[]
  if (program !== 'node') throw new Error(`The image runs ${program}, which these tests do not know.`)
  return rest
}

/** A script of this repository as the image runs it. */
export const inImage = (args: string[], env: Record<string, string> = {}) => script(args, env, { before: entrypoint() })

/** A script of this repository in a process of its own, with the lines it has written so far. */
export function script(
  args: string[],
  env: Record<string, string> = {},
  { cwd = process.cwd(), before = ['--import=tsx'] }: { cwd?: string; before?: string[] } = {},
) {
  const child = spawn(process.execPath, [...before, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: 'pipe',
  })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => lines.push(line))
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  const said = (text: string | RegExp) => lines.some((line) => line.match(text) !== null)
  const says = async (text: string | RegExp, timeoutMs = 150_000) => {
    await eventually(() => child.exitCode !== null || said(text), timeoutMs)
    return said(text)
  }
  return { child, pid: child.pid ?? 0, lines, ended, says }
}
