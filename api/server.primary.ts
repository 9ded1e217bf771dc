import cluster, { type Worker } from 'node:cluster'
import { createServer, type Server } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import express from 'express'
import type { Logger } from 'pino'
import { AggregatorRegistry } from 'prom-client'
import { createLogger } from '../activities/logging.ts'
import { createPayloadCodec } from '../activities/temporal.codec.ts'
import type { Config } from '../config.ts'
import { codecEndpoint } from './codec-endpoint.ts'

const RESTART_MS = 1_000

/** Metrics of all processes in one, and the codec endpoint for the Temporal UI: on a port of their own. */
function serveOperator(config: Config, log: Logger): Promise<Server> {
  const app = express()
  app.disable('x-powered-by')
  const registry = new AggregatorRegistry()
  app.get('/metrics', async (_request, response) => {
    try {
      response.type(registry.contentType).send(await registry.clusterMetrics())
    } catch (error) {
      // a process that hangs or has just ended does not answer; the next scrape asks those that are there
      log.warn({ err: error }, 'metrics not collected')
      response.status(503).type('text/plain').send('An API process did not tell its metrics in time.')
    }
  })
  if (config.codecEndpoint) app.use(codecEndpoint(createPayloadCodec(config.masterKey), config.temporal))
  const server = createServer(app)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(config.operatorPort, config.operatorHost, () => resolve(server))
  })
}

const ended = (worker: Worker) => new Promise<void>((resolve) => worker.once('exit', () => resolve()))

/** Keeps API_PROCESSES processes alive; on SIGTERM lets each finish what it accepted. */
export async function runPrimary(config: Config): Promise<void> {
  const log = createLogger(config.logLevel)
  let stopping = false
  const operator = await serveOperator(config, log)

  const ready = new Set<number>()
  cluster.on('listening', (worker) => {
    ready.add(worker.id)
    if (ready.size === config.apiProcesses) log.info({ port: config.port, processes: ready.size }, 'api ready')
  })
  cluster.on('exit', async (worker, code, signal) => {
    ready.delete(worker.id)
    if (stopping) return
    log.error({ pid: worker.process.pid, code, signal }, 'an API process ended; another takes its place')
    await pause(RESTART_MS)
    if (!stopping) cluster.fork()
  })
  for (let started = 0; started < config.apiProcesses; started++) cluster.fork()

  const stop = async () => {
    if (stopping) return
    stopping = true
    log.info('api stops')
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    const all = workers.map(ended)
    for (const worker of workers) worker.process.kill('SIGTERM')
    await Promise.all(all)
    operator.close()
    operator.closeAllConnections()
    log.info('api stopped')
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}
