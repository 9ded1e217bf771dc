import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createExpiry } from '../../../activities/administration/privacy/expiry.ts'
import { ownedTables } from '../../../activities/administration/tenants/tables.ts'
import { Unavailable } from '../../../protocol/errors.ts'
import { OPERATOR_SCOPES } from '../../../protocol/tokens-logs/index.ts'
import { TENANTS, tenantsOf } from '../../support/administration.ts'
import { didsOf, until } from '../../support/credentials/dids.ts'
import { makeSample } from '../../support/frame/examples/sample.ts'
import { addClient } from '../../support/frame/tenants.ts'
import { rawClient } from '../../support/parts/raw.ts'
import { RETENTION } from '../../support/privacy/erasures.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let operator: string
/** Whether the worker's key store answers. */
let away = false
test.before(async () => {
  world = await openWorld({
    workflows: true,
    env: { RATE_LIMIT_PER_MINUTE: '100000' },
    workerKeys: (keys) => {
      const orAway = async <T>(work: () => Promise<T>): Promise<T> => {
        if (away) throw new Unavailable('keys', 'The key store does not answer.')
        return work()
      }
      return {
        ...keys,
        create: (ref) => orAway(() => keys.create(ref)),
        delete: (ref) => orAway(() => keys.delete(ref)),
      }
    },
  })
  const { tenantId } = world.first
  operator = await world.tokenOf(await addClient(world.dependencies.systemSql, { tenantId, scopes: OPERATOR_SCOPES }))
})
test.after.always(() => world?.close())

const tenants = () => tenantsOf(world, operator)

const rows = async <Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> =>
  (await world.dependencies.systemSql.query<Row>({ text, values })).rows

/** How many rows of each table a tenant has, for those that have some. */
async function rowsOf(tenantId: string): Promise<Record<string, number>> {
  const counts: [string, number][] = []
  for (const table of await ownedTables(world.dependencies.systemSql)) {
    const [found] = await rows<{ count: number }>(
      `select count(*)::int as count from ${table} where tenant_id = $1`,
      tenantId,
    )
    if (found && found.count > 0) counts.push([table, found.count])
  }
  return Object.fromEntries(counts)
}

const erased = (id: string) =>
  until(
    `the end of tenant ${id}`,
    async () => {
      const deletion = await tenants().deletion(id)
      return deletion.step === 'erased' && deletion
    },
    120_000,
  )

const entriesOf = (id: string, name: string) =>
  rows<{ tenant: string; type: string }>(
    `select tenant_id as tenant, type from logs where metadata ->> 'id' = $1 and type like $2 || '%'`,
    id,
    name,
  )

