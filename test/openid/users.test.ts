import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createPlatform } from '../../activities/index.ts'
import { AuthenticationProvider } from '../../entities/openid/providers.ts'
import { inTenant } from '../../entities/orm.ts'
import type { Json } from '../../protocol/json.ts'
import { loggedAbout } from '../support/credentials/dids.ts'
import { saveProvider } from '../support/openid/users.ts'
import { type Client, openWorld, type Reply, type World } from '../support/world.ts'

let world: World
let platform: ReturnType<typeof createPlatform>
test.before(async () => {
  world = await openWorld()
  platform = createPlatform(world.dependencies)
})
test.after.always(() => world?.close())

interface UserAnswer {
  id: string
  claims: Record<string, unknown>
  authenticationProvider: { providerId: string; url: string; subjectId: string }
}
interface PageAnswer {
  data: UserAnswer[]
  limit: number
  totalCount: number
  totalPages: number
}

/** A tenant with providers, and what an authentication does with their users. */
async function tenantWith(claimsToPersist: string[] = ['email', 'address', 'age', 'vip', 'none', 'tags', 'Text']) {
  const client: Client = await world.addTenant()
  const token = await world.tokenOf(client)
  const { tenantId } = client
  const provider = () => saveProvider(world.dependencies, tenantId, claimsToPersist)
  return {
    client,
    token,
    provider,
    save: (providerId: string, subjectId: string, claims: Json) =>
      inTenant(world.dependencies.database.tenants, tenantId, async (em) => {
        const row = await em.findOneOrFail(AuthenticationProvider, { id: providerId })
        return platform.users.saveUser(em, row, { subjectId, claims })
      }),
    search: (claims: unknown, authenticationProvider: object = {}, more: object = {}): Promise<Reply> =>
      world.ask('/v1/users/search', { token, body: { authenticationProvider, claims, ...more } }),
    list: (query = ''): Promise<Reply> => world.ask(`/v1/users${query}`, { token }),
  }
}

const idsOf = (reply: Reply) => reply.json<PageAnswer>().data.map(({ id }) => id)
const typeOf = (reply: Reply) => reply.json<{ type: string }>().type.split('#')[1]

test('users are listed newest first, texts in the form {Text: …}, and only with the listed claims (specification, User)', async (t) => {
  const tenant = await tenantWith()
  const providerId = await tenant.provider()
  t.like((await tenant.list()).json<PageAnswer>(), { data: [], totalCount: 0 })
  const first = await tenant.save(providerId, 'one', { email: 'one@x.test', age: 7, given_name: 'gone' })
  const second = await tenant.save(providerId, 'two', {
    address: { country: 'NZ', geo: [1, 'a'] },
    vip: true,
    none: null,
  })
  const page = (await tenant.list('?limit=1')).json<PageAnswer>()
  t.like(page, { limit: 1, totalCount: 2, totalPages: 2 })
  t.deepEqual(page.data, [
    {
      id: second,
      claims: { address: { country: { Text: 'NZ' }, geo: [1, { Text: 'a' }] }, vip: true, none: null },
      authenticationProvider: { providerId, url: 'https://login.university.example', subjectId: 'two' },
    },
  ])
  t.deepEqual((await tenant.list('?page=2&limit=1')).json<PageAnswer>().data[0]?.claims, {
    email: { Text: 'one@x.test' },
    age: 7,
  })
  const other = await tenant.provider()
  t.deepEqual(idsOf(await tenant.list(`?providerId=${providerId}`)), [second, first])
  t.deepEqual(idsOf(await tenant.list(`?providerId=${other}`)), [])
  const unknown = await tenant.list(`?providerId=${randomUUID()}`)
  t.is(unknown.status, 404)
  t.is(typeOf(unknown), 'authentication_provider.not_found')
})

