import { availableParallelism } from 'node:os'
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads'
import { Piscina } from 'piscina'
import type { ContextLookup } from '../../protocol/contexts/index.ts'
import { DocumentFault, Refusal, Unavailable } from '../../protocol/errors.ts'
import { endThreads } from '../frame/threads/ending.ts'
import { createThreads, type Threads } from '../frame/threads/index.ts'
import type { Spend } from '../frame/threads/queue.ts'
import type { ContextMessage, Owner, TaskName, Tasks, ThreadAnswer, ThreadMessage, ThreadTask } from './types.ts'
import { createWatch, type Short, type Used } from './watch.ts'

export interface DocumentPoolOptions {
  /** Turns among tenants and their budgets, shared with the other threads of the process. */
  shared?: Threads
  /** By default one thread per core, and at least two, because no tenant gets all of them (D-195). */
  threads?: number
  /** Threads that stay without a task, each with 40 MB; by default all but one, because a start takes half a second. */
  kept?: number
  /**
   * Milliseconds of work that one task may take, and more where it may be on a bbs-2023 proof or a trust list; by the clock
   * it may take five times as long.
   */
  timeoutMs?: number
  /** Milliseconds that one task may wait for contexts that were not known when it began. */
  waitMs?: number
  /** Megabytes of heap that a thread may have in use. */
  memoryMb?: number
  /** Tasks that may wait. */
  maxQueue?: number
  /** Called when a thread ends without a task, e.g. out of memory while it was being stopped. It is replaced. */
  onThreadError?(error: unknown): void
}

export interface DocumentPool {
  /**
   * Runs a task of a tenant in a thread; contexts it wants are looked up here. Over time or memory it throws the task's
   * `Refusal('….too_complex')`, and `Unavailable('documents')` when the machine is too busy; both replace the thread. Throws
   * as the queue does (threads/queue.ts) when there is no thread for the tenant.
   */
  run<Name extends TaskName>(task: ThreadTask<Name>, owner: Owner): Promise<Tasks[Name]['output']>
  close(): Promise<void>
}

const thread = new URL(import.meta.url.endsWith('.ts') ? './thread.ts' : './thread.js', import.meta.url)

/** In a TypeScript checkout the threads need this process' loader too. */
const execArgv = thread.pathname.endsWith('.ts') ? process.execArgv.filter((flag) => flag.startsWith('--import=')) : []

const milliseconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000

/** Cost of starting a thread, charged to the tenant whose task ended the last one. */
const NEW_THREAD_MS = 500

/** After so long without a task a thread that is not kept ends. */
const IDLE_MS = 5 * 60_000

/** Distance of V8's own limit above ours, of the task that may have most. */
const V8_MARGIN_MB = 384

/** Tasks that bound their own bytes beside the heap, in WebAssembly, of which several may not be collected yet. */
const BOUNDED: readonly TaskName[] = ['scan']

/**
 * Milliseconds that tasks may take besides: for a bbs-2023 proof of 200 messages, up to 2 s beside the work on the document
 * (D-414); for a trust list of 8 MB, which a national one of 2 MB takes a second of.
 */
const MORE_MS: Partial<Record<TaskName, number>> = {
  check: 3_000,
  derive: 3_000,
  readTrustList: 8_000,
  readListOfLists: 8_000,
  readPivots: 8_000,
}

/** Megabytes that tasks may have besides: a trust list of 8 MB is held as a tree three times. */
const MORE_MB: Partial<Record<TaskName, number>> = { readTrustList: 192, readListOfLists: 192, readPivots: 192 }

/** Milliseconds of tasks that need less than others: 100,000 characters of honest Markdown take a tenth of this. */
const SHORTER: Partial<Record<TaskName, number>> = { renderMarkdown: 1_000 }

type TooComplex = readonly [code: string, message: (what: string) => string]

const CREDENTIAL: TooComplex = [
  'credential.too_complex',
  (what) => `The credential takes too much ${what} to process. Use fewer or simpler nodes and contexts.`,
]
const PDF: TooComplex = [
  'pdf_template.too_complex',
  (what) => `The PDF takes too much ${what} to process. Use fewer or simpler objects, fields and fonts.`,
]

const LOTL: TooComplex = [
  'trust_list.lotl_too_complex',
  (what) => `The list of the lists takes too much ${what} to be read.`,
]

/** Tasks that process something else than a credential. */
const TOO_COMPLEX: Partial<Record<TaskName, TooComplex>> = {
  scan: ['scan.too_complex', (what) => `The file takes too much ${what} to read.`],
  renderMarkdown: [
    'content.too_complex',
    (what) => `The content takes too much ${what} to process. Use simpler Markdown.`,
  ],
  readPdfTemplate: PDF,
  fillPdf: PDF,
  readTrustList: [
    'trust_list.source_too_complex',
    (what) => `The list takes too much ${what} to be read. Name one with fewer services.`,
  ],
  readListOfLists: LOTL,
  readPivots: LOTL,
}

