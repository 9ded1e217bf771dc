import test from 'ava'
import { createDidResolver } from '../../activities/dids/resolver.ts'
import { OutboundFault } from '../../activities/frame/outbound/faults.ts'
import { createOutbound, type Outbound } from '../../activities/frame/outbound/index.ts'
import { type DidDocument, dereference, publicKeyOf } from '../../protocol/dids/index.ts'
import { resolveDidKey } from '../../protocol/dids/key.ts'
import { webDidDocument, webMethodId } from '../../protocol/dids/web.document.ts'
import { isOutboundFault, Refusal, Unavailable } from '../../protocol/errors.ts'
import { startTestDns } from '../support/parts/dns.ts'
import { createTestAuthority, listenTls } from '../support/parts/tls.ts'

const KEY_DID = 'did:key:z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH'
const KEY = publicKeyOf(dereference(resolveDidKey(KEY_DID), `${KEY_DID}#${KEY_DID.slice(8)}`, 'assertionMethod').method)
const DID = 'did:web:issuer.example'

type Answer = { status?: number; body: unknown } | Error

/** An outbound that answers from a script and remembers what was asked. */
function scripted(answer: (url: string, nth: number) => Answer | Promise<Answer>) {
  const asked: string[] = []
  const outbound: Outbound = {
    async fetch({ url, maxBytes }) {
      asked.push(url)
      const given = await answer(url, asked.filter((each) => each === url).length - 1)
      if (given instanceof Error) throw given
      const body = Buffer.from(typeof given.body === 'string' ? given.body : JSON.stringify(given.body))
      if (body.length > (maxBytes ?? 0)) throw new Refusal('outbound.too_large', 'too large')
      return { status: given.status ?? 200, headers: {}, body, finalAddress: '192.0.2.1' }
    },
  }
  return { outbound, asked }
}

function clock(start = '2026-01-01T00:00:00Z') {
  let time = Date.parse(start)
  const pass = (ms: number) => {
    time += ms
  }
  return { now: () => new Date(time), pass }
}

const document = (did = DID): DidDocument => webDidDocument(did, [KEY])
const found = (did = DID) => scripted(() => ({ body: document(did) }))

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work
    return 'fine'
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}

test('a document that publishes a private key does not resolve, and nothing of the key is told (D-162)', async (t) => {
  const secret = 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A'
  const published = document()
  const [method] = published.verificationMethod ?? []
  Object.assign(method ?? {}, { publicKeyJwk: { kty: 'OKP', crv: 'Ed25519', x: secret, d: secret } })
  const { outbound } = scripted(() => ({ body: published }))
  const error = await t.throwsAsync(createDidResolver({ outbound, now: clock().now }).resolve(DID), {
    instanceOf: Refusal,
  })
  t.is(error.code, 'did.unresolvable')
  t.false(error.message.includes(secret))
})

test('did:key resolves without the network, whatever its fragment', async (t) => {
  const { outbound, asked } = found()
  const resolver = createDidResolver({ outbound, now: clock().now })
  const resolved = await resolver.resolve(`${KEY_DID}#any`)
  t.like(resolved, { did: KEY_DID, source: 'key', retrievedAt: '2026-01-01T00:00:00.000Z' })
  t.deepEqual(resolved.document, resolveDidKey(KEY_DID))
  t.is((await resolver.resolve(KEY_DID)).document, resolved.document)
  t.deepEqual(asked, [])
})

test('other methods, malformed DIDs and malformed keys are refused by name', async (t) => {
  const resolver = createDidResolver({ ...found(), now: clock().now })
  t.is(await codeOf(resolver.resolve('did:ion:EiClkZMDxPKqC9c')), 'did.method_unsupported')
  t.is(await codeOf(resolver.resolve('did:example:123')), 'did.method_unsupported')
  t.is(await codeOf(resolver.resolve('did:key:zAAA')), 'did.invalid')
  t.is(await codeOf(resolver.resolve('did:web:127.0.0.1')), 'did.invalid')
  t.is(await codeOf(resolver.resolve('did:web:issuer.example:..')), 'did.invalid')
  t.is(await codeOf(resolver.resolve('https://issuer.example')), 'did.invalid')
})