test('a search finds who has every claim, exactly, nested or tagged (specification, searchUsers)', async (t) => {
  const tenant = await tenantWith()
  const [providerId, otherProvider] = [await tenant.provider(), await tenant.provider()]
  const ada = await tenant.save(providerId, 'ada', {
    email: 'ada@x.test',
    address: { country: 'NZ', city: 'A' },
    age: 36,
    vip: true,
    none: null,
  })
  const bob = await tenant.save(providerId, 'bob', {
    email: 'bob@x.test',
    address: { country: 'NZ', city: 'B' },
    age: 36,
  })
  const same = await tenant.save(otherProvider, 'ada', { email: 'ada@x.test', Text: 'x', tags: ['a'] })
  const found: [claims: unknown, provider: object, ids: string[]][] = [
    [{}, {}, [same, bob, ada]],
    [{ email: 'ada@x.test' }, {}, [same, ada]],
    [{ email: { Text: 'ada@x.test' } }, {}, [same, ada]],
    [{ address: { country: 'NZ' } }, {}, [bob, ada]],
    [{ address: { country: { Text: 'NZ' }, city: 'A' } }, {}, [ada]],
    [{ age: 36 }, {}, [bob, ada]],
    [{ vip: true, none: null }, {}, [ada]],
    [{ Text: 'x' }, {}, [same]],
    [{ Text: { Text: 'x' } }, {}, [same]],
    [{ email: 'ada@x.test' }, { providerId }, [ada]],
    [{ email: 'ada@x.test' }, { providerId: providerId.toUpperCase() }, [ada]],
    [{}, { subjectId: 'ada' }, [same, ada]],
    [{}, { subjectId: 'ada', providerId: otherProvider }, [same]],
    [{ age: 36 }, { subjectId: null, providerId: null }, [bob, ada]],
  ]
  for (const [claims, provider, ids] of found)
    t.deepEqual(idsOf(await tenant.search(claims, provider)), ids, JSON.stringify(claims))
  for (const claims of [
    { email: 'ADA@x.test' },
    { email: 'ada@x.test ' },
    { email: 'ada@x.tes' },
    { email: '%' },
    { country: 'NZ' },
    { 'address.country': 'NZ' },
    { age: '36' },
    { vip: false },
    { tags: 'a' },
    { email: 'ada@x.test', age: 37 },
    { address: { country: 'NZ', city: 'C' } },
  ]) {
    const reply = await tenant.search(claims)
    t.is(reply.status, 404, JSON.stringify(claims))
    t.is(typeOf(reply), 'user.not_found')
  }
  t.is(typeOf(await tenant.search({}, { subjectId: 'eve' })), 'user.not_found')
  t.is(typeOf(await tenant.search({}, { providerId: randomUUID() })), 'authentication_provider.not_found')
  const page = (await tenant.search({}, {}, { limit: 1, page: 2 })).json<PageAnswer>()
  t.like(page, { limit: 1, totalCount: 3, totalPages: 3, data: [{ id: bob }] })
  const totals = await world.ask('/v1/users/search?limit=0', {
    token: tenant.token,
    body: { authenticationProvider: {}, claims: {} },
  })
  t.like(totals.json<PageAnswer>(), { data: [], totalCount: 3 })
})

test('a search that cannot be done names the place', async (t) => {
  const { search, token } = await tenantWith()
  const cases: [claims: unknown, path: string, code: string][] = [
    [{ email: ['a'] }, 'claims.email', 'value'],
    [{ address: {} }, 'claims.address', 'empty'],
    [{ a: { b: { c: [] } } }, 'claims.a.b.c', 'value'],
    [Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`c${at}`, 1])), 'claims', 'count'],
    [
      Array.from({ length: 20 }).reduce((inner) => ({ a: inner }), 1),
      Array(17).fill('a').join('.').replace('a', 'claims'),
      'depth',
    ],
  ]
  for (const [claims, path, code] of cases) {
    const reply = await search(claims)
    t.is(reply.status, 400, reply.text)
    t.like(reply.json<{ errors: object[] }>().errors[0], { path, code })
  }
  for (const body of [
    { claims: {} },
    { authenticationProvider: {} },
    { authenticationProvider: { providerId: 'x' }, claims: {} },
    { authenticationProvider: [], claims: [] },
    { authenticationProvider: {}, claims: {}, limit: -1 },
  ])
    t.is((await world.ask('/v1/users/search', { token, body })).status, 400, JSON.stringify(body))
})

