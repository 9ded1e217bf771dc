import test from 'ava'
import {
  type ContextRows,
  contextHash,
  createContextStore,
  type PinnedContext,
} from '../../../activities/frame/contexts.ts'
import type { Outbound } from '../../../activities/frame/outbound/index.ts'
import { Refusal, Unavailable } from '../../../protocol/errors.ts'

const URL_A = 'https://schema.test/a.jsonld'
const CONTEXT = '{"@context":{"@version":1.1,"name":"https://schema.test/#name"}}'

/** Rows in memory, with the promise of the table: the first insert of a tenant's URL stands. */
function memoryRows() {
  const table = new Map<string, PinnedContext>()
  const rows: ContextRows = {
    find: async (tenantId, url) => table.get(`${tenantId} ${url}`),
    findAll: async (tenantId, urls) => urls.flatMap((url) => table.get(`${tenantId} ${url}`) ?? []),
    insert: async (tenantId, context) => {
      const key = `${tenantId} ${context.url}`
      const standing = table.get(key) ?? context
      table.set(key, standing)
      return standing
    },
    async markRegistered(tenantId, url) {
      const context = table.get(`${tenantId} ${url}`)
      if (context) table.set(`${tenantId} ${url}`, { ...context, source: 'registered' })
    },
    count: async (tenantId, source) =>
      [...table].filter(([key, context]) => key.startsWith(`${tenantId} `) && context.source === source).length,
  }
  return { rows, table }
}

function parts(answer: (nth: number) => string | Buffer | Error | number = () => CONTEXT) {
  const { rows, table } = memoryRows()
  const asked: string[] = []
  let time = Date.parse('2026-01-01T00:00:00Z')
  const outbound: Outbound = {
    async fetch({ url, accept = '' }) {
      const given = answer(asked.length)
      asked.push(`${url} ${accept}`)
      if (given instanceof Error) throw given
      const status = typeof given === 'number' ? given : 200
      return {
        status,
        headers: {},
        body: Buffer.from(typeof given === 'number' ? '' : given),
        finalAddress: '192.0.2.1',
      }
    },
  }
  const store = () => createContextStore({ outbound, rows, now: () => new Date(time) })
  const pass = (ms: number) => {
    time += ms
  }
  return { store, asked, table, pass }
}

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work
    return 'fine'
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}

const FETCH = { allowFetch: async () => true }

test('an unknown context is fetched on first use, pinned by SHA-256, and never fetched again', async (t) => {
  const { store, asked, table } = parts((nth) => (nth === 0 ? CONTEXT : '{"@context":{"name":"https://evil.test/"}}'))
  const first = store()
  const pinned = await first.lookup('t1', URL_A, FETCH)
  t.deepEqual(pinned, {
    url: URL_A,
    sha256: contextHash(CONTEXT),
    document: CONTEXT,
    source: 'fetched',
    createdAt: '2026-01-01T00:00:00.000Z',
  })
  t.regex(asked[0] ?? '', /application\/ld\+json, application\/json/)
  t.is((await first.lookup('t1', URL_A, FETCH)).document, CONTEXT)
  t.is((await store().lookup('t1', URL_A, { allowFetch: async () => false })).document, CONTEXT) // another process reads the row
  t.is(asked.length, 1)
  t.is(table.size, 1)
})

test('where fetching is turned off an unknown context is refused, naming the URL', async (t) => {
  const { store, asked } = parts()
  const error = await t.throwsAsync(store().lookup('t1', URL_A, { allowFetch: async () => false }), {
    instanceOf: Refusal,
  })
  t.is(error?.code, 'context.unknown')
  t.true(error?.message.includes(URL_A))
  t.deepEqual(asked, [])
})

test('one tenant’s pinned context is not another’s', async (t) => {
  const { store, asked } = parts()
  const contexts = store()
  await contexts.lookup('t1', URL_A, FETCH)
  t.is(await codeOf(contexts.lookup('t2', URL_A, { allowFetch: async () => false })), 'context.unknown')
  await contexts.lookup('t2', URL_A, FETCH)
  t.is(asked.length, 2)
})

test('changed content under a pinned URL is a failure, never an update', async (t) => {
  const { store } = parts((nth) => (nth === 0 ? CONTEXT : `${CONTEXT} `))
  const contexts = store()
  await contexts.register('t1', URL_A)
  t.is(await codeOf(contexts.check('t1', URL_A)), 'context.changed')
  t.is(await codeOf(contexts.register('t1', URL_A)), 'context.changed')
  t.is((await contexts.lookup('t1', URL_A, FETCH)).document, CONTEXT)
  t.is(await codeOf(contexts.check('t1', 'https://schema.test/b')), 'context.unknown')
})

