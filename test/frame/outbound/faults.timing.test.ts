import { createServer, type Socket } from 'node:net'
import { createServer as createTlsServer, connect as tlsConnect } from 'node:tls'
import test from 'ava'
import { createOutbound } from '../../../activities/frame/outbound/index.ts'
import { Refusal, Unavailable } from '../../../protocol/errors.ts'
import { startTestDns, type TestDns } from '../../support/parts/dns.ts'
import { createTestAuthority, listenTls, type TestAuthority } from '../../support/parts/tls.ts'

let authority: TestAuthority
let stranger: TestAuthority
let dns: TestDns

test.before(async () => {
  authority = await createTestAuthority()
  stranger = await createTestAuthority('Unknown Authority')
  dns = await startTestDns({ 'site.test': { A: ['127.0.0.1'] } })
})

test.after.always(async () => {
  await dns.close()
  authority.close()
  stranger.close()
})

const DEADLINE_MS = 700

interface Outcome {
  result: string
  tookMs: number
}

async function call(port: number, more: { timeoutMs?: number; url?: string } = {}): Promise<Outcome> {
  const outbound = createOutbound({
    timeoutMs: DEADLINE_MS,
    maxBytes: 100_000,
    caFile: authority.file,
    dnsServer: dns.address,
    allowedRanges: ['127.0.0.1/32'],
  })
  const start = performance.now()
  const done = (result: string): Outcome => ({ result, tookMs: performance.now() - start })
  try {
    return done(String((await outbound.fetch({ url: `https://site.test:${port}/a`, ...more })).status))
  } catch (error) {
    if (error instanceof Refusal) return done(error.code)
    if (error instanceof Unavailable) return done(/within \d+ ms/.test(error.message) ? 'deadline' : 'unavailable')
    throw error
  }
}

