import { randomUUID } from 'node:crypto'
import test from 'ava'
import { OPERATOR_SCOPES, SCOPES } from '../../../protocol/tokens-logs/index.ts'
import { addAccount, browserAt, createOrganization, tokenOfPerson } from '../../support/accounts.ts'
import { ENVIRONMENTS, newSubdomain, TENANTS, type TenantAnswer, tenantsOf } from '../../support/administration.ts'
import { newEcosystem } from '../../support/ecosystems.ts'
import { addClient } from '../../support/frame/tenants.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

// no Temporal and no worker: a tenant can be used when its creation is answered
let world: World
let operator: string
test.before(async () => {
  world = await openWorld({ env: { RATE_LIMIT_PER_MINUTE: '100000' } })
  const { tenantId } = world.first
  operator = await world.tokenOf(await addClient(world.dependencies.systemSql, { tenantId, scopes: OPERATOR_SCOPES }))
})
test.after.always(() => world?.close())

const tenants = () => tenantsOf(world, operator)

const refusalOf = (reply: Reply) => {
  const { type, errors } = reply.json<{ type: string; errors?: { path: string; code: string }[] }>()
  return [reply.status, type, errors?.[0]?.path, errors?.[0]?.code]
}

const count = async (text: string, ...values: unknown[]) => {
  const { rows } = await world.dependencies.systemSql.query<{ count: number }>({ text, values })
  return rows[0]?.count
}

test('an operator reads the environment of the first start, with its fields and ten to a page (specification, Environment)', async (t) => {
  const page = (await world.ask(ENVIRONMENTS, { token: operator })).json<{ data: Record<string, unknown>[] }>()
  t.like(page, { limit: 10, totalPages: 1 })
  const [first] = page.data
  t.deepEqual(Object.keys(first ?? {}).sort(), [
    ...['authorizationServerDomain', 'deploymentModel', 'domain', 'id', 'name', 'region'],
  ])
  t.like(first, { domain: 'localhost', deploymentModel: 'private', region: { id: 'local', displayName: 'Local' } })
})

test('an operator describes environments; a text that is no line is refused by its place', async (t) => {
  const region = { displayName: 'Europe (Frankfurt)', id: 'eu-central-1', name: 'eu-central-1' }
  const body = { name: 'Europe', deploymentModel: 'public', region }
  const reply = await world.ask(ENVIRONMENTS, { token: operator, body })
  t.is(reply.status, 201, reply.text)
  const { id, ...made } = reply.json<Record<string, unknown>>()
  t.deepEqual(made, { ...body, domain: 'localhost', authorizationServerDomain: 'localhost' })
  const path = `${ENVIRONMENTS}/${String(id)}`
  const other = { name: 'EU', deploymentModel: 'private', region: { displayName: 'Paris', id: 'p', name: 'eu-west-3' } }
  const changed = await world.ask(path, { token: operator, method: 'PUT', body: other })
  t.like(changed.json(), other)
  t.like((await world.ask(path, { token: operator })).json(), other)
  const wrong = { ...body, region: { ...region, displayName: 'a\nb' } }
  const refused = await world.ask(ENVIRONMENTS, { token: operator, body: wrong })
  t.deepEqual(refusalOf(refused), [400, '/problems#environment.invalid', 'region.displayName', 'text'])
  const none = await world.ask(`${ENVIRONMENTS}/${randomUUID()}`, { token: operator })
  t.is(none.json().type, '/problems#environment.not_found')
  const { data } = (await world.ask(`${ENVIRONMENTS}?limit=1000`, { token: operator })).json<{
    data: { id: string }[]
  }>()
  t.deepEqual([data.length > 1, data.at(-1)?.id], [true, id], 'that of the first start comes first')
})

test('a deleted tenant is of no organization and under no policy any more, and nobody works in it', async (t) => {
  const person = await addAccount(world)
  const organizationId = await createOrganization(world, await tokenOfPerson(world, person))
  const { id: tenantId } = await tenants().created({ organizationId })
  const ecosystem = await newEcosystem(world, operator)
  await ecosystem.bind(tenantId, (await ecosystem.participant()).id)
  const login = () => browserAt(world).login(person, { tenantId })
  t.is((await login()).status, 200)
  t.is((await tenants().remove(tenantId)).status, 202)
  t.is((await login()).json().type, '/problems#session.tenant_refused')
  t.is(await count('select count(*)::int from tenants where organization_id = $1', organizationId), 0)
  t.is(await count('select count(*)::int from tenants where ecosystem_id = $1', ecosystem.id), 0)
})

