import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'

export interface RawReply {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

export interface RawAsk {
  method?: string
  /** Sent as it stands: nothing is normalised or encoded. */
  path: string
  token?: string
  headers?: Record<string, string | string[]>
  body?: string | Uint8Array
}

/** An HTTP client that changes nothing of what it is told to send. */
export function rawClient(base: string, maxSockets = 16) {
  const { hostname, port } = new URL(base)
  const agent = new Agent({ keepAlive: true, maxSockets })

  const ask = ({ method = 'GET', path, token, headers = {}, body }: RawAsk): Promise<RawReply> =>
    new Promise((resolve, reject) => {
      const outgoing = request({
        agent,
        hostname,
        port,
        method,
        path,
        headers: {
          ...(token ? { authorization: `Bearer ${token}` } : {}),
          ...(body === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
          ...headers,
        },
      })
      let answered = false
      outgoing.once('error', (error) => (answered ? undefined : reject(error)))
      outgoing.once('response', (response) => {
        answered = true
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.once('error', reject)
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        )
      })
      outgoing.end(body)
    })

  /** Bytes straight onto a socket; answers all that came back until the other side closed. */
  const bytes = (text: string, timeoutMs = 5_000): Promise<string> =>
    new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(text))
      const timer = setTimeout(() => socket.destroy(new Error('no end of the answer')), timeoutMs)
      socket.on('data', (chunk) => chunks.push(chunk))
      socket.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
      })
      socket.once('close', () => {
        clearTimeout(timer)
        resolve(Buffer.concat(chunks).toString())
      })
    })

  return { ask, bytes, close: () => agent.destroy() }
}

export type RawClient = ReturnType<typeof rawClient>
