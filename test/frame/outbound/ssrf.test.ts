import { createServer, type Server } from 'node:net'
import { createSecureContext } from 'node:tls'
import test from 'ava'
import { createDidResolver } from '../../../activities/dids/resolver.ts'
import { createContextStore } from '../../../activities/frame/contexts.ts'
import { exchangeOnce } from '../../../activities/frame/outbound/exchange.ts'
import { createOutbound, type Outbound } from '../../../activities/frame/outbound/index.ts'
import { parseTarget } from '../../../activities/frame/outbound/url.ts'
import { Refusal, Unavailable } from '../../../protocol/errors.ts'
import { isPublic } from '../../../protocol/hosts/addresses.ts'
import { startTestDns, type TestDns } from '../../support/parts/dns.ts'
import { createTestAuthority, listenTls, type TestAuthority } from '../../support/parts/tls.ts'

/** Addresses that are not of the public Internet, from every special range (RFC 6890) and its edges. */
const INNER =
  `127.0.0.1 127.0.0.2 127.255.255.255 10.0.0.0 10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1
  192.168.255.255 169.254.169.254 169.254.0.1 100.64.0.1 100.100.100.200 100.127.255.255 0.0.0.0 0.0.0.1 0.255.255.255
  192.0.0.1 192.0.0.170 192.0.2.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 192.88.99.1 224.0.0.1
  239.255.255.255 240.0.0.1 255.255.255.254 255.255.255.255 192.31.196.1 192.52.193.1 192.175.48.1
  ::1 :: fe80::1 fe80::a9fe:a9fe febf::1 fc00::1 fd00:ec2::254 fdff::1 fec0::1 ff02::1 ff0e::1
  ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe
  64:ff9b:1::1 2002:7f00:1:: 2002:a9fe:a9fe:: 2001::1 2001:0:7f00:1:: 2001:db8::1 2001:10::1 2001:20::1 2001:2::1
  100::1 5f00::1`.split(/\s+/)

const PUBLIC =
  '1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 172.15.255.255 172.32.0.0 192.167.255.255 100.63.255.255 2606:4700::1111'.split(
    ' ',
  )

/** Ways to write an inner address into a URL; `@` stands for the canary's port. */
const WRITTEN = [
  ...[
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0x7F.0x0.0x0.0x1',
    '0177.0.0.1',
    '0177.1',
  ],
  ...[
    '017700000001',
    '0',
    '0x0',
    '0.0.0.0',
    '127.0.0.1.',
    '127.000.000.001',
    '１２７.０.０.１',
    '①②⑦.0.0.1',
    '127。0。0。1',
  ],
  ...['%31%32%37.0.0.1', '127%2e0%2e0%2e1', '[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::ffff:127.0.0.1]'],
  ...[
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[fe80::1]',
    '[fd00:ec2::254]',
  ],
  ...['10.0.0.1', '169.254.169.254', '0xa9fea9fe', '2852039166', '0251.0376.0251.0376', '8.8.8.8', '[2606:4700::1111]'],
  ...[
    'user@127.0.0.1',
    'user:pass@127.0.0.1',
    'site.test@127.0.0.1',
    'site.test:443@127.0.0.1',
    '@127.0.0.1',
    ':@127.0.0.1',
  ],
].map((host) => `https://${host}:@/a`)

const STRANGE =
  `http://127.0.0.1:@/|http://site.test:@/|HTTP://localhost:@|ftp://127.0.0.1:@/|file:///etc/passwd|gopher://127.0.0.1:@/_x
  |data:application/json,{}|javascript:0|blob:https://127.0.0.1:@/a|ws://127.0.0.1:@|wss://127.0.0.1:@/|unix:/run/a|//127.0.0.1:@/
  |127.0.0.1:@|https:127.0.0.1:@/|https:/127.0.0.1:@/|https:///127.0.0.1:@/|https://///127.0.0.1:@/|https:\\\\127.0.0.1:@/
  |https://127.0.0.1\\@site.test/|https://site.test\\@127.0.0.1:@/|https://site.test#@127.0.0.1:@/|https://127.0.0.1:@#site.test
  |https://127.0.0\t.1:@/|https://127.0.0.1\n:@/|h\ttps://127.0.0.1:@/|https://127.0.0.1:@\r\nhost: a/|https:// 127.0.0.1:@/
  |https://|https://:@/|https://[|https://[::1|https://[::1%25lo]:@/|https://127.0.0.1:99999/|https://127.0.0.1:-1/|
  |https://site.test:0/|https://site.test:22/|https://site.test:25/|https://site.test:53/|https://site.test:80/|https://site.test:1023/
  |https://site.test:3306/|https://site.test:5432/|https://site.test:6379/|https://site.test:7233/|https://site.test:8200/
  |https://site.test:9200/|https://site.test:11211/|https://site.test:27017/|https://site.test:2375/|https://site.test:10250/`
    .split('|')
    .map((text) => text.replace(/^\n +|\n +$/g, ''))

