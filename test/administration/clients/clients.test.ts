import { randomUUID } from 'node:crypto'
import test from 'ava'
import { MAX_GRACE_SECONDS, MAX_OAUTH2_CLIENTS } from '../../../activities/administration/clients/lifecycle.ts'
import { OPERATOR_SCOPES, SCOPES, type Scope } from '../../../protocol/tokens-logs/index.ts'
import { CLIENTS, type ClientAnswer, clientsOf, refusalOf, tokenWith } from '../../support/administration.ts'
import { loggedAbout, until } from '../../support/credentials/dids.ts'
import { addClient } from '../../support/frame/tenants.ts'
import { type Client, openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld({ env: { RATE_LIMIT_PER_MINUTE: '100000', TOKEN_RATE_LIMIT_PER_MINUTE: '100000' } })
})
test.after.always(() => world?.close())

const own = () => clientsOf(world, world.token)

const asClient = ({ clientId, clientSecret }: ClientAnswer, tenantId = world.first.tenantId): Client => ({
  tenantId,
  clientId,
  clientSecret,
})

const isWrong = { message: /token.invalid_client/ }

test('a client is created with its secret, read and listed without it, and found in the log (specification, OAuth2 client)', async (t) => {
  const reply = await own().create({ name: 'Registry', description: 'Signs degrees', scopes: ['dids:read'] })
  t.is(reply.status, 201)
  const created = reply.json<ClientAnswer>()
  t.is(reply.headers.get('location'), `${CLIENTS}/${created.id}`)
  t.is(created.clientId, created.id)
  const { clientSecret, ...shown } = created
  t.like(shown, { name: 'Registry', description: 'Signs degrees', scopes: ['dids:read'], formerSecretEndsAt: null })
  const read = await own().read(created.id)
  t.deepEqual(read.json(), { ...shown })
  t.false(JSON.stringify(await own().list('?limit=1000')).includes(clientSecret))
  const token = await world.tokenOf(asClient(created))
  t.is((await world.ask('/v1/dids', { token })).status, 200)
  t.is((await world.ask(CLIENTS, { token })).status, 403)
  t.is((await loggedAbout(world, world.token, 'TENANT_CLIENT_CREATE_SUCCESS', created.id)).length, 1)
})

test('a list has pages, newest first, of the tenant’s own clients alone', async (t) => {
  const other = await world.addTenant()
  const clients = clientsOf(world, await world.tokenOf(other))
  const made: string[] = [other.clientId]
  for (const name of ['a', 'b']) made.unshift((await clients.created({ name })).id)
  const page = await clients.list('?limit=2&page=1')
  t.like(page, { limit: 2, totalCount: 3, totalPages: 2 })
  t.deepEqual(
    [...page.data, ...(await clients.list('?limit=2&page=2')).data].map(({ id }) => id),
    made,
  )
})

test('a client gets no scope that the token of the request does not have, and by default those that it has (D-603)', async (t) => {
  const scopes: Scope[] = ['administration:read', 'administration:write', 'dids:read']
  const clients = clientsOf(world, await tokenWith(world, scopes))
  t.deepEqual([...(await clients.created()).scopes].sort(), [...scopes].sort())
  t.deepEqual((await clients.created({ scopes: [] })).scopes, [])
  t.deepEqual((await clients.created({ scopes: ['dids:read', 'dids:read'] })).scopes, ['dids:read'])
  for (const scope of ['dids:write', 'platform:write', 'accounts:read', 'dids:look', '__proto__'])
    t.deepEqual(refusalOf(await clients.create({ name: 'n', description: '', scopes: ['dids:read', scope] })), [
      403,
      '/problems#oauth_client.scope_beyond_caller',
      'scopes.1',
      'scope',
    ])
  // by default, too, nothing of operators or people, whatever the token has
  const both = clientsOf(world, await tokenWith(world, [...SCOPES, 'platform:write', 'accounts:write']))
  t.deepEqual((await both.created()).scopes, [...SCOPES])
  const wanted = await both.create({ name: 'n', description: '', scopes: ['platform:write'] })
  t.is(wanted.json().type, '/problems#oauth_client.scope_beyond_caller')
})

test('an operator’s client is no client of the tenant: it is not shown, renamed, deleted or given a secret (D-604)', async (t) => {
  const { tenantId } = world.first
  const operator = await addClient(world.dependencies.systemSql, { tenantId, scopes: OPERATOR_SCOPES })
  const mixed = await addClient(world.dependencies.systemSql, { tenantId, scopes: ['dids:read', 'platform:read'] })
  const shown = JSON.stringify(await own().list('?limit=1000'))
  for (const { clientId } of [operator, mixed]) {
    t.false(shown.includes(clientId))
    for (const reply of [
      await own().read(clientId),
      await own().update(clientId, { name: 'x', reset_secret: true }),
      await own().remove(clientId),
    ])
      t.like(reply.json(), { status: 404, type: '/problems#oauth_client.not_found' })
  }
  await t.notThrowsAsync(world.tokenOf(operator))
})

