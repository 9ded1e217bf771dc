import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks per second as /proc counts them: 100 on every Linux. */
const TICKS = 100

interface Entry {
  pid: number
  parent: number
  command: string
  workMs: number
}

/**
 * Parent, command and work of a process, with that of its children that have ended, such as closed connections of
 * PostgreSQL; undefined when it is gone (proc_pid_stat(5): comm, ppid, utime, stime, cutime, cstime).
 */
function entryOf(pid: number): Entry | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const command = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const workMs = (fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS) * 1000
    return { pid, parent: Number(fields[1]), command, workMs }
  } catch {
    return undefined
  }
}

/** Processes and all that they started. Undefined where there is no /proc. */
function familyOf(pids: number[]): Entry[] | undefined {
  if (process.platform !== 'linux') return undefined
  const all = new Map(
    readdirSync('/proc').flatMap((name) => {
      const entry = /^\d+$/.test(name) ? entryOf(Number(name)) : undefined
      return entry ? [[entry.pid, entry] as const] : []
    }),
  )
  const belongs = (pid: number): boolean => pids.includes(pid) || (all.has(pid) && belongs(all.get(pid)?.parent ?? 0))
  return [...all.values()].filter(({ pid }) => belongs(pid))
}

/**
 * Milliseconds of processor time that processes and all that they started have used so far. Their difference
 * depends less on what else the machine does than requests per second do. Undefined where there is no /proc.
 */
export const workOf = (pids: number[]): number | undefined =>
  familyOf(pids)?.reduce((sum, { workMs }) => sum + workMs, 0)

/** Stops processes and all that they started where they are, or lets them go on: one at rest still asks and looks. */
export function signalAll(pids: number[], signal: 'SIGSTOP' | 'SIGCONT'): void {
  for (const { pid } of familyOf(pids) ?? []) {
    try {
      process.kill(pid, signal)
    } catch {
      // it has ended meanwhile
    }
  }
}

/** What is a process' own and, of what it shares with others, its part (proc_pid_smaps(5): Pss), in MiB. */
function megabytesOf(pid: number): number {
  try {
    const [, kilobytes = '0'] = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? []
    return Number(kilobytes) / 1024
  } catch {
    return 0 // it has ended meanwhile
  }
}

/**
 * The memory of a process and of those of its own kind that it started, in MiB, the oldest first. Whatever else one
 * started (the loader's compiler) counts as its own. Undefined where there is no /proc.
 */
export function memoryOf(pid: number): number[] | undefined {
  const family = familyOf([pid])?.sort((one, other) => one.pid - other.pid)
  const command = family?.find((each) => each.pid === pid)?.command
  return family
    ?.filter((each) => each.command === command)
    .map((each) =>
      family
        .filter((other) => other === each || (other.parent === each.pid && other.command !== command))
        .reduce((sum, other) => sum + megabytesOf(other.pid), 0),
    )
}
