import { availableParallelism } from 'node:os'
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads'
import pLimit from 'p-limit'
import { Piscina } from 'piscina'
import type { ContextLookup } from '../../protocol/contexts/index.ts'
import { DocumentFault, Refusal, Unavailable } from '../../protocol/errors.ts'
import type { ContextMessage, TaskName, Tasks, ThreadAnswer, ThreadMessage, ThreadTask } from './types.ts'
import { createWatch, type Used } from './watch.ts'

export interface DocumentPoolOptions {
  /** Threads; one less than the cores unless told, so that the event loop keeps one. */
  threads?: number
  /** Milliseconds of work that one task may take; by the clock it may take two and a half times as long. */
  timeoutMs?: number
  /** Milliseconds that one task may wait for contexts that were not known before it was given its thread. */
  waitMs?: number
  /** Megabytes of heap that a thread may have in use. */
  memoryMb?: number
  /** Tasks that may wait. */
  maxQueue?: number
  /** Told when a thread ends without a task, e.g. out of memory while it was being stopped. It is replaced. */
  onThreadError?(error: unknown): void
}

export interface DocumentPool {
  /**
   * Runs a task in a thread; contexts it wants are looked up here. Over time or memory:
   * `Refusal('credential.too_complex')`, and the thread is replaced. Full queue: `Unavailable('documents')`.
   */
  run<Name extends TaskName>(task: ThreadTask<Name>, lookup: ContextLookup): Promise<Tasks[Name]['output']>
  close(): Promise<void>
}

const thread = new URL(import.meta.url.endsWith('.ts') ? './thread.ts' : './thread.js', import.meta.url)

/** A TypeScript checkout needs the loader in its threads too, however this process got it. */
const execArgv = thread.pathname.endsWith('.ts') ? ['--import', import.meta.resolve('tsx')] : []

const milliseconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000

/** How far above ours V8's own limit stands. */
const V8_MARGIN_MB = 384

const tooComplex = (what: string): Refusal =>
  new Refusal(
    'credential.too_complex',
    `The credential takes too much ${what} to process. Use fewer or simpler nodes and contexts.`,
  )

const codeOf = (error: unknown): unknown => (error instanceof Error ? Reflect.get(error, 'code') : undefined)

export function createDocumentPool(options: DocumentPoolOptions = {}): DocumentPool {
  const {
    threads = Math.max(1, availableParallelism() - 1),
    timeoutMs = 2000,
    waitMs = 5000,
    memoryMb = 256,
    maxQueue = 200,
    onThreadError = (error) => process.emitWarning(error instanceof Error ? error : String(error)),
  } = options
  const pool = new Piscina({
    filename: thread.href,
    minThreads: threads,
    maxThreads: threads,
    execArgv,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb + V8_MARGIN_MB },
  })
  pool.on('error', onThreadError)
  /** First come, first served: in piscina's own line, tasks that can be aborted overtake each other. */
  const inTurn = pLimit(threads)

  /** Answers what the thread asks for; a failed lookup is kept here, with its class, and the thread told there is nothing. */
  function serve(port: MessagePort, lookup: ContextLookup, over: (what: 'time' | 'memory') => void) {
    let worker: Worker | undefined
    let begunMs = 0
    const look = async (): Promise<Used | undefined> => {
      try {
        const [usage, heap] = await Promise.all([worker?.cpuUsage(), worker?.getHeapStatistics()])
        return usage && heap && { workMs: milliseconds(usage) - begunMs, heapMb: heap.used_heap_size / 2 ** 20 }
      } catch {
        return undefined // it has ended; the task is rejected, or done
      }
    }
    const watch = createWatch({ limits: { timeoutMs, memoryMb, waitMs }, look, over })
    const failures: unknown[] = []
    const answer = async (url: string) => {
      let document: object | undefined
      try {
        document = await lookup(url)
      } catch (error) {
        failures.push(error)
      }
      port.postMessage({ url, document } satisfies ContextMessage)
    }
    port.on('message', (message: ThreadMessage) => {
      if (message.kind === 'begun') {
        worker = pool.threads.find(({ threadId }) => threadId === message.threadId)
        begunMs = milliseconds(message.usage)
        watch.start()
      } else void watch.whileWaiting(() => answer(message.url))
    })
    return { failures, stop: watch.stop }
  }

  async function run<Name extends TaskName>(
    task: ThreadTask<Name>,
    lookup: ContextLookup,
  ): Promise<Tasks[Name]['output']> {
    if (inTurn.activeCount + inTurn.pendingCount >= threads + maxQueue)
      throw new Unavailable('documents', 'Too many documents wait to be processed.', 1)
    const { port1: port, port2 } = new MessageChannel()
    const over = new AbortController()
    let short: 'time' | 'memory' = 'time'
    const served = serve(port, lookup, (what) => {
      short = what
      over.abort()
    })
    try {
      const work = inTurn(() => pool.run({ task, port: port2 }, { transferList: [port2], signal: over.signal }))
      const answer = (await work) as ThreadAnswer<Tasks[Name]['output']>
      if (served.failures.length > 0) throw served.failures[0]
      if (answer.done) return answer.output
      if ('fault' in answer) throw new DocumentFault('A document could not be processed.', { cause: answer.fault })
      const { code, message, errors } = answer.refusal
      throw new Refusal(code, message, errors)
    } catch (error) {
      if (over.signal.aborted) throw tooComplex(short)
      if (codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY') throw tooComplex('memory')
      throw error
    } finally {
      served.stop()
      port.close()
    }
  }

  return { run, close: () => pool.destroy() }
}