function tooComplex(task: TaskName, what: string): Refusal {
  const [code, message] = TOO_COMPLEX[task] ?? CREDENTIAL
  return new Refusal(code, message(what))
}

const tooLate = () =>
  new Unavailable('documents', 'The machine is too busy to process the document in time. Try again later.', 5)

const codeOf = (error: unknown): unknown => (error instanceof Error ? Reflect.get(error, 'code') : undefined)

export function createDocumentPool(options: DocumentPoolOptions = {}): DocumentPool {
  const {
    shared = createThreads(),
    threads = Math.max(2, availableParallelism()),
    kept = Math.max(1, threads - 1),
    timeoutMs = 2000,
    waitMs = 5000,
    memoryMb = 256,
    maxQueue = 200,
    onThreadError = (error) => process.emitWarning(error instanceof Error ? error : String(error)),
  } = options
  const pool = new Piscina({
    filename: thread.href,
    // further ones start when several tenants need threads
    minThreads: kept,
    maxThreads: threads,
    idleTimeout: IDLE_MS,
    execArgv,
    resourceLimits: {
      maxOldGenerationSizeMb: memoryMb + Math.max(...Object.values(MORE_MB)) + V8_MARGIN_MB,
      maxYoungGenerationSizeMb: 16,
    },
  })
  pool.on('error', onThreadError)
  endThreads(pool)
  let isClosed = false
  // a thread that takes the place of one that was ended may begin after the end of the pool, which it would outlive
  pool.on('workerCreate', () => {
    if (isClosed) pool.destroy().catch(onThreadError)
  })
  /** Decides whose turn it is, because abortable tasks overtake each other in piscina's own queue (D-145). */
  const { queue, observer } = shared.pool('documents', { part: 'documents', slots: threads, maxWaiting: maxQueue })

  /**
   * Sends the thread the contexts that it requests. Keeps the error of a failed lookup, and sends `undefined` instead.
   */
  function serve(name: TaskName, port: MessagePort, lookup: ContextLookup, over: (what: Short) => void) {
    let worker: Worker | undefined
    let begunMs = 0
    let begunBytes = 0
    let workMs = 0
    const look = async (): Promise<Used | undefined> => {
      try {
        const [usage, heap] = await Promise.all([worker?.cpuUsage(), worker?.getHeapStatistics()])
        if (!usage || !heap) return undefined
        workMs = milliseconds(usage) - begunMs
        // bytes, such as those of an inflated stream, are outside of the heap; some are those of a task before
        const bytes = BOUNDED.includes(name) ? 0 : Math.max(0, heap.external_memory - begunBytes)
        return { workMs, heapMb: (heap.used_heap_size + bytes) / 2 ** 20 }
      } catch {
        return undefined // the thread has ended; the task is rejected, or done
      }
    }
    const ownMs = Math.min(timeoutMs, SHORTER[name] ?? timeoutMs)
    const [moreMs, moreMb] = [MORE_MS[name] ?? 0, MORE_MB[name] ?? 0]
    const limits = { timeoutMs: ownMs + moreMs, memoryMb: memoryMb + moreMb, waitMs }
    const watch = createWatch({ limits, look, over })
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
        begunBytes = message.externalBytes
        watch.start()
      } else void watch.whileWaiting(() => answer(message.url))
    })
    return { failures, stop: watch.stop, waitedMs: watch.waitedMs, seenMs: () => workMs }
  }

  async function inThread<Name extends TaskName>(
    task: ThreadTask<Name>,
    lookup: ContextLookup,
    spend: Spend,
  ): Promise<Tasks[Name]['output']> {
    const { port1: port, port2 } = new MessageChannel()
    const over = new AbortController()
    let short = 'time' as Short
    const exchange = serve(task.name, port, lookup, (what) => {
      short = what
      over.abort()
    })
    try {
      const work = pool.run({ task, port: port2 }, { transferList: [port2], signal: over.signal })
      const answer = (await work) as ThreadAnswer<Tasks[Name]['output']>
      spend(answer.workMs + exchange.waitedMs()) // nobody else had the thread while it stood still
      if (exchange.failures.length > 0) throw exchange.failures[0]
      if (answer.done) return answer.output
      if ('fault' in answer) throw new DocumentFault('A document could not be processed.', { cause: answer.fault })
      const { code, message, errors } = answer.refusal
      throw new Refusal(code, message, errors)
    } catch (error) {
      const outOfMemory = codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY'
      if (!over.signal.aborted && !outOfMemory) throw error
      spend(exchange.seenMs() + exchange.waitedMs() + NEW_THREAD_MS)
      if (outOfMemory) short = 'memory'
      observer.refused(short)
      throw short === 'late' ? tooLate() : tooComplex(task.name, short)
    } finally {
      exchange.stop()
      port.close()
    }
  }

  return {
    run: (task, { tenantId, lookup }) => queue.run(tenantId, (spend) => inThread(task, lookup, spend)),
    close() {
      isClosed = true
      return pool.destroy()
    },
  }
}
