import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import type { Config } from '../config.ts'
import { type Connections, connect, type Sql, sqlOf } from '../entities/orm.ts'
import { assertFenced, roleUrl } from '../entities/roles.ts'
import { assertSchema } from '../entities/schema.ts'
import { Unavailable } from '../protocol/errors.ts'
import { createDocuments, type Documents } from './documents/index.ts'
import { createSelfTest, type SelfTest } from './documents/self-test.ts'
import { createEpoch, type Epoch } from './frame/epoch.ts'
import { createFileWitness } from './frame/epoch.witness.ts'
import { createEffects, type Effects } from './frame/idempotency.ts'
import { createLogQueue, type LogQueue } from './frame/log-queue.ts'
import { createLogger } from './frame/logging.ts'
import { type PartMetrics, partMetrics } from './frame/metrics/parts.ts'
import { createReadBudget } from './frame/outbound/budget.ts'
import { createOutbound, type Outbound } from './frame/outbound/index.ts'
import { createOutbox, type Outbox } from './frame/outbox.ts'
import { createSealer, type Sealer } from './frame/sealing.ts'
import { connectTemporal, type Temporal } from './frame/temporal/index.ts'
import { createThreads } from './frame/threads/index.ts'
import { createEnvelopeRows } from './keys/envelopes.ts'
import type { KeyStore } from './keys/index.ts'
import { openKeyStore } from './keys/select.ts'
import { databaseRecords } from './keys/vault/logins.ts'

/** Everything an activity may close over. */
export interface Dependencies {
  config: Config
  database: Connections
  /** The application role's pool, for the statements where one round trip matters. */
  sql: Sql
  /** The system role's pool: sees every tenant. */
  systemSql: Sql
  keys: KeyStore
  epoch: Epoch
  documents: Documents
  selfTest: SelfTest
  outbound: Outbound
  temporal: Temporal
  outbox: Outbox
  effects: Effects
  sealer: Sealer
  logs: LogQueue
  log: Logger
  now(): Date
  uuid(): string
}

export interface OpenDependencies extends Dependencies {
  /** `sql`, as libraries want it. */
  pool: Pool
  /** Closes in the opposite order of opening, and all of it even when a part fails to close. Safe to repeat. */
  close(): Promise<void>
}

export interface ProcessOptions {
  metrics?: PartMetrics
  /** Heavy work waits for its turn instead of being refused: for the worker, which has time. */
  patient?: boolean
}

/** An unavailable key store does not prevent a start: until it is back, no status entries are given out. */
const unlessAway = (log: Logger) => (error: unknown) => {
  if (!(error instanceof Unavailable)) throw error
  log.warn({ err: error }, 'the check for a restored database failed')
}

/**
 * Connects to what the platform needs. What was opened is closed again when a later step throws: `SchemaMismatch` of a
 * database that this program was not written for, a role that can bypass row-level security, a key store's
 * refusal.
 */
export async function openDependencies(
  config: Config,
  { metrics = partMetrics(new Registry()), patient = false }: ProcessOptions = {},
): Promise<OpenDependencies> {
  await using opening = new AsyncDisposableStack()
  const log = createLogger(config.logLevel)
  const { url, poolSize, timeoutMs } = config.database
  const open = async (role: 'app' | 'system') =>
    opening.adopt(await connect(roleUrl(url, config.masterKey, role), poolSize, timeoutMs, metrics.pool(role)), (orm) =>
      orm.close(),
    )
  const database = { tenants: await open('app'), system: await open('system') }
  const [sql, systemSql] = [await sqlOf(database.tenants), await sqlOf(database.system)]
  await assertFenced(database.tenants)
  await assertSchema(systemSql)
  const logs = opening.adopt(createLogQueue(systemSql, log), (queue) => queue.close())
  const envelopes = createEnvelopeRows(database.tenants)
  const logins = databaseRecords(database.system)
  const { threadBudgetMsPerMinute: budgetMsPerMinute } = config
  const threads = createThreads({ budgetMsPerMinute, patient, observe: metrics.threads })
  const keys = opening.adopt(
    openKeyStore({ config, envelopes, logins, log, metrics: metrics.keys, threads }),
    (store) => store.close(),
  )
  const witness = keys.witness ?? (config.epochDirectory ? createFileWitness(config.epochDirectory) : undefined)
  const epoch = opening.adopt(createEpoch({ systemSql, witness, log }), (beats) => beats.close())
  await epoch.check().catch(unlessAway(log))
  const documents = opening.adopt(createDocuments({ shared: threads, ...(patient && { kept: 0 }) }), (pool) =>
    pool.close(),
  )
  const temporal = opening.adopt(connectTemporal(config), (client) => client.close())
  const sealer = createSealer(config.masterKey, 'stored-answers')
  const now = () => new Date()
  const failed = (err: unknown) => log.error({ err }, 'this process cannot sign and verify documents: it is not ready')
  const budget = createReadBudget({ sql, perMinute: config.outboundReadsPerMinute })
  const dependencies: Dependencies = {
    config,
    database,
    sql,
    systemSql,
    keys,
    epoch,
    documents,
    selfTest: createSelfTest({ documents, now, failed }),
    outbound: createOutbound(config.outbound, { log, budget }),
    temporal,
    outbox: createOutbox(config.masterKey),
    effects: createEffects(sealer),
    sealer,
    logs,
    log,
    now,
    uuid: randomUUID,
  }
  const opened = opening.move()
  return { ...dependencies, pool: sql as Pool, close: () => opened.disposeAsync() }
}
