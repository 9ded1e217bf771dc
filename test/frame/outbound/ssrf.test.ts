import { createServer, type Server } from 'node:net'
import { createSecureContext } from 'node:tls'
import test from 'ava'
import { createSourceCall, type SourceCall } from '../../../activities/claim-sources/call.ts'
import { CallFailed } from '../../../activities/claim-sources/failures.ts'
import { createTokens } from '../../../activities/claim-sources/tokens.ts'
import { createForeignLists } from '../../../activities/credentials/status-lists/foreign.ts'
import { createDidResolver } from '../../../activities/dids/resolver.ts'
import { createContextStore } from '../../../activities/frame/contexts.ts'
import { exchangeOnce } from '../../../activities/frame/outbound/exchange.ts'
import { createOutbound, type Outbound } from '../../../activities/frame/outbound/index.ts'
import { postMessage } from '../../../activities/frame/outbound/post.ts'
import { parseTarget } from '../../../activities/frame/outbound/url.ts'
import { createMetadataReader } from '../../../activities/openid/providers/clients.ts'
import { ourCause } from '../../../activities/openid/providers/faults.ts'
import { createFetch } from '../../../activities/openid/providers/fetch.ts'
import { readClaimSourceUrl, readTokenEndpoint } from '../../../protocol/claim-sources/urls.ts'
import { Refusal, Unavailable } from '../../../protocol/errors.ts'
import { isPublic } from '../../../protocol/hosts/addresses.ts'
import { readIssuer } from '../../../protocol/openid/providers.ts'
import { readWebhookUrl } from '../../../protocol/webhooks/urls.ts'
import { INNER, PUBLIC, STRANGE, WRITTEN } from '../../support/parts/addresses.ts'
import { startTestDns, type TestDns } from '../../support/parts/dns.ts'
import { createTestAuthority, listenTls, type TestAuthority } from '../../support/parts/tls.ts'

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
  findAll: async () => [],
  insert: async () => Promise.reject(new Error('nothing may be pinned')),
  count: async () => 0,
  markRegistered: async () => undefined,
}
const now = () => new Date()

/** One attempt to read claims, with the refusals as the other paths have them. */
async function readClaims(out: Outbound, call: Pick<SourceCall, 'authorization'> & { url: string }) {
  const { url, authorization } = call
  const source = { id: 'a', url, requestMethod: 'POST', secret: null } as const
  const callSource = createSourceCall({ outbound: out, tokens: createTokens({ outbound: out, now }) })
  try {
    return await callSource({ source, authorization, parameters: { sub: 'ada' }, timeoutMs: 3000 })
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error
    const { code, reason } = error.failure
    throw code === 'not_called' ? new Unavailable('outbound', NOT_CALLED) : new Refusal(code, reason)
  }
}

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
  'status list': (out, url) => {
    const read = () => Promise.reject(new Error('no list may be read'))
    const how = { readFor: 't', accept: '*/*', maxBytes: 1_000, isCurrent: () => true, read }
    return createForeignLists({ outbound: out, now })(url, { url, ...how })
  },
  'claim source': async (out, url) => {
    const read = new URL(readClaimSourceUrl(url))
    read.port = new URL(url).port // the rule drops it; without it the canary could not hear of a call
    return readClaims(out, { url: read.href, authorization: null })
  },
  'token endpoint': async (out, url) => {
    const tokenEndpoint = readTokenEndpoint(url)
    const terms = {
      kind: 'OAuthClientCredentials',
      clientId: 'a',
      tokenEndpoint,
      method: 'client_secret_post',
    } as const
    return readClaims(out, { url: 'https://inner-0.test/', authorization: { terms, secret: 'b' } })
  },
  'authentication provider': async (out, url) => {
    const read = createMetadataReader(createFetch(out))
    return read(readIssuer(url)).catch((error: unknown) => {
      throw ourCause(error) ?? error
    })
  },
  webhook: async (out, url) => {
    const posted = await postMessage(out, { url: readWebhookUrl(url), body: '{}' })
    if (posted.accepted || posted.status !== undefined) return posted
    throw posted.code === 'not_called'
      ? new Unavailable('outbound', NOT_CALLED)
      : new Refusal(posted.code, posted.reason)
  },
}

const CODES =
  /^(not called|outbound\.(blocked|invalid_url|not_https|port)|did\.(invalid|unresolvable)|context\.unavailable|(webhook|claim_source)\.invalid_url|authentication_provider\.invalid)$/

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
