import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Registry } from 'prom-client'

export interface Checks {
  /** Check of each part by name; a rejection means that it is down. */
  [part: string]: () => Promise<void>
}

async function readiness(checks: Checks): Promise<{ ready: boolean; parts: Record<string, 'up' | 'down'> }> {
  const states = await Promise.all(
    Object.entries(checks).map(async ([part, check]) => {
      const up = await check().then(
        () => true,
        () => false,
      )
      return [part, up ? 'up' : 'down'] as const
    }),
  )
  return { ready: states.every(([, state]) => state === 'up'), parts: Object.fromEntries(states) }
}

/**
 * The worker's own port, for the operator's network alone: `/health/live`, `/health/ready` (names the parts),
 * `/metrics`.
 */
export async function serveOperator(
  { host, port }: { host: string; port: number },
  { checks, metrics }: { checks: Checks; metrics: Registry },
) {
  const json = (status: number, body: object) => ({ status, type: 'application/json', body: JSON.stringify(body) })

  const answer = async (path: string) => {
    if (path === '/health/live') return json(200, { status: 'up' })
    if (path === '/health/ready' || path === '/health') {
      const { ready, parts } = await readiness(checks)
      return json(ready ? 200 : 503, { status: ready ? 'up' : 'down', parts })
    }
    if (path === '/metrics') return { status: 200, type: metrics.contentType, body: await metrics.metrics() }
    return json(404, { status: 404, title: 'Not found' })
  }

  const listener: RequestListener = (request, response) => {
    answer(new URL(request.url ?? '/', 'http://worker').pathname).then(
      ({ status, type, body }) =>
        response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body),
      (error: Error) => response.writeHead(500, { 'content-type': 'text/plain' }).end(error.name),
    )
  }

  const server = createServer(listener)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
