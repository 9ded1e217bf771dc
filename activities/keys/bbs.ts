import { availableParallelism } from 'node:os'
import pLimit from 'p-limit'
import { Piscina } from 'piscina'
import { Refusal, Unavailable } from '../../protocol/errors.ts'
import type { BbsInput } from './index.ts'
import type { KeyMaterial } from './material.ts'

/** BBS takes tens of milliseconds: it runs in worker threads, so that the event loop stays free. */
export interface BbsThreads {
  generate(seed: Uint8Array): Promise<KeyMaterial>
  sign(key: KeyMaterial, input: BbsInput): Promise<Uint8Array>
  close(): Promise<void>
}

export interface BbsLimits {
  threads?: number
  timeoutMs?: number
  heapMegabytes?: number
  queue?: number
  messages?: number
}

/** The file beside this one, both under tsx and in a build. */
const worker = new URL(`./bbs.worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url).href

const code = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)

/**
 * First come, first served by one or two threads, begun by the first task and ended by a minute without one. A message costs
 * about 5 ms, and another 5 when it is derived or verified: what is signed must be verifiable in the time of a document.
 */
export function createBbsThreads(limits: BbsLimits = {}): BbsThreads {
  const { timeoutMs = 20_000, heapMegabytes = 192, queue = 1_000, messages: most = 200 } = limits
  const threads = limits.threads ?? Math.max(1, Math.min(2, availableParallelism() - 1))
  /** The line is ours: piscina lets tasks that can be aborted overtake each other, and some of them wait for ever. */
  const inTurn = pLimit(threads)
  let pool: Piscina | undefined

  const threadPool = () => {
    pool ??= new Piscina({
      filename: worker,
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: 60_000,
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
    })
    return pool
  }

  const run = async <Result>(name: 'generate' | 'sign', task: unknown): Promise<Result> => {
    const signal = AbortSignal.timeout(timeoutMs)
    if (inTurn.pendingCount >= queue) throw new Unavailable('keys', 'Too many BBS operations are waiting.')
    try {
      return await inTurn(() => threadPool().run(task, { name, signal }))
    } catch (error) {
      if (signal.aborted) throw new Unavailable('keys', `A BBS operation took longer than ${timeoutMs} ms.`)
      if (code(error) === 'ERR_WORKER_OUT_OF_MEMORY')
        throw new Unavailable('keys', 'A BBS operation ran out of memory.')
      throw error
    }
  }

  return {
    generate: (seed) => run('generate', seed),
    async sign({ secret, publicKey }, { header, messages }) {
      if (messages.length > most) {
        throw new Refusal('key.too_many_messages', `One BBS signature takes ${most} messages at most.`)
      }
      return run('sign', { secret, publicKey, header, messages })
    },
    async close() {
      await inTurn(async () => {
        await pool?.close()
        pool = undefined
      })
    },
  }
}
