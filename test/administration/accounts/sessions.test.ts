import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { createRefreshTokens } from '../../../activities/administration/accounts/refresh-tokens.ts'
import { createSessions } from '../../../activities/administration/accounts/sessions.ts'
import { Unavailable } from '../../../protocol/errors.ts'
import { addAccount, browserAt, createOrganization, type SessionToken, tokenOfPerson } from '../../support/accounts.ts'
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

/** A tenant of an organization of the account. */
async function tenantOf(token: string): Promise<{ tenantId: string; organizationId: string }> {
  const organizationId = await createOrganization(world, token)
  const { tenantId } = await world.addTenant()
  await change('update tenants set organization_id = $2 where id = $1', tenantId, organizationId)
  return { tenantId, organizationId }
}

test('a session for a tenant has the scopes of the role, and switches', async (t) => {
  const account = await addAccount(world)
  const browser = browserAt(world)
  const { tenantId, organizationId } = await tenantOf(opened(await browser.login(account)).access_token)
  const switched = opened(await browser.refresh({ tenantId }))
  t.is(switched.tenant_id, tenantId)
  t.true(switched.scope.split(' ').includes('dids:write'))
  const created = await world.ask('/v1/dids', {
    token: switched.access_token,
    body: { method: 'KEY', options: { keyType: 'ed25519' } },
  })
  t.is(created.status, 201, created.text)
  t.is((await world.ask('/v1/account', { token: switched.access_token })).status, 200, 'the own account stays in reach')
  await change(`update organization_members set role = 'verifier' where organization_id = $1`, organizationId)
  const verifier = opened(await browser.refresh())
  t.is(verifier.tenant_id, tenantId, 'the tenant is kept')
  t.false(verifier.scope.includes('write dids') || verifier.scope.includes('dids:write'))
  t.is((await world.ask('/v1/dids', { token: verifier.access_token })).status, 200)
  await change('delete from organization_members where organization_id = $1', organizationId)
  const left = opened(await browser.refresh())
  t.is(left.tenant_id, null, 'who was removed is in no tenant any more')
  t.is(left.scope, 'accounts:read accounts:write')
  t.deepEqual(problem(await browser.refresh({ tenantId })), [403, 'session.tenant_refused'])
  t.is((await browser.refresh({ tenantId: null })).status, 200, 'a refusal uses up no token')
})

test('another organization’s tenant is refused at login like one that does not exist, and nothing begins', async (t) => {
  const owner = await addAccount(world)
  const { tenantId } = await tenantOf(await tokenOfPerson(world, owner))
  const stranger = await addAccount(world)
  const [foreign, missing] = [
    await browserAt(world).login(stranger, { tenantId }),
    await browserAt(world).login(stranger, { tenantId: randomUUID() }),
  ]
  t.deepEqual(problem(foreign), [403, 'session.tenant_refused'])
  t.deepEqual(told(foreign), told(missing))
  const { rows } = await change('select 1 from account_sessions where account_id = $1', stranger.id)
  t.deepEqual(rows, [])
  t.is((await browserAt(world).login(owner, { tenantId })).status, 200)
})

test('sessions are listed and ended, one’s own alone', async (t) => {
  const account = await addAccount(world)
  const [one, other] = [browserAt(world), browserAt(world)]
  await one.login(account)
  const token = opened(await other.login(account)).access_token
  const list = await world.ask('/v1/account/sessions', { token })
  const { data, total_count } = list.json<{ data: { id: string; current: boolean }[]; total_count: number }>()
  t.is(total_count, 2)
  t.deepEqual(data.map(({ current }) => current).sort(), [false, true])
  const id = data.find(({ current }) => !current)?.id ?? ''
  const strangers = await tokenOfPerson(world, await addAccount(world))
  const foreign = await world.ask(`/v1/account/sessions/${id}`, { method: 'DELETE', token: strangers })
  const missing = await world.ask(`/v1/account/sessions/${randomUUID()}`, { method: 'DELETE', token: strangers })
  t.deepEqual(told(foreign), told(missing))
  t.is(foreign.status, 404)
  t.is((await world.ask(`/v1/account/sessions/${id}`, { method: 'DELETE', token })).status, 204)
  t.deepEqual(problem(await one.refresh()), [401, 'session.invalid'])
  t.is((await other.logout()).status, 204)
  t.deepEqual(problem(await other.refresh()), [401, 'session.invalid'])
  t.is((await other.logout()).status, 204, 'logging out twice is no fault')
})

test('a session ends after 30 days, and after 7 days without use; an account has 20 at most', async (t) => {
  const account = await addAccount(world)
  for (const set of [`expires_at = now() - interval '1 second'`, `rotated_at = now() - interval '8 days'`]) {
    const browser = browserAt(world)
    await browser.login(account)
    await change(`update account_sessions set ${set} where account_id = $1`, account.id)
    t.deepEqual(problem(await browser.refresh()), [401, 'session.invalid'], set)
  }
  const first = browserAt(world)
  await first.login(account)
  for (let nth = 0; nth < 20; nth++) await browserAt(world).login(account)
  t.deepEqual(problem(await first.refresh()), [401, 'session.invalid'])
  const { rows } = await change(
    "select count(*)::int as open from account_sessions where account_id = $1 and ended_at is null and expires_at > now() and rotated_at > now() - interval '7 days'",
    account.id,
  )
  t.is(rows[0]?.open, 20)
})

