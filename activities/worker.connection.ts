import { setTimeout as wait } from 'node:timers/promises'
import { NativeConnection } from '@temporalio/worker'
import type { Logger } from 'pino'
import type { Temporal } from './temporal.ts'

const CONNECT_TIMEOUT_MS = 10_000

/** Rejects after the time; a connection that comes later is closed again. */
async function connectOnce(address: string): Promise<NativeConnection> {
  const attempt = NativeConnection.connect({ address })
  const late = new AbortController()
  const timeout = wait(CONNECT_TIMEOUT_MS, undefined, { signal: late.signal }).then(() => {
    attempt.then((connection) => connection.close()).catch(() => undefined) // nobody waits for this attempt any more
    throw new Error(`no connection within ${CONNECT_TIMEOUT_MS} ms`)
  })
  try {
    return await Promise.race([attempt, timeout])
  } finally {
    timeout.catch(() => undefined) // the timer's end, once the attempt has settled
    late.abort()
  }
}

export interface Patience {
  patienceMs: number
  /** Ends the wait, for a process that was told to stop. */
  signal?: AbortSignal
}

/**
 * The SDK connects once and gives up; a worker that starts before Temporal has to go on asking. Waits until the namespace
 * answers, at most `patienceMs`, then throws: a process that does nothing must not look healthy.
 */
export async function connectWorker(
  address: string,
  temporal: Pick<Temporal, 'check'>,
  log: Pick<Logger, 'warn'>,
  { patienceMs, signal }: Patience,
): Promise<NativeConnection> {
  const until = Date.now() + patienceMs
  for (let pauseMs = 250; ; pauseMs = Math.min(pauseMs * 2, 5_000)) {
    try {
      await temporal.check()
      return await connectOnce(address)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (Date.now() + pauseMs > until)
        throw new Error(`Temporal at ${address} did not answer: ${reason}`, { cause: error })
      log.warn({ address, reason, againInMs: pauseMs }, 'worker waits for Temporal')
      await wait(pauseMs, undefined, { signal })
    }
  }
}