test('a tenant is created with a client that works at once, and its secret is shown this once (specification, Tenant)', async (t) => {
  const subdomain = newSubdomain()
  const environmentId = await tenants().environmentId()
  const reply = await tenants().create({ environmentId, name: 'Example College', subdomain })
  t.is(reply.status, 201)
  const { client, ...tenant } = reply.json<TenantAnswer>()
  t.like(tenant, { name: 'Example College', subdomain: `${subdomain}.localhost`, isFirst: false })
  t.is(tenant.environment.id, environmentId)
  t.is(tenant.baseUrl, world.url.replace('//', `//${subdomain}.`))
  t.is(reply.headers.get('location'), `${TENANTS}/${tenant.id}`)
  const token = await world.tokenOf({ tenantId: tenant.id, ...client })
  t.is((await world.ask('/v1/dids', { token })).json().totalCount, 0)
  const { secret_hash: hash, scopes } = (
    await world.dependencies.systemSql.query<{ secret_hash: Buffer; scopes: string[] }>({
      text: 'select secret_hash, scopes from oauth2_clients where tenant_id = $1',
      values: [tenant.id],
    })
  ).rows[0] ?? { secret_hash: Buffer.alloc(0), scopes: [] }
  t.false(hash.toString('utf8').includes(client.clientSecret))
  t.deepEqual(scopes, [...SCOPES])
  for (const text of [(await tenants().read(tenant.id)).text, JSON.stringify(await tenants().list())])
    t.false(text.includes(client.clientSecret))
})

test('without a name a tenant is called by its subdomain; a list has pages, newest first', async (t) => {
  const made: string[] = []
  for (const name of [null, undefined]) {
    const { id, name: called, subdomain } = await tenants().created({ name })
    t.is(`${called}.localhost`, subdomain)
    made.unshift(id)
  }
  const page = await tenants().list('?limit=1&page=1')
  t.is(page.limit, 1)
  t.true(page.totalCount > 2)
  t.is(page.totalPages, page.totalCount)
  const ids = (await tenants().list('?limit=1000')).inboxes.map(({ id }) => id)
  t.deepEqual(
    ids.filter((id) => made.includes(id)),
    made,
  )
})

test('the answer under an Idempotency-Key is repeated with its secret, and no second tenant is made', async (t) => {
  const body = { environmentId: await tenants().environmentId(), subdomain: newSubdomain() }
  const ask = () => world.ask(TENANTS, { token: operator, body, headers: { 'idempotency-key': randomUUID() } })
  const key = { 'idempotency-key': randomUUID() }
  const [first, again] = [
    await world.ask(TENANTS, { token: operator, body, headers: key }),
    await world.ask(TENANTS, { token: operator, body, headers: key }),
  ]
  t.is(first.status, 201)
  t.is(again.text, first.text)
  t.is(again.headers.get('idempotency-replayed'), 'true')
  t.is((await ask()).status, 409)
  t.is(await count('select count(*)::int from tenants where subdomain = $1', body.subdomain), 1)
})

test('of 20 requests for one subdomain at the same time one makes the tenant, and the others answer 409', async (t) => {
  const body = { environmentId: await tenants().environmentId(), subdomain: newSubdomain() }
  const replies = await Promise.all(Array.from({ length: 20 }, () => tenants().create(body)))
  const statuses = replies.map(({ status }) => status).sort()
  t.deepEqual(statuses, [201, ...Array<number>(19).fill(409)])
  for (const reply of replies.filter(({ status }) => status === 409))
    t.deepEqual(refusalOf(reply), [409, '/problems#tenant.subdomain_taken', 'subdomain', 'unique'])
  t.is(await count('select count(*)::int from tenants where subdomain = $1', body.subdomain), 1)
})

test('the subdomain of a deleted tenant is free after a year (D-606)', async (t) => {
  const { id, subdomain } = await tenants().created()
  const [host] = subdomain.split('.')
  const environmentId = await tenants().environmentId()
  const again = () => tenants().create({ environmentId, subdomain: host })
  await tenants().remove(id)
  const ages = (days: number) =>
    world.dependencies.systemSql.query({
      text: 'update deleted_tenants set requested_at = now() - make_interval(days => $2) where id = $1',
      values: [id, days],
    })
  await world.dependencies.systemSql.query({ text: 'delete from oauth2_clients where tenant_id = $1', values: [id] })
  await world.dependencies.systemSql.query({ text: 'delete from tenants where id = $1', values: [id] })
  await ages(364)
  t.deepEqual(refusalOf(await again()).slice(0, 2), [409, '/problems#tenant.subdomain_taken'])
  await ages(366)
  t.is((await again()).status, 201)
})

test('a tenant is renamed, and keeps its subdomain', async (t) => {
  const { id, subdomain } = await tenants().created()
  const changed = await tenants().update(id, { name: 'Renamed' })
  t.like(changed.json<TenantAnswer>(), { id, name: 'Renamed', subdomain })
  t.is((await tenants().update(id, { name: 'a\u202eb' })).json().type, '/problems#tenant.invalid_name')
  t.is((await tenants().update(id, { name: 'x', subdomain: 'other' })).status, 400)
  t.is((await tenants().read(id)).json<TenantAnswer>().name, 'Renamed')
  for (const reply of [await tenants().read(randomUUID()), await tenants().update(randomUUID(), { name: 'x' })])
    t.like(reply.json(), { status: 404, type: '/problems#tenant.not_found' })
})

