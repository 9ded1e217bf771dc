import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import { Refusal, Unavailable } from '../../protocol/errors.ts'
import { endThreads } from '../frame/threads/ending.ts'
import { createThreads, type Threads } from '../frame/threads/index.ts'
import type { Made } from './bbs.worker.ts'
import type { BbsInput } from './index.ts'
import type { KeyMaterial } from './material.ts'

/** BBS takes tens of milliseconds: it runs in worker threads, so that the event loop stays free. */
export interface BbsThreads {
  generate(tenantId: string, seed: Uint8Array): Promise<KeyMaterial>
  sign(tenantId: string, key: KeyMaterial, input: BbsInput): Promise<Uint8Array>
  close(): Promise<void>
}

export interface BbsLimits {
  /** Turns among tenants and their budgets, shared with the other threads of the process. */
  shared?: Threads
  /** By default two or three, because no tenant gets all of them (D-195). */
  threads?: number
  /** Limit of one task, from its begin. */
  timeoutMs?: number
  heapMegabytes?: number
  queue?: number
  messages?: number
}

/** The file beside this one, both under tsx and in a build. */
const worker = new URL(`./bbs.worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url).href

const code = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)

/**
 * Threads that tenants share fairly, started for a task and ended after a minute without one. A message costs about 5
 * ms to sign, and another 5 to derive or verify: what is signed must be verifiable within the limit of a document.
 */
export function createBbsThreads(limits: BbsLimits = {}): BbsThreads {
  const { timeoutMs = 20_000, heapMegabytes = 192, queue = 1_000, messages: most = 200 } = limits
  const { shared = createThreads(), threads = Math.max(2, Math.min(3, availableParallelism())) } = limits
  /** Decides whose turn it is, because abortable tasks overtake each other in piscina's own queue (D-145). */
  const line = shared.pool('bbs', { part: 'keys', slots: threads, maxWaiting: queue })
  let pool: Piscina | undefined
  let closed = false

  const threadPool = () => {
    if (pool) return pool
    pool = new Piscina({
      filename: worker,
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: 60_000,
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: 16 },
    })
    endThreads(pool)
    return pool
  }

  const run = <Result>(name: 'generate' | 'sign', tenantId: string, task: unknown): Promise<Result> =>
    line.queue.run(tenantId, async (spend) => {
      if (closed) throw new Unavailable('keys', 'The process is stopping.')
      const signal = AbortSignal.timeout(timeoutMs)
      try {
        const { result, workMs }: Made<Result> = await threadPool().run(task, { name, signal })
        spend(workMs)
        return result
      } catch (error) {
        if (signal.aborted) {
          line.observer.refused('time')
          throw new Unavailable('keys', `A BBS operation took longer than ${timeoutMs} ms.`)
        }
        if (code(error) !== 'ERR_WORKER_OUT_OF_MEMORY') throw error
        line.observer.refused('memory')
        throw new Unavailable('keys', 'A BBS operation ran out of memory.')
      }
    })

  return {
    generate: (tenantId, seed) => run('generate', tenantId, seed),
    async sign(tenantId, { secret, publicKey }, { header, messages }) {
      if (messages.length > most) {
        throw new Refusal(
          'key.too_many_messages',
          `The document has too many statements for a BBS signature: at most ${most} besides the mandatory ones.`,
        )
      }
      return run('sign', tenantId, { secret, publicKey, header, messages })
    },
    /** Finishes running tasks, and refuses waiting ones. */
    async close() {
      closed = true
      await pool?.close()
    },
  }
}
