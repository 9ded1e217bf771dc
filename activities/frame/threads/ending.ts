import type { Piscina } from 'piscina'

/** A thread that was told to end has ended long before. */
const AGAIN_MS = 1_000

/**
 * Threads that the pool removes are told to end once more each second until they have. A thread can miss the first time: V8
 * ends what it executes at that moment, e.g. a module that is being loaded, and the next turn of the thread may be one that
 * waits for tasks (`Atomics.wait` of piscina) before Node.js has marked it as ended. It would stay, with its memory, and keep
 * its process running.
 */
export function endThreads(pool: Piscina): void {
  pool.on('workerDestroy', ({ id }: { id: number }) => {
    const thread = pool.threads.find(({ threadId }) => threadId === id)
    if (!thread) return // it ended before it was removed
    const again = setInterval(() => void thread.terminate(), AGAIN_MS).unref()
    thread.once('exit', () => clearInterval(again))
  })
}
