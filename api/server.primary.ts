import { createServer, type Server } from 'node:http'
import express from 'express'
import type { Logger } from 'pino'
import { AggregatorRegistry } from 'prom-client'
import { createLogger } from '../activities/frame/logging.ts'
import { SCHEMA_EXIT } from '../activities/frame/process/schema-exit.ts'
import { createPayloadCodec } from '../activities/frame/temporal/codec.ts'
import type { Config } from '../config.ts'
import { codecEndpoint } from './frame/codec-endpoint.ts'
import { keepProcesses } from './server.fleet.ts'

/** Serves the metrics of all processes, and the codec endpoint for the Temporal UI, on the operator port. */
function serveOperator(config: Config, log: Logger): Promise<Server> {
  const app = express()
  app.disable('x-powered-by')
  const registry = new AggregatorRegistry()
  app.get('/metrics', async (_request, response) => {
    try {
      response.type(registry.contentType).send(await registry.clusterMetrics())
    } catch (error) {
      // a process that hangs or has just ended does not respond; the next scrape asks the running ones
      log.warn({ err: error }, 'metrics not collected')
      response.status(503).type('text/plain').send('An API process did not report its metrics in time.')
    }
  })
  if (config.codecEndpoint) app.use(codecEndpoint(createPayloadCodec(config.masterKey), config.temporal))
  const server = createServer(app)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(config.operatorPort, config.operatorHost, () => resolve(server))
  })
}

/** Keeps API_PROCESSES processes alive; on SIGTERM lets each finish what it accepted. */
export async function runPrimary(config: Config): Promise<void> {
  const log = createLogger(config.logLevel)
  const operator = await serveOperator(config, log)
  const fleet = keepProcesses({ size: config.apiProcesses, port: config.port, log })
  const signal = new Promise<void>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => resolve())
  })
  const outdated = fleet.hopeless.then(() => {
    process.exitCode = SCHEMA_EXIT.newer
    log.fatal({ exitCode: SCHEMA_EXIT.newer }, 'the API ends: a newer version migrated the database')
  })
  await Promise.race([signal, outdated])
  log.info('api stops')
  await fleet.stop()
  operator.close()
  operator.closeAllConnections()
  log.info('api stopped')
}