test('a did:web is fetched where it says, checked, and kept five minutes', async (t) => {
  const { now, pass } = clock()
  const { outbound, asked } = found(`${DID}%3A8443:users:7`)
  const resolver = createDidResolver({ outbound, now })
  const did = `${DID}%3A8443:users:7`
  const { document: resolved, source } = await resolver.resolve(`${did}#key`)
  t.is(source, 'web')
  t.true(dereference(resolved, webMethodId(did, KEY), 'assertionMethod').authorized)
  pass(299_000)
  await resolver.resolve(did)
  t.deepEqual(asked, ['https://issuer.example:8443/users/7/did.json'])
  pass(2_000)
  await resolver.resolve(did)
  t.is(asked.length, 2)
})

const unusable: [why: string, answer: Answer][] = [
  ['is absent', { status: 404, body: 'not found' }],
  ['is behind an error', { status: 500, body: document() }],
  ['is of another DID', { body: document('did:web:other.example') }],
  ['is of the same host, another path', { body: document(`${DID}:a`) }],
  ['is HTML', { body: '<!doctype html>' }],
  ['is empty', { body: '' }],
  ['is null', { body: 'null' }],
  ['is an array', { body: [document()] }],
  ['is nested too deep', { body: `{"id":"${DID}","a":${'['.repeat(5000)}${']'.repeat(5000)}}` }],
  ['is larger than 256 kB', { body: { ...document(), note: 'x'.repeat(300_000) } }],
  ['has a member twice', { body: `{"id":"${DID}","id":"${DID}"}` }],
  ['is not UTF-8', { body: `{"id":"${DID}"}\u0000` }],
  ['cannot be reached', new Unavailable('outbound', 'no connection')],
  ['is at an inner address', new Refusal('outbound.blocked', 'not public')],
]
for (const [why, answer] of unusable) {
  test(`a did:web whose document ${why} does not resolve; ten seconds later it is looked at again`, async (t) => {
    const { now, pass } = clock()
    const { outbound, asked } = scripted((_url, nth) => (nth === 0 ? answer : { body: document() }))
    const resolver = createDidResolver({ outbound, now })
    t.is(await codeOf(resolver.resolve(DID)), 'did.unresolvable')
    pass(9_000)
    t.is(await codeOf(resolver.resolve(DID)), 'did.unresolvable')
    t.is(asked.length, 1)
    pass(2_000)
    t.is(await codeOf(resolver.resolve(DID)), 'fine')
    t.is(asked.length, 2)
  })
}

test('a host that was not called, because our line for it is long, has no failure', async (t) => {
  const busy = new OutboundFault('busy', 'Too many calls wait.')
  const { outbound, asked } = scripted((_url, nth) => (nth === 0 ? busy : { body: document() }))
  const resolver = createDidResolver({ outbound, now: clock().now })
  const error = await t.throwsAsync(resolver.resolve(DID), { instanceOf: Unavailable })
  t.false(isOutboundFault(error), 'no fact about the host')
  t.is(await codeOf(resolver.resolve(DID)), 'fine')
  t.is(asked.length, 2)
})

test('a look that fails takes no fresh document away from others', async (t) => {
  const { now, pass } = clock()
  const { outbound, asked } = scripted((_url, nth) => (nth === 1 ? { status: 503, body: '' } : { body: document() }))
  const resolver = createDidResolver({ outbound, now })
  t.is(await codeOf(resolver.resolve(DID)), 'fine')
  t.is(await codeOf(resolver.resolve(DID, { bypassCache: true })), 'did.unresolvable')
  t.is(await codeOf(resolver.resolve(DID)), 'fine')
  t.is(asked.length, 2)
  pass(301_000)
  t.is(await codeOf(resolver.resolve(DID)), 'fine')
  t.is(asked.length, 3, 'its time is that of its own read')
})

test('an error of our own is no verdict on the DID: it passes through and is not remembered', async (t) => {
  const { outbound, asked } = scripted((_url, nth) => (nth === 0 ? new TypeError('ours') : { body: document() }))
  const resolver = createDidResolver({ outbound, now: clock().now })
  await t.throwsAsync(resolver.resolve(DID), { instanceOf: TypeError })
  t.is(await codeOf(resolver.resolve(DID)), 'fine')
  t.is(asked.length, 2)
})