/** A TLS server that speaks raw bytes, so that it can break every rule of HTTP. */
async function raw(speak: (socket: Socket) => void) {
  const certificate = await authority.issue(['site.test'])
  const sockets = new Set<Socket>()
  const server = createTlsServer(certificate, (socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('data', () => speak(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function every(socket: Socket, ms: number, bytes: string | Buffer) {
  const timer = setInterval(() => socket.write(bytes), ms)
  socket.on('close', () => clearInterval(timer))
}

const OK = 'HTTP/1.1 200 OK\r\n'

const misbehaving: [what: string, speak: (socket: Socket) => void, expected: string][] = [
  ['never answers', () => undefined, 'deadline'],
  ['drips its status line', (socket) => [socket.write('HTTP/1.1 200 O'), every(socket, 50, 'K')], 'deadline'],
  ['drips nonsense', (socket) => every(socket, 50, 'H'), 'outbound.bad_answer'],
  ['drips its headers', (socket) => [socket.write(OK), every(socket, 50, 'x: y\r\n')], 'deadline'],
  [
    'drips its body',
    (socket) => [socket.write(`${OK}content-length: 1000\r\n\r\n`), every(socket, 50, 'x')],
    'deadline',
  ],
  ['stops in its body', (socket) => void socket.write(`${OK}content-length: 1000\r\n\r\nabc`), 'deadline'],
  ['ends in its body', (socket) => void socket.end(`${OK}content-length: 1000\r\n\r\nabc`), 'unavailable'],
  ['ends before its headers end', (socket) => void socket.end(`${OK}x: y\r\n`), 'unavailable'],
  ['ends at once', (socket) => void socket.end(), 'unavailable'],
  ['is killed', (socket) => void socket.destroy(), 'unavailable'],
  ['announces 10 GB', (socket) => void socket.write(`${OK}content-length: 10737418240\r\n\r\n`), 'outbound.too_large'],
  [
    'sends without end',
    (socket) => [socket.write(`${OK}\r\n`), every(socket, 1, Buffer.alloc(65_536))],
    'outbound.too_large',
  ],
  [
    'sends chunks without end',
    (socket) => [
      socket.write(`${OK}transfer-encoding: chunked\r\n\r\n`),
      every(socket, 1, `4000\r\n${'x'.repeat(16384)}\r\n`),
    ],
    'outbound.too_large',
  ],
  [
    'sends empty interim answers without end',
    (socket) => every(socket, 5, 'HTTP/1.1 103 Early Hints\r\n\r\n'),
    'deadline',
  ],
  [
    'sends 64 kB of headers',
    (socket) => void socket.write(`${OK}x: ${'y'.repeat(65_536)}\r\n\r\n`),
    'outbound.too_large',
  ],
  [
    'sends 10,000 headers',
    (socket) => void socket.write(`${OK}${'a: b\r\n'.repeat(10_000)}\r\n`),
    'outbound.too_large',
  ],
  ['speaks no HTTP', (socket) => void socket.write('SSH-2.0-OpenSSH_9.9\r\n'), 'outbound.bad_answer'],
  [
    'frames twice',
    (socket) => void socket.write(`${OK}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
    'outbound.bad_answer',
  ],
  [
    'switches protocols',
    (socket) => void socket.write('HTTP/1.1 101 Switching\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'),
    'unavailable',
  ],
  [
    'sends gzip unasked',
    (socket) => void socket.write(`${OK}content-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc`),
    'outbound.bad_answer',
  ],
  [
    'redirects inwards',
    (socket) =>
      void socket.write('HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n'),
    'outbound.redirected',
  ],
]

for (const [what, speak, expected] of misbehaving) {
  test.serial(`a server that ${what}: ${expected}, within the deadline`, async (t) => {
    const server = await raw(speak)
    const { result, tookMs } = await call(server.port)
    await server.close()
    t.is(result, expected)
    t.true(tookMs < DEADLINE_MS + 400, `${tookMs} ms`)
    if (expected === 'deadline') t.true(tookMs > DEADLINE_MS - 50, `${tookMs} ms`)
  })
}

test.serial('the deadline holds over a dripping body: 3.0 s, give or take 0.2', async (t) => {
  const server = await raw((socket) => {
    socket.write(`${OK}content-length: 1000\r\n\r\n`)
    every(socket, 100, 'x')
  })
  const { result, tookMs } = await call(server.port, { timeoutMs: 3000 })
  await server.close()
  t.is(result, 'deadline')
  t.true(Math.abs(tookMs - 3000) < 200, `${tookMs} ms`)
})

test.serial('a server that takes the TCP connection and stays silent: the deadline', async (t) => {
  const sockets: Socket[] = []
  const server = createServer((socket) => void sockets.push(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const { result, tookMs } = await call(typeof address === 'object' && address ? address.port : 0)
  for (const socket of sockets) socket.destroy()
  server.close()
  t.is(result, 'deadline')
  t.true(tookMs < DEADLINE_MS + 400)
})

test.serial('a server that resets the TCP connection: Unavailable', async (t) => {
  const server = createServer((socket) => socket.resetAndDestroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  t.is((await call(typeof address === 'object' && address ? address.port : 0)).result, 'unavailable')
  server.close()
})

test.serial('a DNS server that never answers: the deadline', async (t) => {
  const { createSocket } = await import('node:dgram')
  const silent = createSocket('udp4')
  await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve))
  const outbound = createOutbound({
    timeoutMs: 400,
    maxBytes: 1,
    dnsServer: `127.0.0.1:${silent.address().port}`,
    allowedRanges: [],
    caFile: undefined,
  })
  const start = performance.now()
  await t.throwsAsync(outbound.fetch({ url: 'https://site.test/' }), { instanceOf: Unavailable })
  t.true(performance.now() - start < 700)
  silent.close()
})

const DAY_AGO = { from: -10, to: -1 }
const TOMORROW = { from: 1, to: 10 }
const badTls: [what: string, options: () => Promise<Parameters<typeof listenTls>[0]>, expected: string][] = [
  ['of an unknown authority', () => stranger.issue(['site.test']), 'outbound.tls'],
  ['for another name', () => authority.issue(['other.test']), 'outbound.tls'],
  ['for the address, not the name', () => authority.issue(['127.0.0.1']), 'outbound.tls'],
  ['that is expired', () => authority.issue(['site.test'], DAY_AGO), 'outbound.tls'],
  ['that is not valid yet', () => authority.issue(['site.test'], TOMORROW), 'outbound.tls'],
  ['with a wildcard for the wrong level', () => authority.issue(['*.site.test']), 'outbound.tls'],
]
for (const [what, options, expected] of badTls) {
  test.serial(`a certificate ${what} is refused before a byte of the request is sent`, async (t) => {
    let requests = 0
    const server = await listenTls(await options(), (_request, response) => {
      requests += 1
      response.end()
    })
    const { result } = await call(server.port)
    await server.close()
    t.is(result, expected)
    t.is(requests, 0)
  })
}

for (const version of ['TLSv1', 'TLSv1.1'] as const) {
  test.serial(`${version} is refused, TLS 1.2 is the least (ASVS 12.1.1)`, async (t) => {
    const certificate = await authority.issue(['site.test'])
    const old = { ...certificate, minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' } as const
    const server = await listenTls(old, (_request, response) => response.end('old'))
    t.is(await oldVersionWorks(server.port, version), version) // else the test would pass on a server that is broken
    t.is((await call(server.port)).result, 'outbound.tls')
    await server.close()
  })
}

const oldVersionWorks = (port: number, version: 'TLSv1' | 'TLSv1.1') =>
  new Promise<string | null>((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      servername: 'site.test',
      ca: authority.pem,
      ciphers: 'DEFAULT@SECLEVEL=0',
    }
    const socket = tlsConnect({ ...options, minVersion: version, maxVersion: version }, () => {
      resolve(socket.getProtocol())
      socket.destroy()
    })
    socket.on('error', reject)
  })

test.serial('TLS 1.2 and 1.3 are spoken', async (t) => {
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    const server = await listenTls({ ...(await authority.issue(['site.test'])), maxVersion }, (_request, response) =>
      response.end(),
    )
    t.is((await call(server.port)).result, '200')
    await server.close()
  }
})

test.serial('NODE_TLS_REJECT_UNAUTHORIZED in the environment weakens nothing', async (t) => {
  const server = await listenTls(await stranger.issue(['site.test']), (_request, response) => response.end())
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  const { result } = await call(server.port)
  if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
  else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
  await server.close()
  t.is(result, 'outbound.tls')
})
