import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { createOutbound, type OutboundRequest } from '../../../activities/frame/outbound/index.ts'
import { createHostSlots } from '../../../activities/frame/outbound/slots.ts'
import { Refusal, Unavailable } from '../../../protocol/errors.ts'
import { startTestDns, type TestDns } from '../../support/parts/dns.ts'
import {
  createTestAuthority,
  listenTls,
  listenTlsFront,
  type TestAuthority,
  type TlsServer,
} from '../../support/parts/tls.ts'

let authority: TestAuthority
let dns: TestDns
let server: TlsServer
let active = 0
let mostActive = 0

const config = () => ({
  timeoutMs: 3000,
  maxBytes: 10_000,
  caFile: authority.file,
  dnsServer: dns.address,
  allowedRanges: ['127.0.0.0/8'],
})

const at = (path: string, host = 'site.test') => `https://${host}:${server.port}${path}`

const outcome = async (request: OutboundRequest, outbound = createOutbound(config())): Promise<string> => {
  try {
    return String((await outbound.fetch(request)).status)
  } catch (error) {
    if (error instanceof Refusal) return error.code
    if (error instanceof Unavailable) return `unavailable: ${error.message}`
    throw error
  }
}

test.before(async () => {
  authority = await createTestAuthority()
  dns = await startTestDns({
    'site.test': { A: ['127.0.0.1'] },
    'alias.test': { CNAME: 'site.test' },
    'six.test': { AAAA: ['::1'] },
  })
  server = await listenTls(await authority.issue(['site.test', 'alias.test', '127.0.0.1']), (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'https://site.test')
    if (pathname === '/echo') {
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        const { method, headers, url } = request
        response.setHeader('x-twice', ['a', 'b'])
        response.end(JSON.stringify({ method, headers, url, body: Buffer.concat(chunks).toString() }))
      })
    } else if (pathname === '/status') response.writeHead(Number(searchParams.get('code'))).end()
    else if (pathname === '/bytes') response.end(Buffer.alloc(Number(searchParams.get('count')), 0x61))
    else if (pathname === '/chunks') {
      response.write(Buffer.alloc(8000, 0x61))
      response.end(Buffer.alloc(8000, 0x61))
    } else if (pathname === '/slow') {
      active += 1
      mostActive = Math.max(mostActive, active)
      setTimeout(() => {
        active -= 1
        response.end('ok')
      }, 60)
    } else response.writeHead(404).end()
  })
})

test.after.always(async () => {
  await server.close()
  await dns.close()
  authority.close()
})

test('a name that leads to an allowed range is called, with its own Host, path, query, method, headers and body', async (t) => {
  const answer = await createOutbound(config()).fetch({
    url: at('/echo?a=%20b&a=1#fragment'),
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
    body: '{"ü":1}',
    accept: 'application/json',
  })
  t.is(answer.status, 200)
  t.is(answer.finalAddress, '127.0.0.1')
  t.is(answer.headers['x-twice'], 'a, b')
  const echoed = JSON.parse(answer.body.toString())
  t.like(echoed, { method: 'POST', url: '/echo?a=%20b&a=1', body: '{"ü":1}' })
  t.like(echoed.headers, {
    host: `site.test:${server.port}`,
    accept: 'application/json',
    'accept-encoding': 'identity',
    authorization: 'Bearer x',
    'content-length': '8',
  })
})

test('a CNAME is followed, and the name that was asked for is the one that the certificate must hold', async (t) => {
  t.is(await outcome({ url: at('/echo', 'alias.test') }), '200')
})

test('an address in the URL is called when it is in an allowed range, and only then', async (t) => {
  t.is(await outcome({ url: at('/echo', '127.0.0.1') }), '200')
  const strict = createOutbound({ ...config(), allowedRanges: ['10.0.0.0/8'] })
  t.is(await outcome({ url: at('/echo', '127.0.0.1') }, strict), 'outbound.blocked')
  t.regex(await outcome({ url: at('/echo') }, strict), /^unavailable: site.test cannot be called/)
})

test('an allowed range holds for its own addresses: ::1 is not in 127.0.0.0/8', async (t) => {
  t.regex(await outcome({ url: at('/echo', 'six.test') }), /^unavailable: six.test cannot be called/)
})

test('localhost is this machine, and the DNS server is not asked for it (RFC 6761, 6.3)', async (t) => {
  dns.set('localhost', { A: ['192.0.2.1'] })
  const local = createServer((_request, response) => void response.end('here'))
  await new Promise<void>((resolve) => void local.listen(0, '127.0.0.1', resolve))
  const { port } = local.address() as AddressInfo
  const plain = createOutbound(config(), { plainHttp: true })
  for (const host of ['localhost', 'LOCALHOST', 'a.localhost'])
    t.is(await outcome({ url: `http://${host}:${port}/` }, plain), '200', host)
  const strict = createOutbound({ ...config(), allowedRanges: [] }, { plainHttp: true })
  t.regex(await outcome({ url: `http://localhost:${port}/` }, strict), /^unavailable: localhost cannot be called/)
  await new Promise((resolve) => local.close(resolve))
})

test('answers other than redirects are answers; a redirect is an error', async (t) => {
  for (const code of [200, 204, 304, 400, 404, 410, 429, 500, 503])
    t.is(await outcome({ url: at(`/status?code=${code}`) }), String(code))
  for (const code of [300, 301, 302, 303, 307, 308, 399])
    t.is(await outcome({ url: at(`/status?code=${code}`) }), 'outbound.redirected')
})

