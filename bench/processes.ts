import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks per second as /proc counts them: 100 on every Linux. */
const TICKS = 100

/** Parent and work of a process; undefined when it is gone (proc_pid_stat(5): ppid, utime, stime). */
function statOf(pid: number): { parent: number; workMs: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { parent: Number(fields[1]), workMs: ((Number(fields[11]) + Number(fields[12])) / TICKS) * 1000 }
  } catch {
    return undefined
  }
}

/**
 * Milliseconds of processor time that processes and all that they started have used so far. Their difference
 * depends less on what else the machine does than requests per second do. Undefined where there is no /proc.
 */
export function workOf(pids: number[]): number | undefined {
  if (process.platform !== 'linux') return undefined
  const all = new Map(
    readdirSync('/proc').flatMap((name) => {
      const stat = /^\d+$/.test(name) ? statOf(Number(name)) : undefined
      return stat ? [[Number(name), stat] as const] : []
    }),
  )
  const belongs = (pid: number): boolean => pids.includes(pid) || (all.has(pid) && belongs(all.get(pid)?.parent ?? 0))
  return [...all].reduce((sum, [pid, { workMs }]) => sum + (belongs(pid) ? workMs : 0), 0)
}
