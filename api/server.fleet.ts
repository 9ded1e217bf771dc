import cluster, { type Worker } from 'node:cluster'
import type { Logger } from 'pino'
import { SCHEMA_EXIT } from '../activities/frame/process/schema-exit.ts'

/**
 * V8 collects new objects on one thread: its helpers take processor time from the other processes (D-1001). It does not shrink
 * the heap of a process that rests for some seconds, because it drops what it has compiled then, too (D-1038).
 */
const FLAGS = ['--no-parallel-scavenge', '--no-memory-reducer']
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 15_000

/** The message of a process to its primary before it ends because of the database's schema. */
export interface SchemaNotice {
  schemaMismatch: string
}

const noticeOf = (message: unknown): string | undefined => {
  const notice: unknown =
    typeof message === 'object' && message !== null ? Reflect.get(message, 'schemaMismatch') : undefined
  return typeof notice === 'string' ? notice : undefined
}

export interface Fleet {
  /** Lets each process finish what it accepted. */
  stop(): Promise<void>
  /** Resolves when no process can ever serve: the database was migrated by a newer version. */
  hopeless: Promise<void>
}

/**
 * Keeps `size` processes alive. While none can start, tries one at a time with growing pauses, and logs the reason
 * once.
 */
export function keepProcesses({ size, port, log }: { size: number; port: number; log: Logger }): Fleet {
  const serving = new Set<number>()
  const hopeless = Promise.withResolvers<void>()
  let missing = 0
  let pauseMs = FIRST_PAUSE_MS
  let outdated = false
  let stopping = false
  let timer: NodeJS.Timeout | undefined
  let lastNotice: string | undefined

  const running = () =>
    Object.values(cluster.workers ?? {}).flatMap((worker) => (worker && !worker.isDead() ? [worker] : []))

  const fork = (most: number) => {
    for (; most > 0 && missing > 0 && !stopping; most -= 1) {
      missing -= 1
      cluster.fork()
    }
  }

  /** `most`: 1 after a failed start, so that one process is tried before the others. */
  const forkAfter = (ms: number, most: number) => {
    timer ??= setTimeout(() => {
      timer = undefined
      fork(most)
    }, ms)
  }

  cluster.setupPrimary({ execArgv: [...process.execArgv, ...FLAGS] })

  cluster.on('message', (_worker, message: unknown) => {
    const notice = noticeOf(message)
    if (notice === undefined || notice === lastNotice) return
    lastNotice = notice
    log.error({ part: 'database', reason: notice }, 'the API does not fit the database')
  })

  cluster.on('listening', (worker) => {
    serving.add(worker.id)
    pauseMs = FIRST_PAUSE_MS
    lastNotice = undefined
    if (serving.size === size) log.info({ port, processes: size }, 'api ready')
    fork(missing)
  })

  const lost = (worker: Worker, code: number | null, signal: string | null) => {
    const served = serving.delete(worker.id)
    if (stopping) return
    missing += 1
    outdated ||= code === SCHEMA_EXIT.newer
    if (outdated) {
      if (serving.size === 0) hopeless.resolve()
      return // running processes serve until they are replaced (D-141), and no new one can
    }
    const isReported = code === SCHEMA_EXIT.older
    if (!isReported) {
      const againInMs = served ? FIRST_PAUSE_MS : pauseMs
      log.error({ pid: worker.process.pid, code, signal, againInMs }, 'an API process ended; another takes its place')
    }
    if (timer) return
    if (served) return forkAfter(FIRST_PAUSE_MS, size)
    // one that is still being tried will say whether the next can start
    if (running().some(({ id }) => !serving.has(id))) return
    forkAfter(pauseMs, 1)
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  }
  cluster.on('exit', lost)

  missing = size
  fork(size)

  return {
    hopeless: hopeless.promise,
    async stop() {
      stopping = true
      clearTimeout(timer)
      const all = running().map((worker) => new Promise<void>((resolve) => worker.once('exit', () => resolve())))
      for (const worker of running()) worker.process.kill('SIGTERM')
      await Promise.all(all)
    },
  }
}
