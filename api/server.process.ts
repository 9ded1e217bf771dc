import cluster from 'node:cluster'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { AggregatorRegistry, register } from 'prom-client'
import { createLogger } from '../activities/frame/logging.ts'
import { partMetrics } from '../activities/frame/metrics/parts.ts'
import { fenceIntrinsics } from '../activities/frame/process/intrinsics.ts'
import { giveMemoryBack } from '../activities/frame/process/memory.ts'
import { ROOT } from '../activities/frame/process/root.ts'
import { schemaExit } from '../activities/frame/process/schema-exit.ts'
import { createPlatform, openDependencies } from '../activities/index.ts'
import type { Config } from '../config.ts'
import { createApp } from './app.ts'
import type { OpenApi } from './frame/openapi/paths.ts'
import { answerUnreadable, setTargetAside } from './frame/unreadable.ts'
import type { SchemaNotice } from './server.fleet.ts'
import { countUnderWay } from './server.under-way.ts'

const readOpenApi = (): OpenApi => JSON.parse(readFileSync(new URL('build/openapi.json', ROOT), 'utf8')) as OpenApi

export interface Running {
  port: number
  /**
   * Finishes accepted requests within `shutdownSeconds`, those too whose callers have gone, then closes all connections.
   */
  stop(): Promise<void>
}

const listening = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })

/** A million rows over a slow line; every other request has 30 s (streams.ts). */
const UPLOAD_MS = 3600_000

/** From the signal to the end of listening: new connections are still served, and readiness is 503. */
const STILL_TAKEN_MS = 300

/** Opens the dependencies and listens; resolves when requests are served. */
export async function startApi(config: Config): Promise<Running> {
  const dependencies = await openDependencies(config, { metrics: partMetrics(register) })
  let stopping = false
  const app = createApp({
    dependencies,
    platform: createPlatform(dependencies),
    pool: dependencies.pool,
    registry: register,
    openApi: readOpenApi(),
    stopping: () => stopping,
  })
  // slow senders are cut off: headers within 10 s, the whole request within 30 s
  const timeouts = { headersTimeout: 10_000, requestTimeout: UPLOAD_MS, keepAliveTimeout: 65_000 }
  const server = createServer({ ...timeouts, requireHostHeader: false }, app)
  answerUnreadable(server, dependencies.log)
  const underWay = countUnderWay()
  server.prependListener('request', (request, response) => {
    setTargetAside(request)
    if (stopping) response.setHeader('Connection', 'close')
    underWay.begin(response)
  })
  const port = await listening(server, config.port, config.host)
  async function end(): Promise<void> {
    stopping = true
    await pause(STILL_TAKEN_MS)
    const until = performance.now() + config.shutdownSeconds * 1000
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    // repeated: a connection becomes idle when its response is sent
    const idle = setInterval(() => server.closeIdleConnections(), 50)
    const last = setTimeout(() => server.closeAllConnections(), config.shutdownSeconds * 1000)
    await closed
    clearInterval(idle)
    clearTimeout(last)
    await underWay.ended(until)
    await dependencies.close()
    register.clear()
  }
  let ended: Promise<void> | undefined
  return {
    port,
    stop() {
      ended ??= end()
      return ended
    },
  }
}

/** Reports a schema mismatch to the primary, which logs it once for all processes. */
async function endBecause(error: unknown, log: Logger): Promise<never> {
  const ending = schemaExit(error)
  if (!ending) log.fatal({ err: error }, 'an API process could not start')
  else await new Promise((resolve) => process.send?.({ schemaMismatch: ending.reason } satisfies SchemaNotice, resolve))
  process.exit(ending?.code ?? 1)
}

/** One process of the cluster: serves until its primary or a signal stops it, or the primary is gone (D-213). */
export async function serve(config: Config): Promise<void> {
  fenceIntrinsics()
  new AggregatorRegistry() // its constructor registers the listener that sends our metrics to the primary
  const log = createLogger(config.logLevel)
  const api = await startApi(config).catch((error: unknown) => endBecause(error, log))
  giveMemoryBack()
  const stop = () => {
    api.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.fatal({ err: error }, 'an API process could not end in order')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  const { worker } = cluster
  worker?.once('disconnect', () => {
    worker.exitedAfterDisconnect = true // otherwise Node ends the process at once, with its accepted requests
    log.error('the primary of the API is gone; this process finishes what it accepted and ends')
    stop()
  })
}
