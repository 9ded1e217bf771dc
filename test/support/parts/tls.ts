import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, type RequestListener, request } from 'node:http'
import { createServer as createHttpsServer, type Server, type ServerOptions } from 'node:https'
import { type AddressInfo, isIP, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate } from 'selfsigned'

const DAY = 86_400_000

export interface Certificate {
  key: string
  cert: string
}

export interface TestAuthority {
  /** PEM of the authority. */
  pem: string
  /** The same in a file, for OUTBOUND_CA_FILE and NODE_EXTRA_CA_CERTS. */
  file: string
  /** A certificate of a server, or of its client, for names or addresses, valid from and to days from now (default -1 to 30). */
  issue(names: string[], validDays?: { from?: number; to?: number }): Promise<Certificate>
  /** Removes the file. */
  close(): void
}

const altNames = (names: string[]) =>
  names.map((name) => (isIP(name) ? { type: 7 as const, ip: name } : { type: 2 as const, value: name }))

/** A certificate authority made at run time; nothing of it is kept. */
export async function createTestAuthority(commonName = 'Test Authority'): Promise<TestAuthority> {
  const authority = await generate([{ name: 'commonName', value: commonName }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() - 400 * DAY),
    notAfterDate: new Date(Date.now() + 60 * DAY),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })
  const directory = mkdtempSync(join(tmpdir(), 'countersign-ca-'))
  const file = join(directory, 'ca.pem')
  writeFileSync(file, authority.cert)
  return {
    pem: authority.cert,
    file,
    async issue(names, { from = -1, to = 30 } = {}) {
      const { private: key, cert } = await generate([{ name: 'commonName', value: names[0] ?? 'test' }], {
        keyType: 'ec',
        algorithm: 'sha256',
        ca: { key: authority.private, cert: authority.cert },
        notBeforeDate: new Date(Date.now() + from * DAY),
        notAfterDate: new Date(Date.now() + to * DAY),
        extensions: [
          { name: 'keyUsage', digitalSignature: true },
          { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
          { name: 'subjectAltName', altNames: altNames(names) },
        ],
      })
      return { key, cert }
    },
    close: () => rmSync(directory, { recursive: true, force: true }),
  }
}

export interface TlsServer {
  port: number
  server: Server
  /** TCP connections so far. */
  connections(): number
  /** Closes at once, with open connections. */
  close(): Promise<void>
}

/** An HTTPS server on a free port of 127.0.0.1 (or another loopback address). */
export async function listenTls(
  options: ServerOptions,
  handler: RequestListener,
  host = '127.0.0.1',
): Promise<TlsServer> {
  const server = createHttpsServer(options, handler)
  const sockets = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  })
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve))
  return {
    port: (server.address() as AddressInfo).port,
    server,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

const copied = ({ rawHeaders }: IncomingMessage) => rawHeaders

/** An HTTPS front for a plain HTTP server on this machine: TLS here, Host and everything else passed through. */
export function listenTlsFront(certificate: Certificate, httpPort: number): Promise<TlsServer> {
  return listenTls(certificate, (incoming, outgoing) => {
    const { method, url: path } = incoming
    const onward = request({ host: '127.0.0.1', port: httpPort, method, path, headers: copied(incoming) }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, copied(answer))
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.writeHead(502).end())
    incoming.pipe(onward)
  })
}
