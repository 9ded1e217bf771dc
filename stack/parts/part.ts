import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { GuardMessage } from './guard.ts'
import { end, type Recorded, startOf } from './processes.ts'

/** Something brought up: PostgreSQL, Temporal, the API, the worker. */
export interface Part {
  name: string
  pid: number
  /** As the ledger and the guard know it. */
  recorded: Recorded
  /** Resolves when the process has ended, with `exit code 1` or `signal SIGKILL`; never rejects. */
  exited: Promise<string>
  /** Asks it to stop, waits, and kills what is left of its process group. */
  stop(): Promise<void>
}

export interface Launch {
  name: string
  command: string
  args: string[]
  cwd?: string
  env: Readonly<Record<string, string | undefined>>
  uid?: number
  gid?: number
  stdio: StdioOptions
  signal: NodeJS.Signals
  graceMs: number
  /** Rights that its files do not get (umask(2)); ours unless told. */
  umask?: number
}

let guard: ChildProcess | undefined

function startGuard(): ChildProcess {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./guard.ts', import.meta.url))], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env: {},
  })
  child.stdin?.on('error', () => undefined) // a guard that was killed: the ledger still knows what to end
  child.on('error', () => undefined)
  child.unref()
  if (child.stdin instanceof Socket) child.stdin.unref()
  return child
}

const tell = (to: ChildProcess | undefined, message: GuardMessage) => to?.stdin?.write(`${JSON.stringify(message)}\n`)

/** Lets the guard go once nothing is left to watch; resolves when its process has ended. */
export async function dismissGuard(): Promise<void> {
  const child = guard
  guard = undefined
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.ref()
  child.stdin?.end()
  await ended
}

/** Starts a process in a group of its own, so that Ctrl-C reaches us alone, and under the guard. */
export async function launch(what: Launch): Promise<Part & { child: ChildProcess }> {
  const { name, command, args, signal, graceMs, umask, ...options } = what
  // it is inherited, and spawn has no option for it; nothing else runs between the two lines
  const ours = umask === undefined ? undefined : process.umask(umask)
  const child = spawn(command, args, { ...options, env: { ...options.env }, detached: true })
  if (ours !== undefined) process.umask(ours)
  const { pid } = child
  if (pid === undefined) {
    const [error] = (await once(child, 'error')) as [Error]
    throw new Error(`${name} cannot be started: ${error.message}`)
  }
  const recorded: Recorded = { name, pid, started: startOf(pid) ?? 'gone', signal, graceMs }
  guard ??= startGuard()
  tell(guard, { watch: recorded })
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, killer) => {
      tell(guard, { forget: pid })
      resolve(killer ? `signal ${killer}` : `exit code ${code}`)
    })
  })
  const stop = async () => {
    await end(recorded)
    await exited
  }
  return { name, pid, recorded, exited, stop, child }
}
