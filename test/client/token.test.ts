import { STATUS_CODES } from 'node:http'
import test from 'ava'
import { connectWith, Problem } from '../../client/index.ts'
import { answering, refused, token, unauthorized } from '../support/client/answering.ts'

const list = () => Response.json({ dids: [], totalCount: 0, totalPages: 0, limit: 20, page: 1 })
const broken = () => {
  throw new TypeError('fetch failed')
}
const tokensOf = (asked: Request[]) => asked.map(({ headers }) => headers.get('authorization'))
const LOGIN = { email: 'ada@example.com', password: 'a wrong password' }

test('a token that an upload finds refused is not used again', async (t) => {
  const { client, asked } = answering(token('old'), unauthorized, token('new'), list)
  const upload = client.post('/v1/credentials/batches', {
    headers: { 'content-type': 'text/csv' },
    body: 'id\n',
    bodySerializer: (text) => text,
  })
  t.like(await t.throwsAsync<Problem>(upload, { instanceOf: Problem }), { status: 401 })
  await client.get('/v1/dids')
  t.deepEqual(tokensOf(asked), [null, 'Bearer old', null, 'Bearer new'])
})

test('a token that was refused is discarded, and no other one', async (t) => {
  const discarded: string[] = []
  const tokens = { current: async () => 'a', discard: (each: string) => discarded.push(each) }
  const answers = [refused, unauthorized, list]
  const calls = connectWith({ baseUrl: 'https://id.example', tokens, fetch: async () => (answers.shift() ?? list)() })
  await t.throwsAsync(calls.get('/v1/dids'), { instanceOf: Problem })
  t.deepEqual(discarded, [])
  await calls.get('/v1/dids')
  t.deepEqual(discarded, ['a'])
})

test('a 401 that is the operation’s own answer is not sent again: a login would count as another wrong password', async (t) => {
  const { client, asked } = answering(token('a'), refused)
  const problem = await t.throwsAsync<Problem>(client.post('/v1/auth/login', { body: LOGIN }), { instanceOf: Problem })
  t.like(problem, { status: 401, code: 'login.refused' })
  t.is(asked.length, 2)
})

test('a call that is given up does not wait for the token, nor for another one', async (t) => {
  const never = () => new Promise<Response>(() => undefined)
  for (const answers of [[never], [token('old'), unauthorized, never]]) {
    const { client } = answering(...answers)
    const gone = new AbortController()
    const call = client.get('/v1/dids', { signal: gone.signal })
    setTimeout(() => gone.abort(new Error('enough')), 20)
    await t.throwsAsync(call, { message: 'enough' })
  }
  const { client, asked } = answering(token('a'), list)
  await t.throwsAsync(client.get('/v1/dids', { signal: AbortSignal.abort(new Error('enough')) }), { message: 'enough' })
  t.is((await client.get('/v1/dids')).limit, 20, 'others go on')
  t.is(asked.length, 2)
})

test.serial('a token request that nobody answers ends', async (t) => {
  const { client, asked } = answering(
    ({ signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    token('a'),
  )
  const real = AbortSignal.timeout
  t.teardown(() => {
    AbortSignal.timeout = real
  })
  let ms = 0
  AbortSignal.timeout = (given) => {
    ms = given
    return real(20)
  }
  const alive = setTimeout(() => undefined, 5_000) // the signal's own timer keeps no process alive
  await t.throwsAsync(client.token(), { name: 'TimeoutError' })
  clearTimeout(alive)
  t.is(ms, 30_000)
  AbortSignal.timeout = real
  t.is(await client.token(), 'a')
  t.is(asked.length, 2)
})

test('while the held token lives, a renewal that fails breaks no call; it is tried again after 10 seconds', async (t) => {
  const { client, asked, pass } = answering(token('old'), broken, broken, token('new'))
  t.is(await client.token(), 'old')
  pass(3541)
  t.is(await client.token(), 'old')
  pass(9)
  t.is(await client.token(), 'old')
  t.is(asked.length, 2)
  pass(2)
  t.is(await client.token(), 'old')
  t.is(asked.length, 3)
  pass(20)
  t.is(await client.token(), 'new')
})

test('a token that has ended, or was refused, is not given when its renewal fails', async (t) => {
  const { client, pass } = answering(token('old'), broken, broken, token('new'), unauthorized, broken)
  await client.token()
  pass(3595)
  t.is(await client.token(), 'old')
  pass(5)
  await t.throwsAsync(client.token(), { message: 'fetch failed' })
  t.is(await client.token(), 'new')
  await t.throwsAsync(client.get('/v1/dids'), { message: 'fetch failed' })
})

for (const [what, answer] of [
  ['a page of HTML', () => new Response('<h1>Log in to the hotel</h1>')],
  ['no lifetime', () => Response.json({ access_token: 'a' })],
  ['a lifetime that is no number', () => Response.json({ access_token: 'a', expires_in: 'soon' })],
  ['no token', () => Response.json({ expires_in: 3600 })],
  ['null', () => Response.json(null)],
] as const)
  test(`${what} in place of a token is an error that says who answered`, async (t) => {
    const { client } = answering(answer)
    const { message } = (await t.throwsAsync(client.token())) ?? {}
    t.regex(
      String(message),
      /^200 from https:\/\/id\.example\/v1\/auth\/token: the answer is not of a Countersign platform/,
    )
  })

for (const body of [
  { errors: null },
  { errors: { email: ['is taken'] } },
  { errors: ['one', null, { path: 7 }] },
  { type: null, title: null, detail: 7, instance: {} },
  { type: {}, title: [], detail: {} },
  [],
  'text',
  null,
])
  test(`a refusal of a proxy keeps its status: ${JSON.stringify(body)}`, async (t) => {
    const answer = () => Response.json(body, { status: 502, statusText: STATUS_CODES[502] })
    for (const answers of [[token('a'), answer], [answer]]) {
      const call = answering(...answers).client.get('/v1/dids')
      const problem = await t.throwsAsync<Problem>(call, { instanceOf: Problem })
      t.like(problem, { status: 502, code: '', title: 'Bad Gateway', detail: 'Bad Gateway', instance: undefined })
      t.deepEqual(problem?.errors, [])
    }
  })

test('of the fields that a refusal names, those are read that have a message', async (t) => {
  const errors = [{ path: 'a', code: 'enum', message: 'm' }, { message: 'whole' }, { path: 'b' }]
  const { client } = answering(token('a'), () => Response.json({ errors }, { status: 400 }))
  const problem = await t.throwsAsync<Problem>(client.get('/v1/dids'))
  t.deepEqual(problem?.errors, [
    { path: 'a', code: 'enum', message: 'm' },
    { path: '', code: '', message: 'whole' },
  ])
})

for (const [header, seconds] of [
  ['7', 7],
  ['Sun, 06 Nov 1994 08:49:57 GMT', 20],
  ['Sun, 06 Nov 1994 08:49:00 GMT', 0],
  ['-5', undefined],
  ['soon', undefined],
  ['', undefined],
] as const)
  test(`Retry-After: ${header} is ${seconds} seconds`, async (t) => {
    const headers = { 'retry-after': header, date: 'Sun, 06 Nov 1994 08:49:37 GMT' }
    const { client } = answering(token('a'), () => new Response('', { status: 503, headers }))
    t.is((await t.throwsAsync<Problem>(client.get('/v1/dids')))?.retryAfterSeconds, seconds)
  })