test('a tenant belongs to an organization, from its creation or later, and to none that there is not', async (t) => {
  const [id, other] = [randomUUID(), randomUUID()]
  for (const each of [id, other])
    await world.dependencies.systemSql.query({
      text: `insert into organizations (id, name, content) values ($1, 'An organization', '')`,
      values: [each],
    })
  const made = await tenants().created({ organizationId: id })
  t.is(made.organizationId, id)
  t.is((await tenants().update(made.id, { name: 'x' })).json<TenantAnswer>().organizationId, id)
  t.is(
    (await tenants().update(made.id, { name: 'x', organizationId: other })).json<TenantAnswer>().organizationId,
    other,
  )
  const wrong = { name: 'y', organizationId: randomUUID() }
  t.is((await tenants().update(made.id, wrong)).json().type, '/problems#organization.not_found')
  t.like((await tenants().read(made.id)).json<TenantAnswer>(), { organizationId: other, name: 'x' })
  const body = { environmentId: made.environment.id, subdomain: newSubdomain(), organizationId: randomUUID() }
  t.is((await tenants().create(body)).status, 404)
  t.is((await tenants().update(made.id, { name: 'x', organizationId: null })).json<TenantAnswer>().organizationId, null)
})

test('a token of a tenant administers no tenants, whatever it may do in its own: 403 (D-590)', async (t) => {
  const own = await tenants().created()
  const theirs = await world.tokenOf({ tenantId: own.id, ...own.client })
  const body = { environmentId: await tenants().environmentId(), subdomain: newSubdomain() }
  for (const token of [world.token, theirs])
    for (const reply of [
      await world.ask(ENVIRONMENTS, { token }),
      await world.ask(ENVIRONMENTS, { token, body: {} }),
      await world.ask(TENANTS, { token }),
      await world.ask(TENANTS, { token, body }),
      await world.ask(`${TENANTS}/${own.id}`, { token }),
      await world.ask(`${TENANTS}/${own.id}`, { token, method: 'PUT', body: { name: 'Mine' } }),
    ])
      t.like(reply.json(), { status: 403, type: '/problems#token.insufficient_scope' })
  t.is(await count('select count(*)::int from tenants where subdomain = $1', body.subdomain), 0)
  const { tenantId } = world.first
  const reader = await addClient(world.dependencies.systemSql, { tenantId, scopes: ['platform:read'] })
  const reads = await world.tokenOf(reader)
  t.is((await world.ask(TENANTS, { token: reads })).status, 200)
  t.is((await world.ask(TENANTS, { token: reads, body })).status, 403)
})

for (const [subdomain, code] of [
  ['', 'label'],
  ['-a', 'label'],
  ['a-', 'label'],
  ['a_b', 'label'],
  ['a.b', 'label'],
  ['A', 'label'],
  ['a b', 'label'],
  ['a'.repeat(64), 'label'],
  ['münchen', 'label'],
  ['аpple', 'label'], // with a Cyrillic letter
  ['ａ', 'label'],
  ['a\n', 'label'],
  ['../a', 'label'],
  ['__proto__', 'label'],
  ['xn--mnchen-3ya', 'hyphens'],
  ['ab--c', 'hyphens'],
  ['www', 'reserved'],
  ['api', 'reserved'],
  ['first', 'reserved'],
  ['admin', 'reserved'],
  ['console', 'reserved'],
  ['mail', 'reserved'],
  ['autodiscover', 'reserved'],
  ['wpad', 'reserved'],
  ['login', 'reserved'],
] as const)
  test(`no tenant gets the subdomain ${JSON.stringify(subdomain.slice(0, 20))} (${code})`, async (t) => {
    const before = await count('select count(*)::int from tenants where subdomain = $1', subdomain)
    const reply = await tenants().create({ environmentId: await tenants().environmentId(), subdomain })
    t.deepEqual(refusalOf(reply), [400, '/problems#tenant.invalid_subdomain', 'subdomain', code])
    t.is(await count('select count(*)::int from tenants where subdomain = $1', subdomain), before)
  })

test('what a request for a tenant lacks, or has too much, is named', async (t) => {
  const environmentId = await tenants().environmentId()
  const subdomain = newSubdomain()
  const asked: [object, string][] = [
    [{ subdomain }, 'environmentId'],
    [{ environmentId }, 'subdomain'],
    [{ environmentId, subdomain: null }, 'subdomain'],
    [{ environmentId, subdomain: 7 }, 'subdomain'],
    [{ environmentId, subdomain: 'a\0' }, 'subdomain'],
    [{ environmentId: 'x', subdomain }, 'environmentId'],
    [{ environmentId, subdomain, name: {} }, 'name'],
    [{ environmentId, subdomain, scopes: ['platform:write'] }, 'scopes'],
  ]
  for (const [body, path] of asked) {
    const reply = await tenants().create(body)
    t.is(reply.status, 400, reply.text)
    t.is(refusalOf(reply)[2], path, reply.text)
  }
  const unknown = await tenants().create({ environmentId: randomUUID(), subdomain })
  t.like(unknown.json(), { status: 404, type: '/problems#environment.not_found' })
  const name = await tenants().create({ environmentId, subdomain, name: ' ' })
  t.like(name.json(), { status: 400, type: '/problems#tenant.invalid_name' })
  t.is(await count('select count(*)::int from tenants where subdomain = $1', subdomain), 0)
})
