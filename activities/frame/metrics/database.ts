import type { Pool } from 'pg'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { NoAnswer, type PoolObserver } from '../../../entities/pool.ts'

/** SQLSTATEs of timeouts (PostgreSQL, appendix A). */
const TIMEOUTS: Readonly<Record<string, string>> = { '57014': 'statement', '55P03': 'lock', '25P03': 'idle' }

const codeOf = (error: unknown): string => {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
  return typeof code === 'string' ? code : ''
}

/** Returns the class of an SQLSTATE, its first two characters; `connection` for an error without one. */
const classOf = (error: unknown): string => /^[0-9A-Z]{5}$/.exec(codeOf(error))?.[0].slice(0, 2) ?? 'connection'

const timeoutOf = (error: unknown): string | undefined =>
  error instanceof NoAnswer ? 'answer' : TIMEOUTS[codeOf(error)]

type Counts = Pick<Pool, 'totalCount' | 'idleCount' | 'waitingCount'>

/**
 * The pools of PostgreSQL connections by role, and the statements on them. docs/operations.md says what to do about
 * each.
 */
export function databaseMetrics(metrics: Registry): (role: 'app' | 'system') => PoolObserver {
  const pools = new Map<string, Counts>()
  const registers = [metrics]
  new Gauge({
    name: 'countersign_database_connections',
    help: 'Open connections to PostgreSQL by role; busy: in use by a statement or a transaction',
    labelNames: ['role', 'state'],
    registers,
    collect() {
      for (const [role, { totalCount, idleCount }] of pools) {
        this.set({ role, state: 'idle' }, idleCount)
        this.set({ role, state: 'busy' }, totalCount - idleCount)
      }
    },
  })
  new Gauge({
    name: 'countersign_database_waiting',
    help: 'Callers that wait for a connection, by role',
    labelNames: ['role'],
    registers,
    collect() {
      for (const [role, { waitingCount }] of pools) this.set({ role }, waitingCount)
    },
  })
  const waits = new Histogram({
    name: 'countersign_database_wait_seconds',
    help: 'Seconds until a caller had a connection, or an error, by role',
    labelNames: ['role'],
    buckets: [0.001, 0.01, 0.05, 0.25, 1, 2.5],
    registers,
  })
  const queries = new Histogram({
    name: 'countersign_database_query_seconds',
    help: 'Seconds of a statement, by its name, else by its verb',
    labelNames: ['statement'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 6],
    registers,
  })
  const errors = new Counter({
    name: 'countersign_database_errors_total',
    help: 'Statements and connections that failed, by class of the SQLSTATE; connection: the server did not respond',
    labelNames: ['class'],
    registers,
  })
  const timeouts = new Counter({
    name: 'countersign_database_timeouts_total',
    help: 'Timeouts by kind: connection, answer (the server hangs), statement, lock, idle (in a transaction)',
    labelNames: ['kind'],
    registers,
  })

  return (role) => ({
    opened: (pool) => pools.set(role, pool),
    waited(seconds, error) {
      waits.observe({ role }, seconds)
      if (!error) return
      errors.inc({ class: classOf(error) })
      if (/timeout/.test(error instanceof Error ? error.message : '')) timeouts.inc({ kind: 'connection' })
    },
    queried(statement, seconds, error) {
      queries.observe({ statement }, seconds)
      if (!error) return
      errors.inc({ class: classOf(error) })
      const kind = timeoutOf(error)
      if (kind) timeouts.inc({ kind })
    },
  })
}
