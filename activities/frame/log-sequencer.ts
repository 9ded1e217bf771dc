import type { Logger } from 'pino'
import type { Sql } from '../../entities/orm.ts'

/** Entries of one transaction: some 50 ms, far from the time limit of a statement. */
const BATCH = 2_000
const POLL_MS = 400
const LONGEST_PAUSE_MS = 5_000
/** One statement that fails and works again half a second later is nothing to act on (D-1014). */
const FAILURES_TO_TELL = 3

const CHAIN = 'select chain_log_entries($1) as settled'

interface Parts {
  /** The system role's pool, which sees every tenant's rows. */
  sql: Sql
  log: Pick<Logger, 'warn' | 'info' | 'debug'>
}

/**
 * Gives the entries of the log their places in the chains of their tenants (entities/functions/chain_log_entries.sql): the
 * writers of entries wait for no chain. Any number of sequencers may run at once; one of them works.
 */
export function createSequencer({ sql, log }: Parts) {
  let stopped = false
  let pauseMs = POLL_MS
  let failures = 0
  let wakeUp: () => void = () => undefined

  /** Settles one batch: true if more may wait. */
  async function runOnce(): Promise<boolean> {
    const { rows } = await sql.query<{ settled: number }>({ name: 'chain-log', text: CHAIN, values: [BATCH] })
    return rows[0]?.settled === BATCH
  }

  const sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      wakeUp = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const loop = async () => {
    while (!stopped) {
      const more = await runOnce().then(
        (full) => {
          if (failures >= FAILURES_TO_TELL) log.info('the log is chained again')
          failures = 0
          pauseMs = POLL_MS
          return full
        },
        (error: unknown) => {
          failures += 1
          // once for all that follow
          const level = failures === FAILURES_TO_TELL ? 'warn' : 'debug'
          log[level]({ err: error }, 'the log waits to be chained')
          pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)
          return false
        },
      )
      if (!more && !stopped) await sleep(pauseMs)
    }
  }

  const running = { loop: undefined as Promise<void> | undefined }
  return {
    runOnce,
    start(): void {
      running.loop ??= loop()
    },
    /** Stops after the current batch. */
    async stop(): Promise<void> {
      stopped = true
      wakeUp()
      await running.loop
    },
  }
}

export type Sequencer = ReturnType<typeof createSequencer>
