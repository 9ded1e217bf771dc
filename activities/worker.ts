import { collectDefaultMetrics, Registry } from 'prom-client'
import { loadConfig } from '../config.ts'
import { SchemaMismatch } from '../entities/schema.ts'
import { reconciliationCounter } from './administration/reconcile.metrics.ts'
import { claimsCounter } from './claim-sources/metrics.ts'
import { statusListCounter } from './credentials/status-lists/metrics.ts'
import { createLogger } from './frame/logging.ts'
import { backlogMetrics } from './frame/metrics/backlog.ts'
import { partMetrics } from './frame/metrics/parts.ts'
import { fenceIntrinsics } from './frame/process/intrinsics.ts'
import { giveMemoryBack } from './frame/process/memory.ts'
import { schemaExit } from './frame/process/schema-exit.ts'
import { scheduledJobs } from './frame/schedules.ts'
import { patiently } from './frame/worker/connection.ts'
import { type Checks, serveOperator } from './frame/worker/operator.ts'
import { PATIENCE_MS, startWorker } from './frame/worker/start.ts'
import { createActivities, openDependencies } from './index.ts'
import { webhookCounter } from './webhooks/metrics.ts'

fenceIntrinsics()

const stopping = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopping.abort())

const config = loadConfig(process.env)
const log = createLogger(config.logLevel).child({ process: 'worker' })
const metrics = new Registry()
collectDefaultMetrics({ register: metrics })
const parts = partMetrics(metrics)

/** Closing functions of what was opened, called in the opposite order. */
const opened: Array<() => Promise<void>> = []

/** Starts the worker, and runs it until SIGTERM or a fault that needs a restart. */
async function work(): Promise<void> {
  const checks: Checks = {
    worker: () => Promise.reject(new Error('the worker does not poll yet')),
    temporal: () => Promise.reject(new Error('Temporal was not checked yet')),
    database: () => Promise.reject(new Error('the database is not open yet')),
  }
  const address = { host: config.operatorHost, port: config.operatorPort + 1 }
  const operator = await serveOperator(address, { metrics, checks })
  opened.push(operator.close)

  const patience = { patienceMs: PATIENCE_MS, log, signal: stopping.signal }
  const hopeless = (error: unknown) => error instanceof SchemaMismatch && error.schema === 'newer'
  const open = () => openDependencies(config, { metrics: parts, patient: true })
  const dependencies = await patiently('PostgreSQL', open, { ...patience, hopeless })
  opened.push(dependencies.close)
  checks.temporal = dependencies.temporal.check
  checks.database = async () => {
    await dependencies.systemSql.query({ text: 'select 1', values: [] })
  }
  checks.documents = dependencies.selfTest.check
  backlogMetrics(metrics, dependencies.systemSql, log)

  const { stop, finished, running } = await startWorker({
    ...dependencies,
    log,
    metrics,
    activities: createActivities(dependencies, {
      ...statusListCounter(metrics),
      ...reconciliationCounter(metrics),
      ...webhookCounter(metrics),
      ...claimsCounter(metrics),
    }),
    jobs: scheduledJobs(),
    signal: stopping.signal,
  })
  checks.worker = async () => {
    if (!running()) throw new Error('the worker does not poll')
  }
  log.info({ taskQueue: config.temporal.taskQueue, operatorPort: operator.port }, 'worker ready')
  giveMemoryBack()
  const stopped = new Promise((resolve) => {
    stopping.signal.addEventListener('abort', resolve)
    if (stopping.signal.aborted) resolve(undefined)
  }).then(stop)
  await Promise.race([finished, stopped])
}

try {
  await work()
} catch (error) {
  const isStopping = stopping.signal.aborted && error instanceof Error && error.name === 'AbortError'
  if (!isStopping) {
    log.fatal({ err: error }, 'worker ended by a fault')
    process.exitCode = schemaExit(error)?.code ?? 1
  }
}
for (const close of opened.reverse()) {
  await close().catch((error: Error) => log.error({ err: error }, 'the worker did not close cleanly'))
}
log.info('worker stopped')
// a connection attempt to a silent Temporal outlives its client; it must not keep the process
setTimeout(() => process.exit(), 1_000).unref()