test('200 verifications at once fetch an issuer once', async (t) => {
  let release = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const { outbound, asked } = scripted(async () => {
    await gate
    return { body: document() }
  })
  const resolver = createDidResolver({ outbound, now: clock().now })
  const all = Array.from({ length: 200 }, () => resolver.resolve(DID))
  release()
  t.is(new Set((await Promise.all(all)).map((resolved) => resolved.document)).size, 1)
  t.is(asked.length, 1)
})

test('a DID that we host is found without a call, unless the world is asked', async (t) => {
  const { outbound, asked } = found()
  const local = async (did: string) => (did === DID ? document() : undefined)
  const resolver = createDidResolver({ outbound, now: clock().now, local })
  t.is((await resolver.resolve(DID)).source, 'local')
  t.deepEqual(asked, [])
  t.is((await resolver.resolve(DID, { bypassCache: true })).source, 'web')
  t.is((await resolver.resolve(DID, { bypassCache: true })).source, 'web')
  t.is(asked.length, 2)
})

test('bypassing the cache sees through a remembered failure, and repairs it', async (t) => {
  const { outbound, asked } = scripted((_url, nth) => (nth === 0 ? { status: 404, body: '' } : { body: document() }))
  const resolver = createDidResolver({ outbound, now: clock().now })
  t.is(await codeOf(resolver.resolve(DID)), 'did.unresolvable')
  t.is(await codeOf(resolver.resolve(DID, { bypassCache: true })), 'fine')
  t.is(await codeOf(resolver.resolve(DID)), 'fine')
  t.is(asked.length, 2)
})

test('a forgotten DID is fetched afresh', async (t) => {
  const { outbound, asked } = found()
  const resolver = createDidResolver({ outbound, now: clock().now })
  await resolver.resolve(DID)
  resolver.forget(DID)
  await resolver.resolve(DID)
  t.is(asked.length, 2)
})

test('a cached document is shared, so nobody can change it', async (t) => {
  const resolver = createDidResolver({ ...found(), now: clock().now })
  const { document: shared } = await resolver.resolve(DID)
  t.throws(() => shared.verificationMethod?.push({ id: '#evil', type: 'Multikey', controller: DID }), {
    instanceOf: TypeError,
  })
  t.throws(() => Object.assign(shared.verificationMethod?.[0] ?? {}, { publicKeyMultibase: 'z' }), {
    instanceOf: TypeError,
  })
})

test('the cache has a bound: 1,500 issuers do not grow it past 1,000', async (t) => {
  const dids = Array.from({ length: 1500 }, (_, index) => `did:web:i${index}.example`)
  const { outbound, asked } = scripted((url) => ({ body: document(`did:web:${new URL(url).hostname}`) }))
  const resolver = createDidResolver({ outbound, now: clock().now })
  for (const did of dids) await resolver.resolve(did)
  await resolver.resolve(dids[1499] ?? '')
  t.is(asked.length, 1500)
  await resolver.resolve(dids[0] ?? '')
  t.is(asked.length, 1501)
})

test('over real TLS and DNS: a published did:web resolves, one whose name leads inside does not', async (t) => {
  const [authority, dns] = [await createTestAuthority(), await startTestDns({ 'issuer.test': { A: ['127.0.0.1'] } })]
  const accepted: (string | undefined)[] = []
  const site = await listenTls(await authority.issue(['issuer.test']), ({ url, headers }, response) => {
    accepted.push(headers.accept)
    if (url === '/.well-known/did.json') response.end(JSON.stringify(document(did)))
    else response.writeHead(404).end()
  })
  const did = `did:web:issuer.test%3A${site.port}`
  const config = { timeoutMs: 3000, maxBytes: 1_000_000, caFile: authority.file, dnsServer: dns.address }
  const open = createOutbound({ ...config, allowedRanges: ['127.0.0.1/32'] })
  const closed = createOutbound({ ...config, allowedRanges: [] })
  t.is((await createDidResolver({ outbound: open, now: () => new Date() }).resolve(did)).document.id, did)
  t.is(
    await codeOf(createDidResolver({ outbound: open, now: () => new Date() }).resolve(`${did}:a`)),
    'did.unresolvable',
  )
  t.is(await codeOf(createDidResolver({ outbound: closed, now: () => new Date() }).resolve(did)), 'did.unresolvable')
  t.is(accepted.length, 2)
  t.regex(accepted[0] ?? '', /application\/did\+json.*application\/json/)
  await site.close()
  await dns.close()
  authority.close()
})
