import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { platform } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'

/** A process we started, told from a later one with the same number by its start. It leads a process group of its own. */
export interface Recorded {
  name: string
  pid: number
  /** What `startOf(pid)` said when it was started. */
  started: string
  /** Asks it to stop. */
  signal: NodeJS.Signals
  /** Milliseconds from asking to SIGKILL. */
  graceMs: number
}

const onLinux = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (state === 'Z' || state === 'X') return undefined
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${fields[18]}` // proc_pid_stat(5): starttime
  } catch {
    return undefined // no such process
  }
}

const elsewhere = (pid: number): string | undefined => {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
    return line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '')
  } catch {
    return undefined // ps exits 1 when there is no such process
  }
}

/** When the process was started, in whatever form the system counts it; undefined when it is gone or a zombie. */
export const startOf = (pid: number): string | undefined => (platform() === 'linux' ? onLinux(pid) : elsewhere(pid))

/** The command line with its arguments, separated by blanks; empty when the process is gone. */
export function commandLineOf(pid: number): string {
  try {
    if (platform() === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).trim()
  } catch {
    return ''
  }
}

export const isRunning = ({ pid, started }: Pick<Recorded, 'pid' | 'started'>): boolean => startOf(pid) === started

/** Sends a signal; false when nobody is there to get it. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}

/** Resolves to true once the process is gone, to false when it is still there after `timeoutMs`. */
export async function gone(one: Pick<Recorded, 'pid' | 'started'>, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs
  while (isRunning(one)) {
    if (Date.now() >= deadline) return false
    await wait(25)
  }
  return true
}

/**
 * Ends a process and what is left of its group: asks, waits, then kills. A process that is not the recorded one is
 * left alone. A group outlives its leader under the leader's number, which the system does not hand out meanwhile.
 */
export async function end(one: Recorded): Promise<void> {
  if (isRunning(one)) {
    signal(one.pid, one.signal)
    if (!(await gone(one, one.graceMs))) signal(one.pid, 'SIGKILL')
    await gone(one, 5_000)
  }
  if (startOf(one.pid) === undefined && sameBoot(one.started)) signal(-one.pid, 'SIGKILL')
}

const sameBoot = (started: string): boolean => {
  const own = startOf(process.pid)
  return own !== undefined && own.split('/')[0] === started.split('/')[0]
}
