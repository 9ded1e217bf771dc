import { randomUUID } from 'node:crypto'
import test from 'ava'
import { decodeJwt } from 'jose'
import { addAccount, browserAt, Jar, newEmail, type SessionToken, tokenOfPerson } from '../../support/accounts.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

// no worker: login needs none
let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const change = (text: string, ...values: unknown[]) =>
  world.dependencies.systemSql.query<Record<string, unknown>>({ text, values })
const problem = (reply: Reply) => [reply.status, reply.json<{ type: string }>().type.replace('/problems#', '')]
const opened = (reply: Reply) => reply.json<SessionToken>()

const told = ({ status, headers, text }: Reply) => ({
  status,
  text: text.replace(/"instance":"[^"]+"/, ''),
  headers: [...headers.keys()].filter((name) => !['x-request-id', 'date', 'ratelimit'].includes(name)).sort(),
})

test('a session has a short token and cookies that no script and no other site gets', async (t) => {
  const account = await addAccount(world)
  const browser = browserAt(world)
  const reply = await browser.login(account)
  t.is(reply.status, 200, reply.text)
  const session = opened(reply)
  t.like(session, {
    expires_in: 600,
    token_type: 'Bearer',
    scope: 'accounts:read accounts:write',
    account_id: account.id,
    tenant_id: null,
  })
  const claims = decodeJwt(session.access_token)
  t.is(claims.sub, account.id)
  t.is(claims.tenant_id, world.first.tenantId)
  t.is(Number(claims.exp) - Number(claims.iat), 600)
  t.is(browser.jar.lines.length, 2)
  for (const line of browser.jar.lines) {
    t.regex(line, /; HttpOnly/)
    t.regex(line, /; SameSite=Strict/)
    t.regex(line, /; Path=\/v1\/auth/)
    t.notRegex(line, /Secure|Domain/, 'this world is reached by http')
  }
  t.false(reply.text.includes([...browser.jar.cookies.values()][0] ?? ''))
})

test('an unknown address, a wrong password and no address have one answer', async (t) => {
  const account = await addAccount(world)
  const answers = [
    await browserAt(world).login({ ...account, password: 'not the password' }),
    await browserAt(world).login({ email: newEmail(), password: account.password }),
    await browserAt(world).login({ email: 'nobody', password: account.password }),
    await browserAt(world).login({ ...account, password: '' }),
  ]
  t.deepEqual(problem(answers[0] as Reply), [401, 'login.refused'])
  for (const answer of answers) t.deepEqual(told(answer), told(answers[0] as Reply))
})

test('a password of a megabyte is refused before anything is hashed', async (t) => {
  const account = await addAccount(world)
  const reply = await browserAt(world).login({ ...account, password: 'x'.repeat(1_000_000) })
  t.is(reply.status, 400)
  t.like(reply.json(), { errors: [{ path: 'password' }] })
})

test('a refresh token is good once: the second use ends the session', async (t) => {
  const browser = browserAt(world)
  const account = await addAccount(world)
  await browser.login(account)
  const stolen = new Jar()
  for (const [name, value] of browser.jar.cookies) stolen.cookies.set(name, value)
  const refreshed = await browser.refresh()
  t.is(refreshed.status, 200, refreshed.text)
  t.is((await world.ask('/v1/account', { token: opened(refreshed).access_token })).status, 200)
  await change(
    `update account_sessions set rotated_at = now() - interval '11 seconds' where account_id = $1`,
    account.id,
  )
  t.deepEqual(problem(await browserAt(world, stolen).refresh()), [401, 'session.reused'])
  t.deepEqual(problem(await browser.refresh()), [401, 'session.invalid'], 'the newest token died with its family')
})

test('of 20 requests with one refresh token one succeeds, and the session goes on', async (t) => {
  const browser = browserAt(world)
  await browser.login(await addAccount(world))
  const twin = () => {
    const jar = new Jar()
    for (const [name, value] of browser.jar.cookies) jar.cookies.set(name, value)
    return browserAt(world, jar)
  }
  const twins = Array.from({ length: 20 }, twin)
  const replies = await Promise.all(twins.map((each) => each.refresh()))
  t.deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array.from({ length: 19 }, () => 409)])
  const winner = twins[replies.findIndex(({ status }) => status === 200)]
  t.is((await winner?.refresh())?.status, 200)
})

test('a forged refresh token ends nothing', async (t) => {
  const browser = browserAt(world)
  await browser.login(await addAccount(world))
  const [name = ''] = [...browser.jar.cookies.keys()].filter((each) => each.endsWith('refresh'))
  const [sessionId, generation, mac = ''] = (browser.jar.cookies.get(name) ?? '').split('.')
  const flipped = `${mac.startsWith('A') ? 'B' : 'A'}${mac.slice(1)}`
  for (const value of [
    `${sessionId}.${generation}.${flipped}`,
    `${sessionId}.${Number(generation) + 1}.${mac}`,
    `${randomUUID()}.${generation}.${mac}`,
    'x',
    'x'.repeat(4_000),
  ]) {
    const jar = new Jar()
    jar.cookies.set(name, value)
    t.deepEqual(problem(await browserAt(world, jar).refresh()), [401, 'session.invalid'])
  }
  t.is((await browser.refresh()).status, 200)
})