test.serial(
  'a deleted tenant is refused within seconds, and then nothing of it is left anywhere (issue, item 1)',
  async (t) => {
    const made = await tenants().created()
    const client = { tenantId: made.id, ...made.client }
    const { token, did } = await makeSample(world, client)
    const { id: waiting } = await didsOf(world, token).createWeb(`${randomUUID()}.example.org`)
    const handle = world.dependencies.temporal.client.workflow.getHandle(`${made.id}/dids/${waiting}/register`)
    await until('a workflow of the tenant', () =>
      handle.describe().then(
        ({ status }) => status.name === 'RUNNING',
        () => false,
      ),
    )
    const kept = await world.ask(RETENTION, { method: 'PUT', token, body: { messagesDays: 30 } })
    t.is(kept.status, 200, kept.text)
    const before = await rowsOf(made.id)
    for (const table of ['erasures', 'privacy_retentions']) t.is(before[table], 1, table)
    t.true(Object.keys(before).length > 30)
    const keys = await rows<{ id: string; type: 'ed25519' }>(
      'select id, key_type as type from keys where tenant_id = $1 and public_key is not null',
      made.id,
    )
    t.true(keys.length > 10)
    const raw = rawClient(world.url)
    t.teardown(() => raw.close())
    const read = async (path: string) => (await raw.ask({ path, headers: { host: made.subdomain } })).status
    const published = ['/v1/iacas', '/.well-known/openid-credential-issuer', '/v1/credentials/compact/revocation-lists']
    for (const path of published) t.is(await read(path), 200, path)

    const from = Date.now()
    const reply = await tenants().remove(made.id)
    t.is(reply.status, 202, reply.text)
    t.is(reply.headers.get('location'), `${TENANTS}/${made.id}/deletion`)
    t.like(reply.json(), { id: made.id, step: 'refused', erasedAt: null })
    await t.throwsAsync(world.tokenOf(client), { message: /token.invalid_client/ })
    await until('the end of its tokens', async () => (await world.ask('/v1/dids', { token })).status === 401)
    t.true(Date.now() - from < 5_000, 'tokens end within five seconds')
    t.is((await tenants().read(made.id)).status, 404)
    t.is((await tenants().remove(made.id)).status, 404)
    t.is((await tenants().update(made.id, { name: 'Again' })).status, 404)
    t.false(JSON.stringify(await tenants().list('?limit=1000')).includes(made.id))

    const deletion = await erased(made.id)
    t.deepEqual(await rowsOf(made.id), {})
    t.deepEqual(await rows('select 1 from tenants where id = $1', made.id), [])
    for (const { id: keyId, type: keyType } of keys)
      await t.throwsAsync(world.dependencies.keys.publicKey({ tenantId: made.id, keyId, keyType }), { message: /key/ })
    t.true(deletion.keysDestroyed >= keys.length)
    t.true(deletion.rowsDeleted >= 100)
    t.true(deletion.workflowsEnded >= 1)
    t.is((await handle.describe()).status.name, 'TERMINATED')
    for (const path of published) t.is(await read(path), 404, path)
    const host = made.subdomain.split('.')[0]
    const again = await tenants().create({ environmentId: await tenants().environmentId(), subdomain: host })
    t.is(again.json().type, '/problems#tenant.subdomain_taken')
    const { tenantId } = world.first
    t.deepEqual(await entriesOf(made.id, 'TENANT_DELETE'), [{ tenant: tenantId, type: 'TENANT_DELETE_SUCCESS' }])
    t.deepEqual(await entriesOf(made.id, 'TENANT_ERASE'), [{ tenant: tenantId, type: 'TENANT_ERASE_SUCCESS' }])
    t.false(JSON.stringify(await rows('select * from deleted_tenants where id = $1', made.id)).includes(did))
    // the schedule is that of all tenants, and passes over this one
    const due = await createExpiry(world.dependencies).findRetentions({})
    t.false(due.tenantIds.includes(made.id))
  },
)

test.serial('the first tenant stays: 409, and nothing of it changes', async (t) => {
  const { tenantId } = world.first
  const reply = await tenants().remove(tenantId)
  t.like(reply.json(), { status: 409, type: '/problems#tenant.is_first' })
  t.is((await world.ask('/v1/dids', { token: world.token })).status, 200)
  t.deepEqual(await rows('select 1 from deleted_tenants where id = $1', tenantId), [])
})

test.serial('a tenant is deleted by an operator who writes alone; a missing one is a 404', async (t) => {
  const made = await tenants().created()
  const theirs = await world.tokenOf({ tenantId: made.id, ...made.client })
  const { tenantId } = world.first
  const reader = await addClient(world.dependencies.systemSql, { tenantId, scopes: ['platform:read'] })
  for (const token of [theirs, world.token, await world.tokenOf(reader)])
    t.is((await world.ask(`${TENANTS}/${made.id}`, { method: 'DELETE', token })).status, 403)
  t.is((await tenants().read(made.id)).status, 200)
  for (const id of [randomUUID(), made.id])
    t.is((await world.ask(`${TENANTS}/${id}/deletion`, { token: operator })).json().type, '/problems#tenant.not_found')
  t.is((await tenants().remove(randomUUID())).json().type, '/problems#tenant.not_found')
  const replies = await Promise.all([1, 2, 3, 4].map(() => tenants().remove(made.id)))
  t.deepEqual(replies.map(({ status }) => status).sort(), [202, 404, 404, 404])
})