const NAMES: Record<string, Parameters<TestDns['set']>[1]> = {
  'mixed-first.test': { A: ['127.0.0.1', '1.1.1.1'] },
  'mixed-last.test': { A: ['1.1.1.1', '8.8.8.8', '127.0.0.1'] },
  'a-and-aaaa.test': { A: ['1.1.1.1'], AAAA: ['::1'] },
  'aaaa-and-a.test': { A: ['127.0.0.1'], AAAA: ['2606:4700::1111'] },
  'mapped.test': { AAAA: ['::ffff:127.0.0.1'] },
  'alias.test': { CNAME: 'inner.test' },
  'alias-of-alias.test': { CNAME: 'alias.test' },
  'inner.test': { A: ['127.0.0.1'] },
  'site.test': { A: ['127.0.0.1'] },
  'long-ttl.test': { A: ['127.0.0.1'], ttl: 86_400 },
  'many.test': { A: [...Array(40).fill('1.1.1.1'), '127.0.0.1'] },
}

let dns: TestDns
let canaries: Server[]
let port: number
let bytesOnCanary = 0
let callsOnCanary = 0
let authority: TestAuthority

const listen = (host: string, at: number) =>
  new Promise<Server | undefined>((resolve) => {
    const server = createServer((socket) => {
      callsOnCanary += 1
      socket.on('data', (chunk) => {
        bytesOnCanary += chunk.length
      })
      socket.on('error', () => socket.destroy())
    })
    server.once('error', () => resolve(undefined)) // a machine without IPv6 has no ::1
    server.listen(at, host, () => resolve(server))
  })

test.before(async () => {
  authority = await createTestAuthority()
  const [first] = [await listen('0.0.0.0', 0)]
  const address = first?.address()
  port = typeof address === 'object' && address ? address.port : 0
  canaries = [first, await listen('::1', port)].filter((server) => server !== undefined)
  dns = await startTestDns(NAMES)
  INNER.forEach(
    (inner, index) => void dns.set(`inner-${index}.test`, { [inner.includes(':') ? 'AAAA' : 'A']: [inner] }),
  )
})

test.after.always(async () => {
  for (const canary of canaries) canary.close()
  await dns.close()
  authority.close()
})

const outbound = (dnsServer: string | undefined = dns.address) =>
  createOutbound({ timeoutMs: 3000, maxBytes: 1000, dnsServer, allowedRanges: [], caFile: undefined })

const NOT_CALLED = ' cannot be called: no public address is known for it.'

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work
    return 'reached'
  } catch (error) {
    if (error instanceof Refusal) return error.code
    if (error instanceof Unavailable) return error.message.endsWith(NOT_CALLED) ? 'not called' : error.message
    throw error
  }
}

const noRows = {
  find: async () => undefined,
  insert: async () => Promise.reject(new Error('nothing may be pinned')),
  count: async () => 0,
  markRegistered: async () => undefined,
}
const now = () => new Date()

/** Every way by which a stranger's URL gets us to call somebody. */
const paths: Record<string, (out: Outbound, url: string) => Promise<unknown>> = {
  GET: (out, url) => out.fetch({ url }),
  POST: (out, url) => out.fetch({ url, method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }),
  'did:web': (out, url) => {
    const { host, pathname } = URL.canParse(url) ? new URL(url) : { host: url, pathname: '' }
    const did = `did:web:${host.replace(':', '%3A')}${pathname.replaceAll('/', ':').replace(/:$/, '')}`
    return createDidResolver({ outbound: out, now }).resolve(did, { bypassCache: true })
  },
  'JSON-LD context': (out, url) =>
    createContextStore({ outbound: out, rows: noRows, now }).lookup('t', url, { allowFetch: async () => true }),
}

const CODES =
  /^(not called|outbound\.(blocked|invalid_url|not_https|port)|did\.(invalid|unresolvable)|context\.unavailable)$/

