import { randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import test from 'ava'
import { connect, idempotencyKey, type Options, Problem } from '../../client/index.ts'
import { answering, token, unauthorized } from '../support/client/answering.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld({ env: { ACCESS_TOKEN_LIFETIME_SECONDS: '300' } })
})
test.after.always(() => world?.close())

const KEY = { method: 'KEY', options: { keyType: 'ed25519' } } as const

/** A connection whose requests are counted, and whose clock stands still until it is moved. */
function counted(more: Partial<Options> = {}) {
  const asked: { path: string; key: string | null; token: string | null }[] = []
  let time = 0
  const client = connect({
    baseUrl: world.url,
    ...world.first,
    now: () => time,
    fetch(request) {
      const { headers } = request
      const path = new URL(request.url).pathname
      asked.push({ path, key: headers.get('idempotency-key'), token: headers.get('authorization') })
      return fetch(request)
    },
    ...more,
  })
  return {
    client,
    asked,
    tokens: () => asked.filter(({ path }) => path === '/v1/auth/token').length,
    pass: (seconds: number) => {
      time += seconds * 1000
    },
  }
}

test('nothing is asked before the first call; 20 calls at once share one token', async (t) => {
  const { client, asked, tokens } = counted()
  t.deepEqual(asked, [])
  await Promise.all(Array.from({ length: 20 }, () => client.get('/v1/dids')))
  t.is(tokens(), 1)
  t.is(asked.length, 21)
})

test('the token is used until a minute before its end, then renewed', async (t) => {
  const { client, tokens, pass } = counted()
  const first = await client.token()
  pass(239)
  t.is(await client.token(), first)
  pass(2)
  t.not(await client.token(), first)
  t.is(tokens(), 2)
})

test('of a token that lives shorter than two minutes the second half is kept in reserve', async (t) => {
  let time = 0
  let given = 0
  const client = connect({
    baseUrl: 'https://id.example',
    clientId: 'a',
    clientSecret: 'b',
    now: () => time,
    fetch: async () => Response.json({ access_token: `token-${++given}`, expires_in: 10, token_type: 'Bearer' }),
  })
  t.is(await client.token(), 'token-1')
  time = 4_999
  t.is(await client.token(), 'token-1')
  time = 5_000
  t.is(await client.token(), 'token-2')
})

test('a call that answers 401 is repeated once, whole, with another token', async (t) => {
  const { client, asked } = answering(token('old'), unauthorized, token('new'), () =>
    Response.json({ did: 'did:key:z' }, { status: 201 }),
  )
  t.is((await client.post('/v1/dids', { body: KEY, headers: idempotencyKey('one') })).did, 'did:key:z')
  const [, before, , after] = asked
  t.deepEqual([before?.headers.get('authorization'), after?.headers.get('authorization')], ['Bearer old', 'Bearer new'])
  t.deepEqual([before?.headers.get('idempotency-key'), after?.headers.get('idempotency-key')], ['one', 'one'])
  t.is(after?.url, 'https://id.example/v1/dids')
})

test('a call that answers 401 twice is refused with it', async (t) => {
  const { client, asked } = answering(token('old'), unauthorized, token('new'), unauthorized)
  const problem = await t.throwsAsync<Problem>(client.get('/v1/dids'), { instanceOf: Problem })
  t.like(problem, { status: 401, code: 'token.invalid' })
  t.is(asked.length, 4)
})

test('calls that are refused at once share one new token', async (t) => {
  const { client, tokens } = counted()
  const real = await client.token()
  const refused = counted({
    fetch: (request) => {
      const path = new URL(request.url).pathname
      if (path === '/v1/auth/token' && refused.asked.filter((each) => each.path === path).length === 0) {
        refused.asked.push({ path, key: null, token: null })
        return Promise.resolve(token('no-token')())
      }
      refused.asked.push({ path, key: null, token: request.headers.get('authorization') })
      return fetch(request)
    },
  })
  const replies = await Promise.all(Array.from({ length: 5 }, () => refused.client.get('/v1/dids')))
  t.is(replies.length, 5)
  t.is(refused.tokens(), 2)
  t.not(real, 'no-token')
  t.is(tokens(), 1)
})

test('an upload is not repeated, since nobody wants a copy of it in memory', async (t) => {
  const { client, asked } = answering(token('old'), unauthorized)
  const upload = client.post('/v1/credentials/batches', {
    headers: { 'content-type': 'text/csv' },
    body: 'id\n',
    bodySerializer: (text) => text,
  })
  t.like(await t.throwsAsync<Problem>(upload, { instanceOf: Problem }), { status: 401 })
  t.is(asked.length, 2)
})