test('an answer at the limit is read, one byte more is refused, or cut where that is asked', async (t) => {
  const outbound = createOutbound(config())
  t.is((await outbound.fetch({ url: at('/bytes?count=10000') })).body.length, 10_000)
  t.is(await outcome({ url: at('/bytes?count=10001') }), 'outbound.too_large')
  t.is(await outcome({ url: at('/chunks') }), 'outbound.too_large')
  t.is((await outbound.fetch({ url: at('/chunks'), maxBytes: 16_000 })).body.length, 16_000)
  t.is((await outbound.fetch({ url: at('/chunks'), whenTooLarge: 'cut' })).body.length, 10_000)
  t.is(
    (await outbound.fetch({ url: at('/bytes?count=10001'), whenTooLarge: 'cut', maxBytes: 7 })).body.toString(),
    'aaaaaaa',
  )
})

test('a caller cannot smuggle: framing headers, line breaks and odd names are refused', async (t) => {
  const bad: Record<string, string>[] = [
    { host: 'evil.test' },
    { 'Transfer-Encoding': 'chunked' },
    { 'content-length': '5' },
    { Connection: 'upgrade' },
    { 'x-key': 'a\r\nx-admin: 1' },
    { 'x-key': 'a\nb' },
    { 'x-key': 'a\u0000' },
    { 'x-key': 'ключ' },
    { 'x key': 'a' },
    { '': 'a' },
  ]
  for (const headers of bad)
    t.is(await outcome({ url: at('/echo'), headers }), 'outbound.invalid_request', JSON.stringify(headers))
})

test('a name without address, and a port where nobody listens, may pass later: Unavailable', async (t) => {
  t.regex(await outcome({ url: 'https://nobody.test/' }), /^unavailable: nobody.test cannot be called/)
  const closed = await listenTls({}, () => undefined)
  await closed.close()
  t.regex(await outcome({ url: `https://site.test:${closed.port}/` }), /^unavailable: .*ECONNREFUSED/)
})

test.serial('one host gets eight calls at a time, the others wait their turn', async (t) => {
  const outbound = createOutbound(config())
  const all = await Promise.all(Array.from({ length: 40 }, () => outbound.fetch({ url: at('/slow') })))
  t.true(all.every(({ status }) => status === 200))
  t.true(mostActive > 1 && mostActive <= 8, String(mostActive))
})

test.serial('waiting for a turn counts: whoever waits past the deadline gives up, and the line goes on', async (t) => {
  const outbound = createOutbound(config())
  const late = Array.from({ length: 200 }, () => outcome({ url: at('/slow'), timeoutMs: 600 }, outbound))
  const answers = await Promise.all(late)
  t.true(answers.includes('200'))
  t.true(answers.some((answer) => answer.startsWith('unavailable: Too many calls waited 600 ms for site.test')))
  t.is(await outcome({ url: at('/slow') }, outbound), '200')
})

test('whoever gives up in the line frees its place there, and takes nobody’s turn', async (t) => {
  const slots = createHostSlots({ perHost: 1, waiting: 1 })
  const never = new AbortController().signal
  const first = Promise.withResolvers<string>()
  const running = slots.run('site.test', never, () => first.promise)
  const impatient = new AbortController()
  const givenUp = slots.run('site.test', impatient.signal, async () => 'called')
  impatient.abort(new Error('enough'))
  await t.throwsAsync(givenUp, { message: 'enough' })
  const begun: string[] = []
  const next = slots.run('site.test', never, async () => begun.push('next'))
  first.resolve('first')
  t.is(await running, 'first')
  await new Promise((resolve) => setImmediate(resolve))
  t.deepEqual(begun, ['next'])
  await next
  t.is(slots.size(), 0)
})

test('a caller may call it off', async (t) => {
  const controller = new AbortController()
  const call = createOutbound(config()).fetch({ url: at('/slow'), signal: controller.signal })
  controller.abort(new Error('enough'))
  await t.throwsAsync(call, { message: 'enough' })
})

test('the TLS front of the tests passes Host, path and bodies of any size both ways', async (t) => {
  const plain = createServer((request, response) => {
    response.setHeader('x-host', request.headers.host ?? '')
    request.pipe(response)
  })
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
  const address = plain.address()
  const front = await listenTlsFront(
    await authority.issue(['site.test']),
    typeof address === 'object' && address ? address.port : 0,
  )
  const outbound = createOutbound({ ...config(), maxBytes: 1_000_000 })
  const body = Buffer.alloc(500_000, 0x61)
  const answer = await outbound.fetch({ url: `https://site.test:${front.port}/a`, method: 'POST', body })
  await front.close()
  plain.close()
  t.is(answer.headers['x-host'], `site.test:${front.port}`)
  t.true(answer.body.equals(body))
})

test('what is refused is logged with host and code, without path, query or headers', async (t) => {
  const lines: unknown[] = []
  const outbound = createOutbound(config(), { log: { warn: (fields) => lines.push(fields) } })
  await outcome({ url: 'https://nobody.test/secret?token=secret', headers: { authorization: 'secret' } }, outbound)
  t.deepEqual(lines, [{ host: 'nobody.test', port: 443, code: 'unavailable', reason: 'the name has no address' }])
})

test('a useless configuration fails at start, naming the variable', (t) => {
  const start = (more: object) => () => createOutbound({ ...config(), ...more })
  t.throws(start({ allowedRanges: ['10.0.0.0/99'] }), { message: /OUTBOUND_ALLOWED_RANGES/ })
  t.throws(start({ allowedRanges: ['localhost'] }), { message: /OUTBOUND_ALLOWED_RANGES/ })
  t.throws(start({ dnsServer: 'dns.example' }), { message: /OUTBOUND_DNS_SERVER/ })
  t.throws(start({ caFile: '/nowhere/ca.pem' }), { message: /ENOENT/ })
})
