import { setTimeout as wait } from 'node:timers/promises'
import { NativeConnection } from '@temporalio/worker'
import type { Logger } from 'pino'
import type { Config } from '../../../config.ts'
import { secured } from '../temporal/secured.ts'

const CONNECT_TIMEOUT_MS = 10_000

export interface Patience {
  patienceMs: number
  log: Pick<Logger, 'warn'>
  /** Ends the wait when the process stops. */
  signal?: AbortSignal
  /** Whether an error makes waiting useless. */
  hopeless?(error: unknown): boolean
}

/**
 * Retries, at first after 250 ms and at last every 5 s, until a part that we depend on is available. Throws after
 * `patienceMs`, and a hopeless error at once: a process that does nothing must not look healthy.
 */
export async function patiently<T>(
  part: string,
  attempt: () => Promise<T>,
  { patienceMs, log, signal, hopeless = () => false }: Patience,
): Promise<T> {
  const until = Date.now() + patienceMs
  for (let pauseMs = 250; ; pauseMs = Math.min(pauseMs * 2, 5_000)) {
    try {
      return await attempt()
    } catch (error) {
      if (hopeless(error)) throw error
      const reason = error instanceof Error ? error.message : String(error)
      if (Date.now() + pauseMs > until) throw new Error(`${part} did not answer in time: ${reason}`, { cause: error })
      log.warn({ part, reason, againInMs: pauseMs }, 'worker waits')
      await wait(pauseMs, undefined, { signal })
    }
  }
}

type Server = Pick<Config['temporal'], 'address' | 'tls'>

/** Rejects after CONNECT_TIMEOUT_MS; a later connection is closed again. */
async function connectOnce({ address, tls }: Server): Promise<NativeConnection> {
  const attempt = NativeConnection.connect({ address, ...secured(tls) })
  const settled = new AbortController()
  const timeout = wait(CONNECT_TIMEOUT_MS, undefined, { signal: settled.signal }).then(() => {
    attempt.then((connection) => connection.close()).catch(() => undefined) // nobody waits for this attempt any more
    throw new Error(`no connection within ${CONNECT_TIMEOUT_MS} ms`)
  })
  try {
    return await Promise.race([attempt, timeout])
  } finally {
    timeout.catch(() => undefined) // the timer's own end
    settled.abort()
  }
}

/**
 * Retries the connection, because the SDK connects only once, and a worker may start before Temporal. `prepare`
 * runs before the connection, and again with each attempt.
 */
export const connectWorker = (
  server: Server,
  prepare: () => Promise<void>,
  patience: Patience,
): Promise<NativeConnection> =>
  patiently(
    `Temporal at ${server.address}`,
    async () => {
      await prepare()
      return connectOnce(server)
    },
    patience,
  )