test('a new secret is shown once, and the former one is wrong at once (specification, OAuth2 client)', async (t) => {
  const created = await own().created()
  const reply = await own().update(created.id, { name: null, reset_secret: true })
  t.is(reply.status, 200)
  const changed = reply.json<ClientAnswer>()
  t.not(changed.clientSecret, created.clientSecret)
  t.like(changed, { name: created.name, formerSecretEndsAt: null })
  await t.notThrowsAsync(world.tokenOf(asClient(changed)))
  await t.throwsAsync(world.tokenOf(asClient(created)), isWrong)
  t.false((await own().read(created.id)).text.includes(changed.clientSecret))
  const renamed = await own().update(created.id, { name: 'Renamed', reset_secret: false })
  t.like(renamed.json(), { name: 'Renamed' })
  t.false('clientSecret' in renamed.json())
  await t.notThrowsAsync(world.tokenOf(asClient(changed)))
})

test('the former secret is right as well for as long as the caller says, then it is wrong (issue, item 3)', async (t) => {
  const first = await own().created()
  const update = async (graceSeconds: number) =>
    (await own().update(first.id, { reset_secret: true, secret_grace_seconds: graceSeconds })).json<ClientAnswer>()
  const second = await update(3)
  t.truthy(second.formerSecretEndsAt)
  for (const { clientSecret } of [first, second])
    await t.notThrowsAsync(world.tokenOf({ ...asClient(first), clientSecret }))
  await until('the end of the former secret', () =>
    world.tokenOf(asClient(first)).then(
      () => false,
      () => true,
    ),
  )
  t.true(Date.now() >= Date.parse(second.formerSecretEndsAt ?? ''))
  await t.notThrowsAsync(world.tokenOf(asClient(second)))
  t.is((await own().read(first.id)).json<ClientAnswer>().formerSecretEndsAt, null)
  // another new secret ends the one before the former one, whatever its grace was
  const third = await update(MAX_GRACE_SECONDS)
  const fourth = await update(MAX_GRACE_SECONDS)
  await t.throwsAsync(world.tokenOf(asClient(second)), isWrong)
  for (const each of [third, fourth]) await t.notThrowsAsync(world.tokenOf(asClient(each)))
  const fifth = await update(0)
  for (const each of [third, fourth]) await t.throwsAsync(world.tokenOf(asClient(each)), isWrong)
  await t.notThrowsAsync(world.tokenOf(asClient(fifth)))
})

test('an empty secret, or none of a client without a former one, is never right', async (t) => {
  const created = await own().created()
  for (const clientSecret of ['', ' ', '\0', 'null'])
    await t.throwsAsync(world.tokenOf({ ...asClient(created), clientSecret }))
})

test('whoever lacks a scope of a client gets no secret of it, and the client keeps its own (D-603)', async (t) => {
  const strong = await own().created()
  const weak = clientsOf(world, await tokenWith(world, ['administration:write']))
  const refused = await weak.update(strong.id, { reset_secret: true })
  t.like(refused.json(), { status: 403, type: '/problems#oauth_client.scope_beyond_caller' })
  await t.notThrowsAsync(world.tokenOf(asClient(strong)))
  t.is((await weak.update(strong.id, { name: 'Renamed', reset_secret: false })).status, 200)
})

test('other scopes are in new tokens at once, and what is taken away ends in running ones within seconds', async (t) => {
  const scopes = ['dids:read', 'webhooks:read']
  const created = await own().created({ scopes })
  const token = await world.tokenOf(asClient(created))
  const reply = await own().update(created.id, { scopes: ['logs:read', 'webhooks:read'], reset_secret: false })
  t.is(reply.status, 200, reply.text)
  const changed = reply.json<ClientAnswer>()
  t.deepEqual(changed.scopes, ['webhooks:read', 'logs:read'])
  t.like(changed, { name: created.name })
  t.false('clientSecret' in changed)
  const from = Date.now()
  const refused = await until('the end of the scope', async () => {
    const answer = await world.ask('/v1/dids', { token })
    return answer.status === 403 && answer
  })
  t.true(Date.now() - from < 5_000)
  t.is(refused.json().type, '/problems#token.insufficient_scope')
  t.is((await world.ask('/v1/webhooks', { token })).status, 200, 'the other scope stays')
  const next = await world.tokenOf(asClient(created))
  t.is((await world.ask('/v1/dids', { token: next })).status, 403)
  t.like(await loggedAbout(world, world.token, 'TENANT_CLIENT_UPDATE_SUCCESS', created.id), [
    { id: created.id, resetSecret: false, scopes: 'webhooks:read logs:read' },
  ])
  await own().update(created.id, { scopes: null, reset_secret: false })
  t.deepEqual((await own().read(created.id)).json<ClientAnswer>().scopes, ['webhooks:read', 'logs:read'])
  await own().update(created.id, { scopes: [], reset_secret: false })
  t.deepEqual((await own().read(created.id)).json<ClientAnswer>().scopes, [])
})