test('a page elsewhere neither refreshes nor logs out (CSRF)', async (t) => {
  const browser = browserAt(world)
  await browser.login(await addAccount(world))
  const { header } = browser.jar
  const path = '/v1/auth/refresh'
  const cases: Record<string, string>[] = [
    {},
    { origin: world.url },
    { 'x-requested-with': 'test', origin: 'https://evil.example' },
    { 'x-requested-with': 'test', origin: world.url.replace('localhost', 'college.localhost') },
    { 'x-requested-with': 'test', origin: 'null' },
    { 'x-requested-with': 'test', 'sec-fetch-site': 'cross-site' },
    { 'x-requested-with': 'test', 'sec-fetch-site': 'same-site' },
  ]
  for (const headers of cases)
    for (const where of [path, '/v1/auth/logout']) {
      const body = where === path ? {} : undefined
      const reply = await world.ask(where, { method: 'POST', body, headers: { ...header, ...headers } })
      t.deepEqual(problem(reply), [403, 'session.cross_site'], JSON.stringify(headers))
    }
  const preflight = await world.ask(path, {
    method: 'OPTIONS',
    headers: { origin: 'https://evil.example', 'access-control-request-headers': 'x-requested-with' },
  })
  t.is(preflight.headers.get('access-control-allow-origin'), null)
  t.is((await browser.refresh()).status, 200, 'the session is as before')
})

test('a login takes over no session that the browser brings (session fixation)', async (t) => {
  const attacker = browserAt(world)
  await attacker.login(await addAccount(world))
  const jar = new Jar()
  for (const [name, value] of attacker.jar.cookies) jar.cookies.set(name, value)
  const planted = [...jar.cookies.entries()].find(([name]) => name.endsWith('refresh'))
  const victim = browserAt(world, jar)
  const account = await addAccount(world)
  t.is(opened(await victim.login(account)).account_id, account.id)
  t.not(jar.cookies.get(planted?.[0] ?? ''), planted?.[1])
  t.is(opened(await victim.refresh()).account_id, account.id)
  t.deepEqual(problem(await attacker.refresh()), [401, 'session.invalid'], 'the planted session was ended')
})

test('the token of a program opens no account, and that of a person no tenant of others', async (t) => {
  const token = await tokenOfPerson(world, await addAccount(world))
  for (const path of ['/v1/dids', '/v1/settings', '/v1/webhooks']) {
    const reply = await world.ask(path, { token })
    t.deepEqual(problem(reply), [403, 'token.insufficient_scope'], path)
  }
  t.deepEqual(problem(await world.ask('/v1/account', { token: world.token })), [403, 'token.insufficient_scope'])
})

test('an operator’s session has the scopes of the platform', async (t) => {
  const account = await addAccount(world, { operator: true })
  const session = opened(await browserAt(world).login(account))
  t.is(session.scope, 'accounts:read accounts:write platform:read platform:write')
})

test('two people with one Idempotency-Key do not get each other’s answers', async (t) => {
  const headers = { 'idempotency-key': randomUUID() }
  const body = { first_name: 'Grace', last_name: 'Hopper' }
  const accounts = [await addAccount(world), await addAccount(world)]
  const ids: unknown[] = []
  for (const account of accounts) {
    const token = await tokenOfPerson(world, account)
    const ask = () => world.ask('/v1/account', { method: 'PUT', token, body, headers })
    const [reply, again] = [await ask(), await ask()]
    t.is(reply.status, 200, reply.text)
    t.is(again.headers.get('idempotency-replayed'), 'true')
    ids.push(reply.json<{ id: string }>().id)
  }
  t.deepEqual(
    ids,
    accounts.map(({ id }) => id),
  )
})

test('the log has logins by the account’s id, also failed ones, and no address', async (t) => {
  const account = await addAccount(world)
  const requestId = randomUUID()
  await browserAt(world).ask('/v1/auth/login', {
    body: { email: account.email, password: 'wrong password' },
    headers: { 'x-request-id': requestId },
  })
  await browserAt(world).login(account)
  await world.dependencies.logs.flush()
  const filter = {
    categories: ['account'],
    types: [],
    ids: [],
    requestIds: [],
    dateFrom: '2020-01-01T00:00:00Z',
    dateTo: '2999-01-01T00:00:00Z',
  }
  for (let nth = 0; ; nth++) {
    const reply = await world.ask('/v1/analytics/events?limit=1000', { token: world.token, body: filter })
    const { data } = reply.json<{ data: { type: string; metadata: string; requestId: string }[] }>()
    const own = data.filter(({ metadata }) => metadata.includes(account.id)).map(({ type }) => type)
    if (own.length < 2 && nth < 50) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      continue
    }
    t.deepEqual(own.sort(), ['ACCOUNT_LOGIN_FAIL', 'ACCOUNT_LOGIN_SUCCESS'])
    t.is(data.find((entry) => entry.requestId === requestId)?.type, 'ACCOUNT_LOGIN_FAIL')
    t.false(reply.text.includes(account.email))
    return
  }
})
