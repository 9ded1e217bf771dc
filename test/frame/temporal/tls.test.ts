import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createSecureServer, type IncomingHttpHeaders } from 'node:http2'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type TlsOptions } from 'node:tls'
import test from 'ava'
import { pino } from 'pino'
import { connectTemporal } from '../../../activities/frame/temporal/index.ts'
import { connectWorker } from '../../../activities/frame/worker/connection.ts'
import type { Config } from '../../../config.ts'
import { openTemporal, type TestTemporal } from '../../support/parts/temporal.ts'
import { createTestAuthority, type TestAuthority } from '../../support/parts/tls.ts'

type Temporal = Config['temporal']

const masterKey = randomBytes(32)
const directory = mkdtempSync(join(tmpdir(), 'countersign-tls-'))
const pem = (name: string, text: string): string => {
  const file = join(directory, name)
  writeFileSync(file, text)
  return file
}

let world: TestTemporal
let authority: TestAuthority
const servers: Server[] = []
const sockets = new Set<Socket>()

test.before(async () => {
  authority = await createTestAuthority()
  world = await openTemporal(masterKey)
})
test.after.always(async () => {
  for (const socket of sockets) socket.destroy()
  for (const server of servers) server.close()
  await world?.close()
  authority?.close()
  rmSync(directory, { recursive: true, force: true })
})

async function listening(server: Server): Promise<string> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** TLS before the real Temporal; returns its address. */
async function front(options: TlsOptions): Promise<string> {
  const [host, port] = world.config.temporal.address.split(':')
  const own = await authority.issue(['127.0.0.1', 'localhost'])
  const server = createServer({ ...own, ALPNProtocols: ['h2'], ...options }, (socket) => {
    const onward = connect(Number(port), host)
    for (const each of [socket, onward]) {
      sockets.add(each)
      each.on('error', () => undefined) // the other side's end is enough
    }
    socket.pipe(onward).pipe(socket)
  })
  server.on('tlsClientError', () => undefined) // what a refused client is told is asked on its side
  return listening(server)
}

const none = { ca: '', cert: '', key: '', apiKey: '' }
const at = (address: string, tls: Partial<NonNullable<Temporal['tls']>>): Temporal => ({
  ...world.config.temporal,
  address,
  tls: { ...none, ...tls },
})

/** The client of the API and the connection of the worker: each has an SDK of its own. */
async function bothReach(temporal: Temporal): Promise<void> {
  const client = connectTemporal({ temporal, masterKey })
  try {
    await client.check()
  } finally {
    await client.close()
  }
  const log = pino({ level: 'silent' })
  const worker = await connectWorker(temporal, async () => undefined, { patienceMs: 0, log })
  await worker.workflowService.describeNamespace({ namespace: temporal.namespace })
  await worker.close()
}

test('API and worker reach a Temporal behind TLS with its authority, and with no other one', async (t) => {
  const address = await front({})
  await t.notThrowsAsync(bothReach(at(address, { ca: authority.file })))
  const other = await createTestAuthority('Another one')
  t.teardown(() => other.close())
  await t.throwsAsync(bothReach(at(address, { ca: other.file })))
  await t.throwsAsync(bothReach(at(address, {})), undefined, 'the operating system does not know this authority')
})

test('API and worker show their certificate where Temporal asks for one', async (t) => {
  const address = await front({ requestCert: true, rejectUnauthorized: true, ca: authority.pem })
  const own = await authority.issue(['countersign'])
  const [cert, key] = [pem('client.pem', own.cert), pem('client.key', own.key)]
  await t.notThrowsAsync(bothReach(at(address, { ca: authority.file, cert, key })))
  await t.throwsAsync(bothReach(at(address, { ca: authority.file })))
})

test('API and worker send the API key with each call', async (t) => {
  const own = await authority.issue(['127.0.0.1'])
  const seen: IncomingHttpHeaders[] = []
  const server = createSecureServer(own, (request, response) => {
    seen.push(request.headers)
    response.stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '7' },
      { endStream: true },
    )
  })
  server.on('session', (session) => {
    sockets.add(session.socket)
  })
  const address = await listening(server)
  const temporal = at(address, { ca: authority.file, apiKey: 'an-api-key' })
  const client = connectTemporal({ temporal, masterKey })
  await t.throwsAsync(client.check())
  await client.close()
  const fromClient = seen.length
  const log = pino({ level: 'silent' })
  await t.throwsAsync(connectWorker(temporal, async () => undefined, { patienceMs: 0, log }))
  t.true(fromClient > 0 && seen.length > fromClient, 'both called')
  for (const { authorization } of seen) t.is(authorization, 'Bearer an-api-key')
})

test('a file that is not there ends the start with its name', (t) => {
  const temporal = at('127.0.0.1:1', { ca: join(directory, 'missing.pem') })
  t.throws(() => connectTemporal({ temporal, masterKey }), { message: /missing\.pem/ })
})