test('a deleted client gets no token, and those that it has end within seconds in every process (D-605)', async (t) => {
  const created = await own().created()
  const token = await world.tokenOf(asClient(created))
  t.is((await world.ask('/v1/dids', { token })).status, 200)
  t.is((await own().remove(created.id)).status, 204)
  await t.throwsAsync(world.tokenOf(asClient(created)), isWrong)
  const from = Date.now()
  const refused = await until('the end of its token', async () => {
    const reply = await world.ask('/v1/dids', { token })
    return reply.status === 401 && reply
  })
  t.true(Date.now() - from < 5_000)
  t.is(refused.json().type, '/problems#token.invalid')
  for (const reply of [
    await own().read(created.id),
    await own().remove(created.id),
    await own().update(created.id, { reset_secret: true }),
  ])
    t.like(reply.json(), { status: 404, type: '/problems#oauth_client.not_found' })
  t.false(JSON.stringify(await own().list('?limit=1000')).includes(created.id))
})

test('another tenant’s client is as a missing one, and nothing of it changes', async (t) => {
  const created = await own().created()
  const theirs = clientsOf(world, await world.tokenOf(await world.addTenant()))
  for (const id of [created.id, randomUUID()])
    for (const reply of [
      await theirs.read(id),
      await theirs.update(id, { name: 'Theirs', reset_secret: true }),
      await theirs.remove(id),
    ])
      t.like(reply.json(), { status: 404, type: '/problems#oauth_client.not_found' })
  const { clientSecret: _secret, ...shown } = created
  t.deepEqual((await own().read(created.id)).json(), { ...shown })
  await t.notThrowsAsync(world.tokenOf(asClient(created)))
})

test('a tenant has 100 clients at most, also of requests at the same time', async (t) => {
  const clients = clientsOf(world, await world.tokenOf(await world.addTenant()))
  const replies = await Promise.all(
    Array.from({ length: MAX_OAUTH2_CLIENTS + 5 }, () => clients.create({ name: 'n', description: '' })),
  )
  const refused = replies.filter(({ status }) => status === 409)
  t.is(refused.length, 6)
  for (const reply of refused) t.is(reply.json().type, '/problems#oauth_client.too_many')
  t.is((await clients.list('?limit=0')).totalCount, MAX_OAUTH2_CLIENTS)
  const [one] = (await clients.list('?limit=1')).data
  t.is((await clients.remove(one?.id ?? '')).status, 204)
  t.is((await clients.create({ name: 'n', description: '' })).status, 201, 'a deleted one makes room')
  t.is((await clients.create({ name: 'n', description: '' })).status, 409)
})

test('what a request for a client lacks, or has too much, is named', async (t) => {
  const good = { name: 'n', description: 'd' }
  const asked: [object, string][] = [
    [{ name: 'n' }, 'description'],
    [{ description: 'd' }, 'name'],
    [{ ...good, name: null }, 'name'],
    [{ ...good, name: 'a\nb' }, 'name'],
    [{ ...good, name: 'a'.repeat(256) }, 'name'],
    [{ ...good, description: 'a'.repeat(1_001) }, 'description'],
    [{ ...good, description: 'a\0b' }, 'description'],
    [{ ...good, description: '\ud800' }, 'description'],
    [{ ...good, scopes: 'dids:read' }, 'scopes'],
    [{ ...good, clientSecret: 'mine' }, 'clientSecret'],
  ]
  for (const [body, path] of asked) {
    const reply = await own().create(body)
    t.is(reply.status, 400, reply.text)
    t.true(JSON.stringify(reply.json().errors).includes(`"${path}`) || path === 'description', reply.text)
  }
  const { id, clientSecret } = await own().created()
  for (const [body, path] of [
    [{ name: 'n' }, 'reset_secret'],
    [{ name: 'n', reset_secret: 'true' }, 'reset_secret'],
    [{ name: '', reset_secret: false }, 'name'],
    [{ reset_secret: true, secret_grace_seconds: -1 }, 'secret_grace_seconds'],
    [{ reset_secret: true, secret_grace_seconds: 1.5 }, 'secret_grace_seconds'],
    [{ reset_secret: true, secret_grace_seconds: MAX_GRACE_SECONDS + 1 }, 'secret_grace_seconds'],
    [{ reset_secret: false, secret_grace_seconds: 5 }, 'secret_grace_seconds'],
  ] as const) {
    const reply = await own().update(id, body)
    t.is(reply.status, 400, reply.text)
    t.is(refusalOf(reply)[2], path, reply.text)
  }
  await t.notThrowsAsync(world.tokenOf({ tenantId: world.first.tenantId, clientId: id, clientSecret }))
})
