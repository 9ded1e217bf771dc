import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

const isFree = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })

/**
 * A port that nobody holds at this moment. Below 32768, where systems take ports for outgoing connections from
 * (ip_local_port_range), so that it is still free after whoever listened on it was stopped and comes back.
 */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = randomInt(10_240, 32_768)
    if (await isFree(host, port)) return port
  }
  throw new Error(`No port of ${host} is free.`)
}

/** Throws one sentence that names the port and the variable that changes it. */
export function assertPortFree(host: string, port: number, use: string, variable: string): Promise<void> {
  if (port === 0) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE'
      const reason = taken ? 'is taken by another program' : `cannot be used (${error.message})`
      reject(
        new Error(`Port ${port} of ${host}, wanted for ${use}, ${reason}. Free it, or set ${variable} to another.`),
      )
    })
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve()))
  })
}