test.serial('while the key store is away, a deletion says why it waits and until when, and then goes on', async (t) => {
  const made = await tenants().created({ did: { keyType: 'ed25519' } })
  await until('its first DID', async () => (await tenants().read(made.id)).json().status === 'ready')
  away = true
  await tenants().remove(made.id)
  const waiting = await until(
    'a deletion that waits',
    async () => {
      const deletion = await tenants().deletion(made.id)
      return deletion.reason !== null && deletion
    },
    60_000,
  )
  t.like(waiting, { step: 'keys', reason: 'The key store does not answer.', erasedAt: null })
  t.true(Date.parse(waiting.nextLookAt ?? '') > Date.now() - 10_000)
  away = false
  t.like(await erased(made.id), { reason: null, nextLookAt: null, keysDestroyed: 1 })
})

test.serial(
  'a tenant gets the DID and the IACA that were asked for, once, and tells when they are there (D-602)',
  async (t) => {
    const iaca = { country: 'NZ', commonName: 'Example College IACA' }
    const made = await tenants().created({ did: { keyType: 'p256' }, iaca })
    t.is(made.status, 'provisioning')
    const token = await world.tokenOf({ tenantId: made.id, ...made.client })
    t.is((await world.ask('/v1/dids', { token })).status, 200, 'the first client works at once')
    await until('a ready tenant', async () => (await tenants().read(made.id)).json().status === 'ready')
    const { totalCount } = (await world.ask('/v1/dids', { token })).json()
    t.is(totalCount, 1)
    t.truthy((await world.ask('/v1/settings', { token })).json().defaultIssuer)
    const { data } = (await world.ask('/v1/credentials/mobile/iacas', { token })).json<{ data: object[] }>()
    t.is(data.length, 1)
    t.like(data[0], { active: true, managed: true })
    t.deepEqual(await entriesOf(made.id, 'TENANT_PROVISION'), [
      { tenant: world.first.tenantId, type: 'TENANT_PROVISION_SUCCESS' },
    ])
  },
)

test.serial(
  'a tenant that waits for the key store says why and until when; a refusal ends it with its reason',
  async (t) => {
    away = true
    const made = await tenants().created({ did: { keyType: 'ed25519' } })
    const waiting = await until('a reason', async () => {
      const { reason, nextLookAt } = (await tenants().read(made.id)).json<{
        reason: object | null
        nextLookAt: string
      }>()
      return reason !== null && { reason, nextLookAt }
    })
    t.like(waiting.reason, { code: 'keys.unavailable' })
    t.true(Date.parse(waiting.nextLookAt) > Date.now() - 10_000)
    away = false
    await until('a ready tenant', async () => (await tenants().read(made.id)).json().status === 'ready', 60_000)
    t.is((await tenants().read(made.id)).json().reason, null)

    const { outbox, database } = world.dependencies
    const { id } = await tenants().created()
    const { asSystem } = await import('../../../entities/orm.ts')
    await asSystem(database.system, async (em) => {
      await em.execute(
        `update tenants set status = 'provisioning', wanted = '{"did":{"keyType":"rsa"}}' where id = ?`,
        [id],
      )
      await outbox.start(em, 'provisionTenant', { tenantId: world.first.tenantId, subjectTenantId: id })
    })
    await until('a failed tenant', async () => (await tenants().read(id)).json().status === 'failed')
    t.like((await tenants().read(id)).json(), { reason: { code: 'did.key_type_unsupported' }, nextLookAt: null })
  },
)

test.serial('what cannot be made for a tenant is refused before there is one', async (t) => {
  const environmentId = await tenants().environmentId()
  for (const [more, path] of [
    [{ did: { keyType: 'rsa' } }, 'did'],
    [{ did: {} }, 'did'],
    [{ iaca: { country: 'nz' } }, 'iaca.country'],
    [{ iaca: { country: 'NZ', commonName: 'ü' } }, 'iaca.commonName'],
  ] as const) {
    const reply = await tenants().create({ environmentId, subdomain: `x-${randomUUID().slice(0, 8)}`, ...more })
    t.is(reply.status, 400, reply.text)
    const { errors } = reply.json<{ errors: { path: string }[] }>()
    t.true(errors[0]?.path.startsWith(path), reply.text)
  }
})