test('a registered context says so, and registering it again with the same content is fine', async (t) => {
  const { store } = parts()
  t.is((await store().register('t1', URL_A)).source, 'registered')
  t.is((await store().register('t1', URL_A)).source, 'registered')
})

test('a row whose text is not what was pinned is refused', async (t) => {
  const { store, table } = parts()
  await store().lookup('t1', URL_A, FETCH)
  const [[key, row] = []] = [...table]
  if (key && row) table.set(key, { ...row, document: '{"@context":{}}' })
  t.is(await codeOf(store().lookup('t1', URL_A, FETCH)), 'context.changed')
})

test('a tenant has 1,000 contexts of each source, and what strangers bring takes nothing from what it registers (D-132)', async (t) => {
  const { store, asked } = parts()
  const contexts = store()
  for (let at = 0; at < 1_000; at++) await contexts.lookup('one', `https://schema.test/${at}`, FETCH)
  t.is(await codeOf(contexts.lookup('one', 'https://schema.test/more', FETCH)), 'context.too_many')
  t.is(asked.length, 1_000)
  t.is(await codeOf(contexts.lookup('one', 'https://schema.test/7', FETCH)), 'fine')
  t.is(await codeOf(contexts.lookup('other', 'https://schema.test/more', FETCH)), 'fine')
  for (let at = 0; at < 1_000; at++) await contexts.register('one', `https://schema.test/own/${at}`)
  t.is(await codeOf(contexts.register('one', 'https://schema.test/own/more')), 'context.too_many')
})

test('a context that names what reaches prototypes is none', async (t) => {
  for (const name of ['__proto__', 'constructor', 'prototype']) {
    const { store, table } = parts(() => `{"@context":{"a":{"@id":"https://schema.test/#a","${name}":{}}}}`)
    t.is(await codeOf(store().lookup('one', URL_A, FETCH)), 'context.invalid', name)
    t.is(table.size, 0)
  }
})

test('two processes that fetch at once agree on the row that came first', async (t) => {
  const { store } = parts((nth) => `{"@context":{"nth":"https://schema.test/#${nth}"}}`)
  const [one, two] = await Promise.all([store().lookup('t1', URL_A, FETCH), store().lookup('t1', URL_A, FETCH)])
  t.is(one.document, two.document)
})

test('50 lookups at once in one process fetch once', async (t) => {
  const { store, asked } = parts()
  const contexts = store()
  await Promise.all(Array.from({ length: 50 }, () => contexts.lookup('t1', URL_A, FETCH)))
  t.is(asked.length, 1)
})

const bad: [why: string, answer: string | Buffer | Error | number, code: string][] = [
  ['is absent', 404, 'context.unavailable'],
  ['is at an inner address', new Refusal('outbound.blocked', 'not public'), 'context.unavailable'],
  ['cannot be reached', new Unavailable('outbound', 'no connection'), 'context.unavailable'],
  ['is too large', new Refusal('outbound.too_large', 'too large'), 'context.unavailable'],
  ['is HTML', '<html></html>', 'context.invalid'],
  ['is an array', '[]', 'context.invalid'],
  ['is null', 'null', 'context.invalid'],
  ['has no @context', '{"name":"x"}', 'context.invalid'],
  ['inherits its @context', '{"__proto__":{"@context":{}}}', 'context.invalid'],
  ['is 65 levels deep', `{"@context":${'['.repeat(64)}${']'.repeat(64)}}`, 'context.invalid'],
  ['is 100,000 levels deep', `{"@context":${'['.repeat(100_000)}`, 'context.invalid'],
  ['has a member twice', '{"@context":{"a":"https://schema.test/#a","a":"https://schema.test/#b"}}', 'context.invalid'],
  ['is UTF-16', Buffer.from(CONTEXT, 'utf16le'), 'context.invalid'],
  ['begins with a byte order mark', `\uFEFF${CONTEXT}`, 'context.invalid'],
]
for (const [why, answer, code] of bad) {
  test(`a context that ${why} is refused, pinned nowhere, and not asked for again for ten seconds`, async (t) => {
    const { store, asked, table, pass } = parts((nth) => (nth === 0 ? answer : CONTEXT))
    const contexts = store()
    t.is(await codeOf(contexts.lookup('t1', URL_A, FETCH)), code)
    t.is(await codeOf(contexts.lookup('t2', URL_A, FETCH)), code)
    t.is(asked.length, 1)
    t.is(table.size, 0)
    pass(11_000)
    t.is(await codeOf(contexts.lookup('t1', URL_A, FETCH)), 'fine')
  })
}
