import { createServer } from 'node:net'

/** A port of the loopback interface that nobody holds at this moment. */
export function freePort(host = '127.0.0.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, host, () => {
      const address = server.address()
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port was given')),
      )
    })
  })
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
