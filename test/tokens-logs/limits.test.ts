import test from 'ava'
import { openWorld, type World } from '../support/world.ts'

const CALLS = 40
const TOKENS = 12

let world: World
test.before(async () => {
  world = await openWorld({
    env: { RATE_LIMIT_PER_MINUTE: String(CALLS), TOKEN_RATE_LIMIT_PER_MINUTE: String(TOKENS) },
  })
})
test.after.always(() => world?.close())

const seconds = (headers: Headers) => Number(headers.get('retry-after'))

/** Asks until it is refused, or `most` times. */
async function untilRefused(
  most: number,
  ask: (nth: number) => Promise<{ status: number; headers: Headers; text: string }>,
) {
  const replies = []
  for (let nth = 0; nth < most; nth++) {
    const reply = await ask(nth)
    replies.push(reply)
    if (reply.status === 429) break
  }
  return replies
}

test.serial('a client has its requests per minute and is told how many are left', async (t) => {
  const client = await world.addTenant()
  const token = await world.tokenOf(client)
  const replies = await untilRefused(CALLS + 5, () => world.ask('/v1/dids?limit=0', { token }))
  t.is(replies.length, CALLS + 1)
  t.true(replies.slice(0, -1).every(({ status }) => status === 200))
  const [first] = replies
  t.regex(first?.headers.get('ratelimit-policy') ?? '', new RegExp(`"api"; ?q=${CALLS}; ?w=60`))
  t.regex(first?.headers.get('ratelimit') ?? '', new RegExp(`"api"; ?r=${CALLS - 1}; ?t=\\d+`))
  const last = replies.at(-1)
  t.is(last?.status, 429)
  t.true(seconds(last?.headers ?? new Headers()) >= 1 && seconds(last?.headers ?? new Headers()) <= 60)
  const problem = JSON.parse(last?.text ?? '{}') as Record<string, unknown>
  t.like(problem, { type: '/problems#request.too_many', status: 429 })
  t.is(problem.instance, last?.headers.get('x-request-id'))
  t.is(last?.headers.get('content-type'), 'application/problem+json')
})

test.serial('what gains nothing: another token, another spelling, another address in a header', async (t) => {
  const client = await world.addTenant()
  const token = await world.tokenOf(client)
  await untilRefused(CALLS + 5, () => world.ask('/v1/dids?limit=0', { token }))
  const again = (path: string, headers: Record<string, string> = {}) => world.ask(path, { token, headers })
  for (let nth = 0; nth < 5; nth++) {
    const forwarded = `10.0.0.${nth}`
    const headers = { 'x-forwarded-for': forwarded, forwarded: `for=${forwarded}`, 'x-real-ip': forwarded }
    t.is((await again('/v1/dids?limit=0', headers)).status, 429)
  }
  for (const path of ['/core/v1/dids', '/v1/dids/', '/V1/dids', '/v1//dids', '/v1/nothing', '/v1/dids?x'])
    t.is((await again(path)).status, 429, path)
  const write = await world.ask('/v1/dids', {
    token,
    body: { method: 'KEY', options: {} },
    headers: { 'idempotency-key': 'k' },
  })
  t.is(write.status, 429)
  const other = await world.addTenant()
  const others = await world.tokenOf(other)
  t.is((await world.ask('/v1/dids', { token: others })).status, 200, 'another client is not held up')
  t.is((await world.ask('/health/live')).status, 200)
})

test.serial('guesses at tokens count for the address they come from', async (t) => {
  const replies = await untilRefused(CALLS + 5, (nth) => world.ask('/v1/dids', { token: `a.b.${nth}` }))
  t.is(replies.at(-1)?.status, 429)
  t.true(replies.slice(0, -1).every(({ status }) => status === 401))
})

test.serial('guesses at secrets count for the address, on every spelling of the token endpoint', async (t) => {
  const spellings = ['/v1/auth/token', '/oauth/token', '/core/v1/auth/token']
  const replies = await untilRefused(TOKENS + 5, (nth) =>
    world.ask(spellings[nth % spellings.length] ?? '', {
      body: { clientId: world.first.clientId, clientSecret: String(nth), grantType: 'client_credentials' },
      headers: { 'x-forwarded-for': `10.1.0.${nth}`, forwarded: `for=10.1.0.${nth}` },
    }),
  )
  t.is(replies.length, TOKENS + 1)
  t.is(replies.at(-1)?.status, 429)
  for (const path of spellings) {
    const { clientId, clientSecret } = world.first
    const body = (secret: string) => ({ clientId, clientSecret: secret, grantType: 'client_credentials' })
    t.is((await world.ask(path, { body: body('wrong') })).status, 429, path)
    t.is((await world.ask(path, { body: body(clientSecret) })).status, 200, `${path}: a right secret (D-199)`)
  }
  t.is((await world.ask('/V1/auth/token', { body: {} })).status, 429, 'no token there, and no more guesses either')
})