for (const [name, call] of Object.entries(paths)) {
  test(`${WRITTEN.length + STRANGE.length} ways to write an inner address reach nothing by ${name}`, async (t) => {
    const out = outbound()
    for (const written of [...WRITTEN, ...STRANGE]) {
      const url = written.replace(/:@(?=$|[/#?\r\n])/, `:${port}`)
      t.regex(await codeOf(call(out, url)), CODES, JSON.stringify(url))
    }
    t.is(callsOnCanary, 0)
    t.is(bytesOnCanary, 0)
  })

  test(`${INNER.length + Object.keys(NAMES).length} names that lead inside reach nothing by ${name}`, async (t) => {
    const out = outbound()
    const names = [...INNER.map((_, index) => `inner-${index}.test`), ...Object.keys(NAMES)]
    for (const host of names) {
      const code = await codeOf(call(out, `https://${host}:${port}/a`))
      t.regex(code, CODES, host)
      if (name === 'GET') t.is(code, 'not called', host)
    }
    t.is(callsOnCanary, 0)
    t.is(bytesOnCanary, 0)
  })
}

test('the system resolver is held to the same rules: localhost is blocked', async (t) => {
  const system = createOutbound({
    timeoutMs: 3000,
    maxBytes: 1000,
    dnsServer: undefined,
    allowedRanges: [],
    caFile: undefined,
  })
  for (const host of ['localhost', 'LOCALHOST', 'ｌｏｃａｌｈｏｓｔ']) {
    t.is(await codeOf(system.fetch({ url: `https://${host}:${port}/` })), 'not called', host)
  }
  t.is(callsOnCanary, 0)
})

test('the canary works: with the range allowed, the same name reaches it', async (t) => {
  const canary = await listenTls(await authority.issue(['inner.test']), (_request, response) => response.end('tweet'))
  const allowed = createOutbound({
    timeoutMs: 3000,
    maxBytes: 1000,
    dnsServer: dns.address,
    allowedRanges: ['127.0.0.1'],
    caFile: authority.file,
  })
  t.is((await allowed.fetch({ url: `https://inner.test:${canary.port}/` })).body.toString(), 'tweet')
  await canary.close()
})

test('rebinding: the address that was checked is the one that is called, 100 of 100', async (t) => {
  // 127.0.0.2 plays the public host here; every second answer of the name is the canary's address.
  const host = await listenTls(
    await authority.issue(['rebind.test']),
    (_request, response) => response.end('public'),
    '127.0.0.2',
  )
  const inner = await listen('127.0.0.1', host.port)
  dns.set('rebind.test', (type, nth) => (type === 'A' ? { A: [nth % 2 === 0 ? '127.0.0.2' : '127.0.0.1'] } : {}))
  const out = createOutbound({
    timeoutMs: 3000,
    maxBytes: 1000,
    dnsServer: dns.address,
    allowedRanges: ['127.0.0.2/32'],
    caFile: authority.file,
  })
  const before = callsOnCanary
  const results: string[] = []
  for (let round = 0; round < 100; round += 1)
    results.push(await codeOf(out.fetch({ url: `https://rebind.test:${host.port}/` })))
  t.deepEqual(
    results,
    Array.from({ length: 100 }, (_, round) => (round % 2 === 0 ? 'reached' : 'not called')),
  )
  t.is(callsOnCanary - before, 0)
  t.is(host.connections(), 50)
  t.is(dns.queries.filter((query) => query === 'A rebind.test').length, 100)
  inner?.close()
  await host.close()
})

test('behind the check stands a second fence: an inner address that slipped through is refused at the socket', async (t) => {
  const before = callsOnCanary
  for (const [host, address] of [
    ['inner.test', '127.0.0.1'],
    ['127.0.0.1', '127.0.0.1'],
  ]) {
    const exchange = exchangeOnce({
      target: parseTarget(`https://${host}:${port}/`),
      addresses: [{ address: address ?? '', family: 4 }],
      exempt: [],
      method: 'GET',
      headers: {},
      body: undefined,
      maxBytes: 1000,
      whenTooLarge: 'refuse',
      statusOnly: false,
      secureContext: createSecureContext(),
      signal: AbortSignal.timeout(3000),
    })
    t.is(await codeOf(exchange), 'not called')
  }
  t.is(callsOnCanary, before)
})

test('public addresses are not mistaken for inner ones', (t) => {
  for (const address of PUBLIC) t.true(isPublic(address), address)
  for (const address of INNER) t.false(isPublic(address), address)
  t.false(isPublic('not an address'))
})
