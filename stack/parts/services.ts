import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { logTo, notable, throttled } from '../local/log-file.ts'
import type { Say } from '../local/progress.ts'
import { launch, type Part } from './part.ts'

/** As in the Dockerfile. Otherwise glibc keeps freed memory for each thread: some 10 MB of a process. */
export const NODE_ENVIRONMENT = { MALLOC_ARENA_MAX: '2' }

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Where `npm run build` puts an entry. */
export const compiled = (entry: string) => `build/app/${entry.replace(/\.ts$/, '.js')}`

export interface ServiceOptions {
  name: string
  /** docker-compose.yml runs the same, compiled. */
  entry: 'api/server.ts' | 'activities/worker.ts'
  /** Answers 200 once the service is ready, and names what is down. */
  readyUrl: string
  env: Readonly<Record<string, string | undefined>>
  shutdownSeconds: number
  logFile: string
  say: Say
  launched?: (part: Part) => void
  readyWithinMs?: number
  /** How long one that answers, but not yet `ready`, is waited for: a part that is down may stay down. */
  settleMs?: number
}

/** A machine that is busy with the start itself answers late. */
const ANSWER_MS = 5_000

/** `ready`, or what the service says about why not; undefined while nobody listens. */
async function readiness(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) })
    const body = await response.text()
    return response.ok && !body.includes('"down"') ? 'ready' : body.slice(0, 300)
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') return `no answer within ${ANSWER_MS / 1000} s`
    return undefined // not listening yet
  }
}

/** Starts the API or the worker and waits until it is ready. One that answers that a part is down counts as started. */
export async function startService(options: ServiceOptions): Promise<Part & { state: string }> {
  const log = logTo(options.logFile)
  const show = throttled(options.say, options.logFile)
  const { child, ...part } = await launch({
    name: options.name,
    command: process.execPath,
    args: [compiled(options.entry)],
    cwd: root,
    env: { ...NODE_ENVIRONMENT, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: 'SIGTERM',
    graceMs: (options.shutdownSeconds + 5) * 1_000,
  })
  options.launched?.(part)
  for (const stream of [child.stdout, child.stderr])
    if (stream)
      log.follow(stream, (text) => {
        const line = notable(options.name, text)
        if (line) show(line)
      })
  child.once('close', log.close)
  const state = await untilReady(options, part)
  return { ...part, state }
}

async function untilReady(
  { name, readyUrl, logFile, readyWithinMs = 60_000, settleMs = 10_000 }: ServiceOptions,
  part: Part,
) {
  let exit: string | undefined
  void part.exited.then((how) => {
    exit = how
  })
  const deadline = Date.now() + readyWithinMs
  let settled = deadline
  for (;;) {
    const state = await readiness(readyUrl)
    if (state === 'ready') return state
    if (exit !== undefined) throw new Error(`${name} ended before it was ready (${exit}); see ${logFile}.`)
    if (state !== undefined) {
      settled = Math.min(settled, Date.now() + settleMs)
      if (Date.now() >= settled) return state
    } else if (Date.now() >= deadline) {
      await part.stop()
      throw new Error(`${name} did not answer within ${readyWithinMs / 1000} s; see ${logFile}.`)
    }
    await wait(50)
  }
}
