import { pino } from 'pino'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { loadConfig } from '../config.ts'
import { createActivities, openDependencies } from './index.ts'
import { outboxMetrics } from './outbox.metrics.ts'
import { scheduledJobs } from './schedules.ts'
import { serveOperator } from './worker.operator.ts'
import { type RunningWorker, startWorker } from './worker.start.ts'

/** The worker process: from the environment to `worker ready`, until SIGTERM or a fault that a restart has to mend. */
async function main(): Promise<void> {
  const config = loadConfig(process.env)
  const log = pino({ level: config.logLevel, base: { process: 'worker' } })
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics })

  const stopping = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopping.abort())

  const dependencies = await openDependencies(config)
  outboxMetrics(metrics, dependencies.systemSql)
  let worker: RunningWorker | undefined
  const operator = await serveOperator(
    { host: config.operatorHost, port: config.operatorPort + 1 },
    {
      metrics,
      checks: {
        worker: async () => {
          if (!worker?.running()) throw new Error('the worker does not poll')
        },
        temporal: () => dependencies.temporal.check(),
        database: async () => {
          await dependencies.systemSql.query({ text: 'select 1', values: [] })
        },
      },
    },
  )
  try {
    worker = await startWorker({
      ...dependencies,
      config,
      log,
      metrics,
      activities: createActivities(dependencies),
      jobs: scheduledJobs(config),
      signal: stopping.signal,
    })
    log.info({ taskQueue: config.temporal.taskQueue, operatorPort: operator.port }, 'worker ready')
    const { stop, finished } = worker
    stopping.signal.addEventListener('abort', () => {
      log.info('worker stops')
      stop().catch(() => undefined) // `finished` carries the reason
    })
    if (stopping.signal.aborted) await stop()
    await finished
  } catch (error) {
    if (!stopping.signal.aborted) {
      log.fatal({ err: error }, 'worker ended by a fault')
      process.exitCode = 1
    }
  } finally {
    await operator.close()
    await dependencies.close()
    log.info('worker stopped')
  }
}

await main()
