import { getEventListeners } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { OutboundFault } from '../../../activities/frame/outbound/faults.ts'
import { createOutbound, type OutboundOptions, type OutboundRequest } from '../../../activities/frame/outbound/index.ts'
import { createHostSlots } from '../../../activities/frame/outbound/slots.ts'
import { Exhausted, Refusal } from '../../../protocol/errors.ts'
import { startTestDns, type TestDns } from '../../support/parts/dns.ts'

const MAX_BYTES = 100
let dns: TestDns
let server: Server
let port: number
const asked: IncomingMessage[] = []
test.before(async () => {
  dns = await startTestDns({
    'site.test': { A: ['127.0.0.1'] },
    'partly.test': { A: ['127.0.0.1', '10.0.0.1'] },
    'fifth.test': { A: ['127.0.0.3', '127.0.0.3', '127.0.0.3', '127.0.0.3', '127.0.0.1'] },
  })
  server = createServer((request, response) => {
    asked.push(request)
    if (request.url === '/never') return
    if (request.url === '/moved') response.writeHead(302)
    response.end(request.url === '/large' ? 'x'.repeat(MAX_BYTES + 1) : 'ok')
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
test.after.always(async () => {
  server?.close()
  server?.closeAllConnections()
  await dns?.close()
})
test.beforeEach(() => void asked.splice(0))

const client = (options: OutboundOptions = {}, more: { allowedRanges?: string[]; timeoutMs?: number } = {}) =>
  createOutbound(
    {
      timeoutMs: 3_000,
      maxBytes: MAX_BYTES,
      dnsServer: dns.address,
      allowedRanges: ['127.0.0.0/8'],
      caFile: undefined,
      ...more,
    },
    { plainHttp: true, ...options },
  )

const at = (path: string, host = 'site.test') => `http://${host}:${port}${path}`

const codeOf = async (t: ExecutionContext, work: Promise<unknown>): Promise<string> => {
  const error = await t.throwsAsync(work)
  if (error instanceof Refusal) return error.code
  return error instanceof OutboundFault ? error.kind : String(error)
}

test.serial(
  'a request says who asks, takes no encoding, and has the headers of its caller and the length of its body',
  async (t) => {
    await client().fetch({ url: at('/') })
    t.is(asked[0]?.method, 'GET')
    t.deepEqual(asked[0]?.headers, {
      'user-agent': 'countersign',
      'accept-encoding': 'identity',
      host: `site.test:${port}`,
      connection: 'close',
    })
    const headers = { 'x-one': 'a\tb', 'user-agent': 'mine' }
    await client().fetch({ url: at('/'), method: 'PUT', headers, body: 'ü', accept: 'text/plain' })
    t.is(asked[1]?.method, 'PUT')
    t.like(asked[1]?.headers, { 'x-one': 'a\tb', 'user-agent': 'mine', accept: 'text/plain', 'content-length': '2' })
  },
)

for (const headers of [
  ...['Host', 'connection', 'Transfer-Encoding', 'content-length', 'accept-encoding', 'upgrade', 'TE', 'expect'].map(
    (name) => ({ [name]: 'x' }),
  ),
  ...['', 'a b', 'a:', 'ä', '(a', 'a)'].map((name) => ({ [name]: 'x' })),
  ...['a\r\nb: c', 'a\n', '\u0000', '\u007f', 'ключ'].map((value) => ({ 'x-a': value })),
])
  test.serial(`the header ${JSON.stringify(headers)} is refused, and nobody is called`, async (t) => {
    t.is(await codeOf(t, client().fetch({ url: at('/'), headers })), 'outbound.invalid_request')
    t.is(asked.length, 0)
  })

test.serial('headers with any letter of a token are sent', async (t) => {
  const name = "!#$%&'*+.^_`|~09azAZ-"
  await client().fetch({ url: at('/'), headers: { [name]: ' ~' } })
  t.is(asked[0]?.headers[name.toLowerCase()], '~')
})

test.serial(
  'unless asked otherwise an answer is refused above the configured size, and so is a redirect',
  async (t) => {
    const of = (more: Omit<OutboundRequest, 'url'>) => client().fetch({ url: at('/large'), ...more })
    t.is(await codeOf(t, of({})), 'outbound.too_large')
    t.is((await of({ whenTooLarge: 'cut' })).body.length, MAX_BYTES)
    t.is((await of({ maxBytes: MAX_BYTES + 1 })).body.length, MAX_BYTES + 1)
    t.is(await codeOf(t, client().fetch({ url: at('/moved') })), 'outbound.redirected')
    t.is((await client().fetch({ url: at('/moved'), statusOnly: true })).status, 302)
  },
)

test.serial('a name with one address that is not allowed is not called, nor an address that is not', async (t) => {
  t.is(await codeOf(t, client().fetch({ url: at('/', 'partly.test') })), 'not_called')
  const strict = client({}, { allowedRanges: [] })
  t.is(await codeOf(t, strict.fetch({ url: at('/', '127.0.0.1') })), 'outbound.blocked')
  t.is(await codeOf(t, strict.fetch({ url: at('/', '[::1]') })), 'outbound.blocked')
  t.is(await codeOf(t, strict.fetch({ url: at('/', 'localhost') })), 'not_called')
  t.is(asked.length, 0)
  t.is((await client().fetch({ url: at('/', '127.0.0.1') })).finalAddress, '127.0.0.1')
  t.is((await client().fetch({ url: at('/', 'localhost') })).finalAddress, '127.0.0.1')
  t.is((await client({}, { allowedRanges: ['127.0.0.1'] }).fetch({ url: at('/') })).finalAddress, '127.0.0.1')
})

test.serial('of a name four addresses are tried', async (t) => {
  t.is(await codeOf(t, client().fetch({ url: at('/', 'fifth.test') })), 'connection')
  t.is(asked.length, 0)
})

test.serial('an address of IPv6 in a range is called as one', async (t) => {
  const of = (allowedRanges: string[]) => codeOf(t, client({}, { allowedRanges }).fetch({ url: 'http://[::1]:1024/' }))
  t.is(await of(['::1']), 'connection')
  t.is(await of(['127.0.0.1']), 'outbound.blocked')
})

test.serial('http is called where that is allowed alone', async (t) => {
  t.is(await codeOf(t, client({ plainHttp: false }).fetch({ url: at('/') })), 'outbound.not_https')
})

test.serial(
  'who takes too long is a timeout, as the caller has it or as configured, and what waits ends',
  async (t) => {
    for (const work of [
      client().fetch({ url: at('/never'), timeoutMs: 100 }),
      client({}, { timeoutMs: 100 }).fetch({ url: at('/never') }),
    ]) {
      const error = await t.throwsAsync(work, { instanceOf: OutboundFault })
      t.is(error.kind, 'timeout')
      t.is(error.message, 'site.test did not answer within 100 ms.')
    }
  },
)

test.serial('an answer, and a refusal, end the timer of their call', async (t) => {
  const timeoutMs = 54_321
  const { setTimeout: set, clearTimeout: clear } = globalThis
  const running = new Set<unknown>()
  const started = (work: () => void, ms?: number) => {
    const timer = set(work, ms)
    if (ms === timeoutMs) running.add(timer)
    return timer
  }
  const ended = (timer: Parameters<typeof clear>[0]) => {
    running.delete(timer)
    clear(timer)
  }
  Object.assign(globalThis, { setTimeout: started, clearTimeout: ended })
  t.teardown(() => Object.assign(globalThis, { setTimeout: set, clearTimeout: clear }))
  const answer = client().fetch({ url: at('/'), timeoutMs })
  t.is(running.size, 1)
  await answer
  t.is(running.size, 0)
  await codeOf(t, client().fetch({ url: at('/moved'), timeoutMs }))
  t.is(running.size, 0)
})

test.serial('an address in the URL is called in an allowed range alone, public or not', async (t) => {
  const of = (host: string) => codeOf(t, client().fetch({ url: at('/', host), timeoutMs: 500 }))
  for (const host of ['8.8.8.8', '[2606:4700::1111]', '10.0.0.1']) t.is(await of(host), 'outbound.blocked', host)
})

test.serial('a caller calls it off before and within the call, and is not listened to after it', async (t) => {
  const enough = new Error('enough')
  const signal = AbortSignal.abort(enough)
  await t.throwsAsync(client().fetch({ url: at('/'), signal }), { is: enough })
  t.is(asked.length, 0)
  const controller = new AbortController()
  const work = client().fetch({ url: at('/never'), signal: controller.signal })
  while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve))
  controller.abort(enough)
  await t.throwsAsync(work, { is: enough })
})

test.serial('what is read for a tenant counts for its budget at the host, and for that of nobody else', async (t) => {
  const spent: string[] = []
  const budget = {
    async spend(tenantId: string, host: string) {
      spent.push(`${tenantId} ${host}`)
      if (spent.length > 1) throw new Exhausted('outbound', 'too many reads', 7)
    },
  }
  const outbound = client({ budget })
  await outbound.fetch({ url: at('/') })
  await outbound.fetch({ url: at('/'), readFor: 'tenant' })
  await t.throwsAsync(outbound.fetch({ url: at('/'), readFor: 'tenant' }), { instanceOf: Exhausted })
  t.deepEqual(spent, ['tenant site.test', 'tenant site.test'])
  t.is(asked.length, 2)
  await client().fetch({ url: at('/'), readFor: 'tenant' })
})

test.serial('a failed call is logged with its host, its port and its code, and with the reason for it', async (t) => {
  const lines: unknown[] = []
  const outbound = client({ log: { warn: (...line) => lines.push(line) } })
  await codeOf(t, outbound.fetch({ url: at('/large') }))
  await codeOf(t, outbound.fetch({ url: at('/', 'partly.test') }))
  await outbound.fetch({ url: at('/') })
  t.deepEqual(
    lines.flat().filter((part) => typeof part === 'object'),
    [
      { host: 'site.test', port, code: 'outbound.too_large' },
      { host: 'partly.test', port, code: 'unavailable', reason: '10.0.0.1 is not a public address' },
    ],
  )
})

test('a host has so many calls at a time and so many that wait; one more is busy, and another host is free', async (t) => {
  const slots = createHostSlots({ perHost: 2, waiting: 1 })
  const { signal } = new AbortController()
  const ends = Promise.withResolvers<void>()
  const running = ['one', 'two'].map((name) => slots.run('a.test', signal, () => ends.promise.then(() => name)))
  const waiting = slots.run('a.test', signal, async () => 'three')
  const busy = await t.throwsAsync(
    slots.run('a.test', signal, async () => 'four'),
    { instanceOf: OutboundFault },
  )
  t.is(busy.kind, 'busy')
  t.is(await slots.run('b.test', signal, async () => 'free'), 'free')
  t.is(slots.size(), 1)
  t.is(getEventListeners(signal, 'abort').length, 1)
  ends.resolve()
  t.deepEqual(await Promise.all([...running, waiting]), ['one', 'two', 'three'])
  t.is(getEventListeners(signal, 'abort').length, 0)
  t.is(slots.size(), 0)
})

test('a call that fails frees its place, and one that was called off before it waits does not wait', async (t) => {
  const slots = createHostSlots({ perHost: 1, waiting: 5 })
  const { signal } = new AbortController()
  await t.throwsAsync(
    slots.run('a.test', signal, () => Promise.reject(new Error('failed'))),
    { message: 'failed' },
  )
  const ends = Promise.withResolvers<void>()
  const first = slots.run('a.test', signal, () => ends.promise)
  const order: string[] = []
  const second = slots.run('a.test', signal, async () => order.push('second'))
  const off = slots.run('a.test', AbortSignal.abort(new Error('off')), async () => order.push('off'))
  await t.throwsAsync(off, { message: 'off' })
  const third = slots.run('a.test', signal, async () => order.push('third'))
  ends.resolve()
  await Promise.all([first, second, third])
  t.deepEqual(order, ['second', 'third'])
  t.is(slots.size(), 0)
})
