import { randomUUID } from 'node:crypto'
import test from 'ava'
import { OPERATOR_SCOPES, SCOPES } from '../../../protocol/tokens-logs/index.ts'
import { newSubdomain, tenantsOf } from '../../support/administration.ts'
import { addClient } from '../../support/frame/tenants.ts'
import { type Ask, openWorld, type Reply, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const write = (path: string, body: unknown, key: string, more: Ask = {}): Promise<Reply> =>
  world.ask(path, { token: world.token, body, ...more, headers: { ...more.headers, 'idempotency-key': key } })

const code = (reply: Reply) => reply.json<{ type: string }>().type.replace('/problems#', '')

test('a key is its caller’s: another client of the tenant gets no answer of the first, and no secret (D-751)', async (t) => {
  const key = randomUUID()
  const body = { name: 'Copied', description: 'Without scopes: with all that the caller may grant' }
  const mine = await write('/v1/oauth2/clients', body, key)
  t.is(mine.status, 201, mine.text)
  const made = mine.json<{ id: string; clientSecret: string; scopes: string[] }>()
  t.is(made.scopes.length, SCOPES.length)
  const few = ['administration:read', 'administration:write'] as const
  const token = await world.tokenOf(
    await addClient(world.dependencies.systemSql, { tenantId: world.first.tenantId, scopes: few }),
  )
  const theirs = await write('/v1/oauth2/clients', body, key, { token })
  t.is(theirs.status, 201, theirs.text)
  t.is(theirs.headers.get('idempotency-replayed'), null)
  const { scopes, clientSecret } = theirs.json<{ scopes: string[]; clientSecret: string }>()
  t.deepEqual(scopes, [...few])
  t.not(clientSecret, made.clientSecret)
  const reset = { reset_secret: true }
  const path = `/v1/oauth2/clients/${made.id}`
  const secretKey = randomUUID()
  t.is((await write(path, reset, secretKey, { method: 'PUT' })).status, 200)
  t.is((await write(path, reset, secretKey, { method: 'PUT', token })).status, 403)
  t.is((await write('/v1/oauth2/clients', body, key)).text, mine.text, 'still the first one’s')
})

test('an answer that the scopes of the token decided is nothing for one with fewer of them: 422 (D-751)', async (t) => {
  const key = randomUUID()
  const body = { name: 'Narrowed', description: 'Without scopes' }
  t.is((await write('/v1/oauth2/clients', body, key)).status, 201)
  const token = await world.tokenOf(world.first, 'administration:write administration:read')
  const refused = await write('/v1/oauth2/clients', body, key, { token })
  t.deepEqual([refused.status, code(refused)], [422, 'idempotency.key_reused'])
  const other = randomUUID()
  const first = await write('/v1/oauth2/clients', body, other, { token })
  t.is(first.status, 201, first.text)
  const reordered = await world.tokenOf(world.first, 'administration:read administration:write')
  t.is((await write('/v1/oauth2/clients', body, other, { token: reordered })).text, first.text, 'the same scopes')
})

test('an operator gets no secret of a tenant that another operator made under the same key', async (t) => {
  const { tenantId } = world.first
  const operator = async () =>
    world.tokenOf(await addClient(world.dependencies.systemSql, { tenantId, scopes: OPERATOR_SCOPES }))
  const [one, other] = [await operator(), await operator()]
  const body = { environmentId: await tenantsOf(world, one).environmentId(), subdomain: newSubdomain() }
  const key = randomUUID()
  const made = await write('/v1/tenants', body, key, { token: one })
  t.is(made.status, 201, made.text)
  const theirs = await write('/v1/tenants', body, key, { token: other })
  t.deepEqual([theirs.status, code(theirs)], [409, 'tenant.subdomain_taken'])
  t.is((await write('/v1/tenants', body, key, { token: one })).text, made.text)
})

test('a stored answer is nothing for a token without the scope', async (t) => {
  const key = randomUUID()
  const body = { method: 'KEY', options: {} }
  t.is((await write('/v1/dids', body, key)).status, 201)
  const token = await world.tokenOf(world.first, 'dids:read')
  const refused = await write('/v1/dids', body, key, { token })
  t.is(refused.status, 403)
  t.false(refused.text.includes('did:key'))
  t.is((await write('/v1/dids', body, key, { token: '' })).status, 401)
})
