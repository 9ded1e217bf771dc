import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { register } from 'prom-client'
import { createPlatform, openDependencies } from '../activities/index.ts'
import type { Config } from '../config.ts'
import { createApp } from './app.ts'
import type { OpenApi } from './paths.ts'
import { answerUnreadable } from './unreadable.ts'

const readOpenApi = (): OpenApi =>
  JSON.parse(readFileSync(new URL('../build/openapi.json', import.meta.url), 'utf8')) as OpenApi

export interface Running {
  port: number
  /** Answers what it accepted, within `shutdownSeconds`; then closes what it holds. */
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

/** Opens connections and listens; answers once requests are served. */
export async function startApi(config: Config): Promise<Running> {
  const dependencies = await openDependencies(config)
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
  const port = await listening(server, config.port, config.host)
  return {
    port,
    async stop() {
      if (stopping) return
      stopping = true
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      const last = setTimeout(() => server.closeAllConnections(), config.shutdownSeconds * 1000)
      await closed
      clearTimeout(last)
      await dependencies.close()
    },
  }
}

/** One process of the cluster: serves until its primary, or a signal, tells it to stop. */
export async function serve(config: Config): Promise<void> {
  const api = await startApi(config)
  const stop = () => {
    api.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.on('disconnect', stop)
}
