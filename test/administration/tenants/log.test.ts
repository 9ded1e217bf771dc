import { randomUUID } from 'node:crypto'
import test from 'ava'
import { isOfPlatform, OPERATIONS } from '../../../protocol/operations.ts'
import { ALL_SCOPES, SCOPES } from '../../../protocol/tokens-logs/index.ts'
import { addAccount, createOrganization, organization, PASSWORD, tokenOfPerson } from '../../support/accounts.ts'
import { tenantsOf } from '../../support/administration.ts'
import { until } from '../../support/credentials/dids.ts'
import { newEcosystem } from '../../support/ecosystems.ts'
import { type Ask, openWorld, type World } from '../../support/world.ts'

// no Temporal and no worker: the entries of requests need none
let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

/** A person in an organization with a tenant, and a session for that tenant. */
async function personIn(operator: boolean): Promise<{ tenantId: string; token: string }> {
  const account = await addAccount(world, { operator })
  const organizationId = await createOrganization(world, await tokenOfPerson(world, account))
  const { tenantId } = await world.addTenant()
  await world.dependencies.systemSql.query({
    text: 'update tenants set organization_id = $2 where id = $1',
    values: [tenantId, organizationId],
  })
  return { tenantId, token: await tokenOfPerson(world, account, { tenantId }) }
}

/** Type and tenant of the entries of a request, which has to have some. */
async function entriesOf(requestId: string) {
  return until(`entries of ${requestId}`, async () => {
    const { rows } = await world.dependencies.systemSql.query<{ type: string; tenant: string }>({
      text: 'select type, tenant_id as tenant from logs where request_id = $1 order by type',
      values: [requestId],
    })
    return rows.length > 0 && rows
  })
}

const asked = async (path: string, question: Ask) => {
  const reply = await world.ask(path, question)
  return { reply, entries: await entriesOf(reply.headers.get('x-request-id') ?? '') }
}

test('what an operator does is in the first tenant’s log, whatever tenant the session is for, and stays there (docs/administration.md)', async (t) => {
  const { tenantId: own, token } = await personIn(true)
  const { tenantId: first } = world.first
  const other = await world.addTenant()
  const environmentId = await tenantsOf(world, token).environmentId()
  const subdomain = `t-${randomUUID().slice(0, 8)}`
  for (const [path, question, type] of [
    ['/v1/ecosystems', { body: { name: 'Universities' } }, 'ECOSYSTEM_CREATE_SUCCESS'],
    ['/v1/ecosystems', { body: {} }, 'ECOSYSTEM_CREATE_FAIL'],
    ['/v1/ecosystems', {}, 'ECOSYSTEM_RETRIEVE_LIST_SUCCESS'],
    [`/v1/ecosystems/${randomUUID()}`, {}, 'ECOSYSTEM_RETRIEVE_FAIL'],
    ['/v1/tenants', { body: { environmentId, subdomain } }, 'TENANT_CREATE_SUCCESS'],
    [`/v1/tenants/${own}`, {}, 'TENANT_RETRIEVE_SUCCESS'],
    ['/v1/organizations', {}, 'ORGANIZATION_RETRIEVE_LIST_SUCCESS'],
    [`/v1/tenants/${other.tenantId}`, { method: 'DELETE' }, 'TENANT_DELETE_SUCCESS'],
    [`/v1/tenants/${randomUUID()}`, { method: 'DELETE' }, 'TENANT_DELETE_FAIL'],
    ['/v1/dids', {}, 'DID_RETRIEVE_LIST_SUCCESS'],
    [`/v1/tenants/${own}`, { method: 'DELETE' }, 'TENANT_DELETE_SUCCESS'],
  ] as const) {
    const { reply, entries } = await asked(path, { token, ...question })
    t.deepEqual(entries, [{ type, tenant: path === '/v1/dids' ? own : first }], `${path} ${reply.text}`)
  }
})

test('what people do with accounts and organizations is in the first tenant’s log, of a session for a tenant too (D-750)', async (t) => {
  const { tenantId: own, token } = await personIn(false)
  const { tenantId: first } = world.first
  const password = { password: PASSWORD, new_password: 'nine violet tramcars at dawn' }
  for (const [path, question, type, tenant] of [
    ['/v1/account', {}, 'ACCOUNT_RETRIEVE_SUCCESS', first],
    ['/v1/organizations', { body: organization({ name: 'Another' }) }, 'ORGANIZATION_CREATE_SUCCESS', first],
    ['/v1/organizations', { body: {} }, 'ORGANIZATION_CREATE_FAIL', first],
    ['/v1/tenants', {}, 'TENANT_RETRIEVE_LIST_FAIL', first],
    ['/v1/ecosystems', {}, 'ECOSYSTEM_RETRIEVE_LIST_SUCCESS', own],
    ['/v1/dids', {}, 'DID_RETRIEVE_LIST_SUCCESS', own],
    ['/v1/account/password', { body: password }, 'ACCOUNT_PASSWORD_UPDATE_SUCCESS', first],
  ] as const) {
    const { reply, entries } = await asked(path, { token, ...question })
    t.deepEqual(entries, [{ type, tenant }], `${path} ${reply.text}`)
  }
})

test('a tenant’s client that asks for what is the operators’ is refused in its own log', async (t) => {
  const client = await world.addTenant()
  const token = await world.tokenOf(client)
  const { id } = await newEcosystem(world, await tokenOfPerson(world, await addAccount(world, { operator: true })))
  for (const [path, type] of [
    ['/v1/tenants', 'TENANT_RETRIEVE_LIST_FAIL'],
    [`/v1/ecosystems/${id}`, 'ECOSYSTEM_RETRIEVE_FAIL'],
    ['/v1/ecosystems', 'ECOSYSTEM_RETRIEVE_LIST_SUCCESS'],
  ] as const) {
    const { entries } = await asked(path, { token })
    t.deepEqual(entries, [{ type, tenant: client.tenantId }], path)
  }
})

test('each operation of operators or accounts is one for the first tenant’s log, and no other is', (t) => {
  for (const [id, facts] of Object.entries(OPERATIONS)) {
    const scope = 'scope' in facts ? facts.scope : undefined
    const ofPlatform = scope ? /^(platform|accounts):/.test(scope) : 'operatorScope' in facts
    t.is(isOfPlatform(facts, ALL_SCOPES), ofPlatform, id)
    t.false(isOfPlatform(facts, SCOPES), id)
  }
})
