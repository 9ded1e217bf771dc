import test from 'ava'
import { createDidResolver } from '../../../activities/dids/resolver.ts'
import { createContextStore } from '../../../activities/frame/contexts.ts'
import { createOutbound } from '../../../activities/frame/outbound/index.ts'
import { assertCallable } from '../../../activities/frame/outbound/url.ts'
import { Refusal, Unavailable } from '../../../protocol/errors.ts'
import { startTestDns, type TestDns } from '../../support/parts/dns.ts'

let dns: TestDns
test.before(async () => {
  dns = await startTestDns({
    'inner.test': { A: ['127.0.0.1'] },
    'mixed.test': { A: ['1.1.1.1', '10.0.0.1'] },
    'six.test': { A: ['1.1.1.1'], AAAA: ['::1'] },
    'alias.test': { CNAME: 'inner.test' },
    'failing.test': { rcode: 2 },
  })
})
test.after.always(() => dns?.close())

const noRows = {
  find: async () => undefined,
  findAll: async () => [],
  insert: async () => Promise.reject(new Error('nothing may be pinned')),
  count: async () => 0,
  markRegistered: async () => undefined,
}

test('a name inside, a name that does not exist and a name that DNS fails for are told alike (D-164)', async (t) => {
  const config = { timeoutMs: 3_000, maxBytes: 1_000, dnsServer: dns.address, allowedRanges: [], caFile: undefined }
  const outbound = createOutbound(config)
  const now = () => new Date()
  const ways: Record<string, (host: string) => Promise<unknown>> = {
    GET: (host) => outbound.fetch({ url: `https://${host}/` }),
    'did:web': (host) => createDidResolver({ outbound, now }).resolve(`did:web:${host}`),
    'JSON-LD context': (host) =>
      createContextStore({ outbound, rows: noRows, now }).lookup('t', `https://${host}/`, {
        allowFetch: async () => true,
      }),
  }
  for (const [way, call] of Object.entries(ways)) {
    const told = async (host: string): Promise<unknown> => {
      const error = await t.throwsAsync(call(host))
      const code = error instanceof Refusal ? error.code : undefined
      const part = error instanceof Unavailable ? error.part : undefined
      return [code, part, error.message.replaceAll(host, 'HOST')]
    }
    const inside = await told('inner.test')
    for (const host of ['nobody.test', 'failing.test', 'mixed.test', 'six.test', 'alias.test'])
      t.deepEqual(await told(host), inside, `${way} ${host}`)
  }
})

const ALONE = { dnsServer: undefined, allowedRanges: [] }
const own = [
  { dnsServer: '127.0.0.1:53', allowedRanges: [] },
  { dnsServer: undefined, allowedRanges: ['10.0.0.0/8'] },
]
for (const host of [
  'metadata.google.internal',
  'a.svc.cluster.local',
  'intranet',
  'com',
  'x.onion',
  'nas.home.arpa',
  'a.invalid',
])
  test(`${host} is no name that will ever be called, but in a network of the operator's own (D-165)`, (t) => {
    const refused = () => assertCallable(`https://${host}/`, ALONE)
    t.is(t.throws(refused, { instanceOf: Refusal })?.code, 'outbound.blocked')
    for (const config of own) t.notThrows(() => assertCallable(`https://${host}/`, config))
  })

test('public names are callable; a port that is never called is refused in any network (D-033)', (t) => {
  for (const host of [
    'issuer.org',
    'a.b.co.uk',
    'acme.github.io',
    'xn--bcher-kva.de',
    'issuer.example',
    'issuer.test:8443',
  ])
    t.notThrows(() => assertCallable(`https://${host}/`, ALONE), host)
  for (const config of [ALONE, ...own]) {
    const error = t.throws(() => assertCallable('https://issuer.org:22/', config), { instanceOf: Refusal })
    t.is(error?.code, 'outbound.port')
  }
})