test('a wrong secret is a Problem for all who waited for it, and the next call asks again', async (t) => {
  const { client, tokens } = counted({ clientSecret: 'not-the-secret' })
  const results = await Promise.allSettled([client.get('/v1/dids'), client.get('/v1/dids')])
  for (const result of results) {
    if (result.status === 'fulfilled') return t.fail()
    t.true(result.reason instanceof Problem)
    t.like(result.reason, { status: 401, code: 'token.invalid_client' })
    t.false(inspect(result.reason).includes('not-the-secret'))
  }
  await t.throwsAsync(client.get('/v1/dids'), { instanceOf: Problem })
  t.is(tokens(), 2)
})

test('the scope asked for is the token’s: what it does not hold is refused', async (t) => {
  const { client } = counted({ scope: 'dids:read' })
  t.is((await client.get('/v1/dids')).limit, 20)
  const refused = client.post('/v1/dids', { body: KEY })
  t.like(await t.throwsAsync<Problem>(refused, { instanceOf: Problem }), {
    status: 403,
    code: 'token.insufficient_scope',
  })
})

test('a refusal has code, detail, fields and the id of the request in the log', async (t) => {
  const { client } = counted()
  const { status } = await client.http.GET('/v1/dids').then(({ response }) => response)
  t.is(status, 200)
  const refused = client.put('/v1/settings', { body: { fetchUnknownContexts: 'yes' as never, vcApi: true } })
  const problem = await t.throwsAsync<Problem>(refused, { instanceOf: Problem })
  t.is(problem?.status, 400)
  t.deepEqual(
    problem?.errors.map(({ path }) => path),
    ['fetchUnknownContexts'],
  )
  t.regex(problem?.instance ?? '', /^[0-9a-f-]{36}$/)
  t.true(problem?.message.includes('fetchUnknownContexts'))
})

test('an answer that is no problem, as of a proxy, is one with its status and without a code', async (t) => {
  const page = () => new Response('<h1>Bad Gateway</h1>', { status: 502, headers: { 'retry-after': '7' } })
  const { client } = answering(token('a'), page)
  const problem = await t.throwsAsync<Problem>(client.get('/v1/dids'), { instanceOf: Problem })
  t.like(problem, { status: 502, code: '', retryAfterSeconds: 7, instance: undefined })
  const { client: other } = answering(page)
  t.like(await t.throwsAsync<Problem>(other.get('/v1/dids'), { instanceOf: Problem }), { status: 502 })
})

test('each gives every row of a list once, whatever its casing, and asks for no page more than there are', async (t) => {
  const tenant = await world.addTenant()
  const { client, asked } = counted(tenant)
  const made: string[] = []
  for (let nth = 0; nth < 5; nth++) made.push((await client.post('/v1/dids', { body: KEY })).did)
  const seen: string[] = []
  for await (const { did } of client.each('/v1/dids', { query: { limit: 2 } })) seen.push(did)
  t.deepEqual(seen.toSorted(), made.toSorted())
  t.is(asked.filter(({ path }) => path === '/v1/dids').length, 5 + 3)
  const none: unknown[] = []
  for await (const row of client.each('/v1/credentials/web-semantic', { query: { tag: 'none' } })) none.push(row)
  t.deepEqual(none, [])
})

test('a write that is repeated with its key happens once; idempotencyKey makes another each time', async (t) => {
  const { client } = counted(await world.addTenant())
  const headers = idempotencyKey()
  const [first, second] = [
    await client.post('/v1/dids', { body: KEY, headers }),
    await client.post('/v1/dids', { body: KEY, headers }),
  ]
  t.is(first.did, second.did)
  t.is((await client.get('/v1/dids')).totalCount, 1)
  t.notDeepEqual(idempotencyKey(), headers)
  t.deepEqual(idempotencyKey('own'), { 'Idempotency-Key': 'own' })
})

test('what is deleted answers nothing, and is then a Problem', async (t) => {
  const { client } = counted()
  const { did } = await client.post('/v1/dids', { body: KEY })
  const at = { params: { path: { id: did } } }
  t.is(await client.delete('/v1/dids/{id}', at), undefined)
  t.like(await t.throwsAsync<Problem>(client.get('/v1/dids/{id}', at)), { status: 404, code: 'did.not_found' })
})

test('a connection shows its secret to nobody who prints it', (t) => {
  const clientSecret = randomUUID()
  const client = connect({ baseUrl: 'https://id.example', clientId: 'a', clientSecret })
  t.false(inspect(client, { depth: 10, showHidden: true }).includes(clientSecret))
  t.false(JSON.stringify(client).includes(clientSecret))
})

test('an authorization of the caller’s own is sent as it is', async (t) => {
  const { client, tokens } = counted()
  const refused = client.get('/v1/dids', { headers: { authorization: 'Bearer own' } })
  t.like(await t.throwsAsync<Problem>(refused, { instanceOf: Problem }), { status: 401 })
  t.is(tokens(), 0)
})
