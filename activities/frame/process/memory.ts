import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const LOOK_MS = 30_000
/** Share of one core up to which a process counts as idle. */
const IDLE = 0.02
/** What is worth a pause. */
const GROWN_BYTES = 64 * 1024 * 1024

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

const isCollect = (value: unknown): value is Collect => typeof value === 'function'

function collector(): Collect {
  setFlagsFromString('--expose-gc')
  const gc: unknown = runInNewContext('gc')
  if (!isCollect(gc)) throw new Error('V8 gives no access to its garbage collector')
  return gc
}

interface Watched {
  /** Processor time so far, in milliseconds. */
  workMs(): number
  residentBytes(): number
  release(): void
}

const own = (): Watched => {
  const collect = collector()
  return {
    workMs() {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1000
    },
    residentBytes: () => process.memoryUsage.rss(),
    release: () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
  }
}

/**
 * Gives memory back now, when a start has left 150 MB of garbage, and whenever the process is idle and has grown since:
 * V8 collects on its own only when something asks for memory, and keeps what new objects once took. It stops the process
 * for 0.1 s. Returns a function that stops the watch.
 */
export function giveMemoryBack({ workMs, residentBytes, release }: Watched = own(), lookMs = LOOK_MS): () => void {
  const give = () => {
    release()
    return residentBytes()
  }
  let least = give()
  let worked = workMs()
  const timer = setInterval(() => {
    const before = worked
    worked = workMs()
    if (worked - before > lookMs * IDLE) return
    if (residentBytes() - least > GROWN_BYTES) least = give()
  }, lookMs)
  timer.unref()
  return () => clearInterval(timer)
}