test('while the key store is away a refresh uses up no token, and no session begins or ends', async (t) => {
  const account = await addAccount(world)
  const browser = browserAt(world)
  await browser.login(account)
  const [refreshToken] = [...browser.jar.cookies.values()].filter((value) => value.split('.').length === 3)
  const { database, uuid } = world.dependencies
  let signed: () => Promise<void> = async () => {
    throw new Unavailable('keys', 'The key store does not answer.')
  }
  const issueSessionToken = async () => {
    await signed()
    return { accessToken: 'a token', expiresIn: 600, scopes: [] }
  }
  const parts = { database, uuid, tenants: { first: async () => ({ id: world.first.tenantId }) } }
  const refreshTokens = createRefreshTokens(world.config.masterKey)
  const sessions = createSessions({ ...parts, tokens: { issueSessionToken }, refreshTokens } as never)
  let allowed = 0
  const beginning = { accountId: account.id, tenantId: null, former: refreshToken }
  const open = () =>
    sessions.open(beginning, {
      lock: async () => ({ isOperator: false }),
      allow: async () => void allowed++,
    })
  for (const asked of [() => sessions.refresh(refreshToken, undefined), open])
    await t.throwsAsync(asked(), { instanceOf: Unavailable })
  t.is(allowed, 0, 'no code is used up')
  t.is((await browser.refresh()).status, 200)
  const count = async () =>
    (await change('select count(*)::int as count from account_sessions where account_id = $1', account.id)).rows[0]
  t.deepEqual(await count(), { count: 1 })

  // what the token says is what the session is for at its beginning
  let changes = 0
  signed = async () => {
    changes += 1
    if (changes === 1) await change('update accounts set is_operator = true where id = $1', account.id)
  }
  const [later] = [...browser.jar.cookies.values()].filter((value) => value.split('.').length === 3)
  t.true((await sessions.refresh(later, undefined)).scopes.includes('platform:write'))
  t.is(changes, 2, 'it is signed again')
})

/** Asks until the answer is another one: what a process knows of a session is 3 seconds old at most (D-1187). */
async function changedAnswer(ask: () => Promise<Reply>, { status }: Reply): Promise<Reply> {
  const until = Date.now() + 10_000
  for (;;) {
    const reply = await ask()
    if (reply.status !== status || Date.now() > until) return reply
    await wait(200)
  }
}

test('an access token ends with its session, and loses what a role, a membership or an operator’s flag gave (D-1187)', async (t) => {
  const browser = browserAt(world)
  const account = await addAccount(world)
  const { tenantId, organizationId } = await tenantOf(opened(await browser.login(account)).access_token)
  await change('update accounts set is_operator = true where id = $1', account.id)
  const token = opened(await browser.refresh({ tenantId })).access_token
  const asked = (path: string, body?: object) => () => world.ask(path, { token, ...(body && { body }) })
  const makeClient = asked('/v1/oauth2/clients', { name: 'program', description: 'reads', scopes: ['dids:read'] })
  const [read, tenants, own] = [asked('/v1/dids'), asked('/v1/tenants'), asked('/v1/account')]
  const made = await makeClient()
  t.is(made.status, 201, made.text)
  await change(`update organization_members set role = 'auditor' where organization_id = $1`, organizationId)
  t.deepEqual(problem(await changedAnswer(makeClient, made)), [403, 'token.insufficient_scope'])
  const before = await read()
  t.is(before.status, 200)
  await change('delete from organization_members where organization_id = $1', organizationId)
  t.deepEqual(problem(await changedAnswer(read, before)), [403, 'token.insufficient_scope'])
  const listed = await tenants()
  t.is(listed.status, 200)
  await change('update accounts set is_operator = false where id = $1', account.id)
  t.deepEqual(problem(await changedAnswer(tenants, listed)), [403, 'token.insufficient_scope'])
  const mine = await own()
  t.is(mine.status, 200)
  t.is((await browser.logout()).status, 204)
  const ended = await changedAnswer(own, mine)
  t.deepEqual(problem(ended), [401, 'session.invalid'])
  t.regex(ended.headers.get('www-authenticate') ?? '', /error="invalid_token"/)
})

test('a tenant that is being deleted, or is imported, is none of its people’s', async (t) => {
  const browser = browserAt(world)
  const { tenantId } = await tenantOf(opened(await browser.login(await addAccount(world))).access_token)
  const token = opened(await browser.refresh({ tenantId })).access_token
  const shown = async () => (await world.ask('/v1/account', { token })).text.includes(tenantId)
  t.true(await shown())
  await change('update tenants set deleted_at = now() where id = $1', tenantId)
  const after = opened(await browser.refresh())
  t.is(after.tenant_id, null)
  t.deepEqual(problem(await browser.refresh({ tenantId })), [403, 'session.tenant_refused'])
  t.false((await world.ask('/v1/account', { token: after.access_token })).text.includes(tenantId))
})