test('claims and subjects are in no row in clear, and equal ones of two tenants differ', async (t) => {
  const [one, two] = [await tenantWith(), await tenantWith()]
  const claims = { email: 'hidden@x.test', address: { country: 'Elbonia' } }
  for (const tenant of [one, two]) await tenant.save(await tenant.provider(), 'subject-hidden', claims)
  const { rows } = await world.dependencies.systemSql.query<{ row: string }>({
    text: `select row_to_json(u)::text || encode(u.content, 'escape') as row from openid_users u where tenant_id = any($1)
      union all select row_to_json(c)::text from openid_user_claims c where tenant_id = any($1)`,
    values: [[one.client.tenantId, two.client.tenantId]],
  })
  t.is(rows.length, 6)
  for (const { row } of rows) t.notRegex(row, /hidden|Elbonia|email|country/)
  const digests = await world.dependencies.systemSql.query<object>({
    text: `select distinct claim_index from openid_user_claims where tenant_id = any($1)`,
    values: [[one.client.tenantId, two.client.tenantId]],
  })
  t.is(digests.rows.length, 4)
})

test('a deleted user is gone with claims and index; the next login makes another one', async (t) => {
  const tenant = await tenantWith()
  const providerId = await tenant.provider()
  const [gone, stays] = [
    await tenant.save(providerId, 'a', { email: 'a@x.test' }),
    await tenant.save(providerId, 'b', { email: 'b@x.test' }),
  ]
  const stranger = await tenantWith()
  const remove = (token: string) => world.ask(`/v1/users/${gone}`, { method: 'DELETE', token })
  t.is((await remove(stranger.token)).status, 404)
  t.is((await remove(tenant.token)).status, 204)
  t.is((await remove(tenant.token)).status, 404)
  t.is((await tenant.search({ email: 'a@x.test' })).status, 404)
  t.deepEqual(idsOf(await tenant.list()), [stays])
  const { rows } = await world.dependencies.systemSql.query<object>({
    text: 'select from openid_user_claims where user_id = $1',
    values: [gone],
  })
  t.is(rows.length, 0)
  t.is((await loggedAbout(world, tenant.token, 'USER_DELETE_SUCCESS', gone)).length, 1)
  t.not(await tenant.save(providerId, 'a', {}), gone)
})

test('of 10 concurrent logins of one subject there is one user', async (t) => {
  const tenant = await tenantWith()
  const providerId = await tenant.provider()
  const ids = await Promise.all(Array.from({ length: 10 }, (_, at) => tenant.save(providerId, 'a', { age: at })))
  t.is(new Set(ids).size, 1)
  const [user] = (await tenant.list()).json<PageAnswer>().data
  t.deepEqual(idsOf(await tenant.search({ age: user?.claims.age })), ids.slice(0, 1))
})

test('a search among 20,000 users uses the index, and opens only the page', async (t) => {
  const tenant = await tenantWith()
  const providerId = await tenant.provider()
  const { tenantId } = tenant.client
  const wanted = await tenant.save(providerId, 'wanted', { email: 'wanted@x.test', vip: true })
  await inTenant(world.dependencies.database.tenants, tenantId, async (em) => {
    await em.execute(
      `with made as (insert into openid_users (id, tenant_id, provider_id, subject_index, content)
         select gen_random_uuid(), ?, ?, sha256(n::text::bytea), '' from generate_series(1, 20000) n returning id, tenant_id)
       insert into openid_user_claims (tenant_id, user_id, claim_index)
         select tenant_id, id, (select claim_index from openid_user_claims where user_id = ? order by claim_index limit 1) from made`,
      [tenantId, providerId, wanted],
    )
  })
  t.deepEqual(idsOf(await tenant.search({ email: 'wanted@x.test', vip: true })), [wanted], 'the others do not open')
  const plan = await inTenant(world.dependencies.database.tenants, tenantId, (em) =>
    em.execute<Record<string, string>[]>(
      'explain select user_id from openid_user_claims where tenant_id = ? and claim_index = ?',
      [tenantId, Buffer.alloc(16)],
    ),
  )
  const lines = plan.map((row) => Object.values(row).join('')).join('\n')
  t.regex(lines, /openid_user_claims_pkey/, 'row-level security leaves the index to the planner')
  t.notRegex(lines, /Seq Scan/)
})
