import { getEventListeners } from 'node:events'
import { type AddressInfo, createServer, type Socket, setDefaultAutoSelectFamily } from 'node:net'
import { createSecureContext, type TLSSocket } from 'node:tls'
import test, { type ExecutionContext } from 'ava'
import { type Exchange, exchangeOnce } from '../../../activities/frame/outbound/exchange.ts'
import { OutboundFault } from '../../../activities/frame/outbound/faults.ts'
import { parseTarget } from '../../../activities/frame/outbound/url.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { createTestAuthority, listenTls, type TestAuthority } from '../../support/parts/tls.ts'

const HERE = { address: '127.0.0.1', family: 4 } as const
const OK = 'HTTP/1.1 200 OK\r\n'

let authority: TestAuthority
test.before(async () => {
  authority = await createTestAuthority()
})
test.after.always(() => authority?.close())

/** A server that speaks raw bytes once it is asked; what it was asked. */
async function raw(t: ExecutionContext, speak: (socket: Socket) => void) {
  const asked: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('data', (bytes) => {
      asked.push(bytes.toString('latin1'))
      speak(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { port: (server.address() as AddressInfo).port, asked }
}

const exchange = (url: string, more: Partial<Exchange> = {}) =>
  exchangeOnce({
    target: parseTarget(url, { plainHttp: true }),
    addresses: [HERE],
    exempt: ['127.0.0.1'],
    method: 'GET',
    headers: {},
    body: undefined,
    maxBytes: 100,
    whenTooLarge: 'refuse',
    statusOnly: false,
    secureContext: createSecureContext({ ca: authority.pem }),
    signal: AbortSignal.timeout(5_000),
    ...more,
  })

/** What a server that answers with these bytes, and then waits, comes to. */
async function answered(t: ExecutionContext, bytes: string, more: Partial<Exchange> = {}): Promise<string> {
  const { port } = await raw(t, (socket) => void socket.write(bytes))
  return outcome(exchange(`http://site.test:${port}/`, more))
}

async function outcome(work: ReturnType<typeof exchange>): Promise<string> {
  try {
    const { status, body } = await work
    return `${status} ${body}`
  } catch (error) {
    if (error instanceof Refusal) return error.code
    if (error instanceof OutboundFault) return `${error.kind}: ${error.message}`
    throw error
  }
}

test('a request is what was asked for, on a connection of its own', async (t) => {
  const { port, asked } = await raw(t, (socket) => void socket.write(`${OK}content-length: 0\r\n\r\n`))
  await exchange(`http://site.test:${port}/a/b?c=d&e=%20#f`, { headers: { 'x-one': '1', host: 'evil.test' } })
  await exchange(`http://site.test:${port}`, { method: 'POST', headers: { 'content-length': '3' }, body: 'abc' })
  t.is(asked.length, 2)
  const [first = '', second = ''] = asked
  t.deepEqual(first.split('\r\n'), [
    'GET /a/b?c=d&e=%20 HTTP/1.1',
    'x-one: 1',
    `host: site.test:${port}`,
    'Connection: close',
    '',
    '',
  ])
  t.regex(second, /^POST \/ HTTP\/1\.1\r\n[\s\S]*\r\n\r\nabc$/)
})

test('an answer has its status, its headers, its body and the address that answered', async (t) => {
  const head = `${OK}X-One: 1\r\nSet-Cookie: a\r\nset-cookie: b\r\ncontent-length: 3\r\n\r\n`
  const { port } = await raw(t, (socket) => void socket.write(`${head}abc`))
  const { headers, ...answer } = await exchange(`http://site.test:${port}/`)
  t.deepEqual(answer, { status: 200, body: Buffer.from('abc'), finalAddress: '127.0.0.1' })
  t.deepEqual({ ...headers }, { 'x-one': '1', 'set-cookie': 'a, b', 'content-length': '3' })
  t.is(Object.getPrototypeOf(headers), null, 'names from outside are no members of an object')
})

test('a redirect is refused where more than the status is asked for; 304 is none', async (t) => {
  const of = (status: number) => `HTTP/1.1 ${status} X\r\ncontent-length: 0\r\n\r\n`
  for (const status of [299, 304, 400]) t.is(await answered(t, of(status)), `${status} `)
  for (const status of [300, 302, 303, 305, 399]) {
    t.is(await answered(t, of(status)), 'outbound.redirected')
    t.is(await answered(t, of(status), { statusOnly: true }), `${status} `)
  }
})

test('an encoded body is refused where more than the status is asked for; identity is no encoding', async (t) => {
  const of = (encoding: string) => `${OK}content-encoding: ${encoding}\r\ncontent-length: 1\r\n\r\na`
  t.is(await answered(t, of('IDENTITY')), '200 a')
  t.is(await answered(t, of('gzip')), 'outbound.bad_answer')
  t.is(await answered(t, of('gzip'), { statusOnly: true }), '200 a')
})

test('a body is read up to its limit, and refused above it before it is read, or cut there', async (t) => {
  const sized = (size: number, sent = size) => `${OK}content-length: ${size}\r\n\r\n${'a'.repeat(sent)}`
  t.is(await answered(t, sized(100)), `200 ${'a'.repeat(100)}`)
  t.is(await answered(t, sized(101, 0)), 'outbound.too_large', 'as it is announced')
  t.is(await answered(t, sized(101, 101), { whenTooLarge: 'cut' }), `200 ${'a'.repeat(100)}`)
  const unsized = (size: number) =>
    `${OK}transfer-encoding: chunked\r\n\r\n${size.toString(16)}\r\n${'a'.repeat(size)}\r\n`
  t.is(await answered(t, `${unsized(100)}0\r\n\r\n`), `200 ${'a'.repeat(100)}`)
  t.is(await answered(t, unsized(101)), 'outbound.too_large', 'as it comes')
  t.is(await answered(t, unsized(101), { whenTooLarge: 'cut' }), `200 ${'a'.repeat(100)}`, 'the rest is not read')
})

test('headers may have 16 kB', async (t) => {
  const of = (bytes: number) => `${OK}x: ${'y'.repeat(bytes)}\r\ncontent-length: 0\r\n\r\n`
  t.is(await answered(t, of(15_000)), '200 ')
  t.is(await answered(t, of(17_000)), 'outbound.too_large')
})

test('what is no HTTP is a bad answer; a connection that ends without an answer may pass later', async (t) => {
  t.is(await answered(t, 'SSH-2.0-OpenSSH_9.9\r\n'), 'outbound.bad_answer')
  const of = async (speak: (socket: Socket) => void) => {
    const { port } = await raw(t, speak)
    return outcome(exchange(`http://site.test:${port}/`))
  }
  const FAILED = 'connection: The connection to site.test failed: ECONNRESET.'
  t.is(await of((socket) => void socket.end()), FAILED)
  t.regex(await of((socket) => void socket.end(`${OK}content-length: 9\r\n\r\nabc`)), /^connection: /)
  t.is(
    await of((socket) => void socket.write('HTTP/1.1 101 X\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n')),
    'connection: site.test closed the connection without an answer.',
  )
})

test('of several addresses the first that answers is the one, and no other is called', async (t) => {
  const { port } = await raw(t, (socket) => void socket.write(`${OK}content-length: 0\r\n\r\n`))
  const closed = { address: '127.0.0.3', family: 4 } as const
  const { finalAddress } = await exchange(`http://site.test:${port}/`, {
    addresses: [closed, HERE],
    exempt: [closed.address, HERE.address],
  })
  t.is(finalAddress, '127.0.0.1')
  const strange = await t.throwsAsync(exchange(`http://site.test:${port}/`, { exempt: [] }), {
    instanceOf: OutboundFault,
  })
  t.is(strange.kind, 'not_called')
  t.true(strange.cause instanceof Error)
})

test.serial('a process that takes one address alone calls the first', async (t) => {
  setDefaultAutoSelectFamily(false)
  t.teardown(() => setDefaultAutoSelectFamily(true))
  const { port } = await raw(t, (socket) => void socket.write(`${OK}content-length: 0\r\n\r\n`))
  const { finalAddress } = await exchange(`http://site.test:${port}/`)
  t.is(finalAddress, '127.0.0.1')
})

test('a name is named to the server and must be in its certificate; an address is not named', async (t) => {
  const names: (string | false | null)[] = []
  const server = await listenTls(await authority.issue(['site.test', '127.0.0.1']), (_request, response) => {
    response.end('ok')
  })
  t.teardown(() => server.close())
  server.server.on('secureConnection', (socket: TLSSocket) => names.push(Reflect.get(socket, 'servername')))
  t.is(await outcome(exchange(`https://site.test:${server.port}/`)), '200 ok')
  t.is(await outcome(exchange(`https://127.0.0.1:${server.port}/`)), '200 ok')
  t.is(await outcome(exchange(`https://other.test:${server.port}/`)), 'outbound.tls')
  t.deepEqual(names.slice(0, 2), ['site.test', false])
  const secureContext = createSecureContext()
  t.is(await outcome(exchange(`https://site.test:${server.port}/`, { secureContext })), 'outbound.tls')
  const { port } = await raw(t, (socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\n'))
  t.is(await outcome(exchange(`https://site.test:${port}/`)), 'outbound.tls', 'it speaks no TLS')
})

test('whoever calls it off is told why, before and within the exchange, and is not listened to after it', async (t) => {
  const { port, asked } = await raw(t, () => undefined)
  const enough = new Error('enough')
  await t.throwsAsync(exchange(`http://site.test:${port}/`, { signal: AbortSignal.abort(enough) }), { is: enough })
  t.deepEqual(asked, [])
  const controller = new AbortController()
  const work = exchange(`http://site.test:${port}/`, { signal: controller.signal })
  while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve))
  controller.abort(enough)
  await t.throwsAsync(work, { is: enough })
  const kept = new AbortController()
  t.is(await answered(t, `${OK}content-length: 0\r\n\r\n`, { signal: kept.signal }), '200 ')
  t.is(getEventListeners(kept.signal, 'abort').length, 0)
})
