import { randomBytes, randomUUID } from 'node:crypto'
import type { MikroORM, SqlEntityManager } from '@mikro-orm/postgresql'
import test, { type ExecutionContext } from 'ava'
import type { Pool } from 'pg'
import { EVERY_TENANT, ownedByTenant } from '../../../entities/base.ts'
import { Did } from '../../../entities/dids.ts'
import { ALONG_INDEX, asSystem, connect, entities, inTenant, RIGHTS, sqlOf, takeTurn } from '../../../entities/orm.ts'
import { roleUrl } from '../../../entities/roles.ts'
import { insertion } from '../../support/frame/fence.ts'
import { openDatabase, type TestDatabase } from '../../support/parts/database.ts'

const masterKey = randomBytes(32)
const [tenantId, other] = [randomUUID(), randomUUID()]
let database: TestDatabase
test.before(async () => {
  database = await openDatabase(masterKey)
  const environment = randomUUID()
  const place = { name: '', domain: '', authorization_server_domain: '', deployment_model: 'private', region: '{}' }
  await database.systemSql.query(insertion('environments', { id: environment, ...place }))
  for (const id of [tenantId, other])
    await database.systemSql.query(insertion('tenants', { id, environment_id: environment, name: '', subdomain: id }))
})
test.after.always(() => database?.close())

async function open(t: ExecutionContext, ...more: [poolSize: number, timeoutMs?: number]): Promise<MikroORM> {
  const orm = await connect(roleUrl(database.url, masterKey, 'app'), ...more)
  t.teardown(() => orm.close())
  return orm
}

/** A setting of PostgreSQL as a transaction has it. */
async function setting(em: SqlEntityManager, name: string): Promise<string | null> {
  const [row] = await em.execute<{ value: string | null }[]>('select current_setting(?, true) as value', [name])
  return row?.value ?? null
}

test('statements and waits for locks end in time, and so do transactions that nobody goes on with', async (t) => {
  const limits = await asSystem(await open(t, 1), async (em) => [
    await setting(em, 'statement_timeout'),
    await setting(em, 'lock_timeout'),
    await setting(em, 'idle_in_transaction_session_timeout'),
  ])
  t.deepEqual(limits, ['5s', '2s', '10s'])
})

test('a pool has as many connections as asked for, opens none before they are, and finds out lost hosts', async (t) => {
  const common = { min: 0, idleTimeoutMillis: 30_000, keepAlive: true, keepAliveInitialDelayMillis: 10_000 }
  const optionsOf = async (orm: MikroORM) => ((await sqlOf(orm)) as Pool).options
  t.like(await optionsOf(await open(t, 3)), { ...common, max: 3, connectionTimeoutMillis: 2_000 })
  t.like(await optionsOf(await open(t, 1, 700)), { ...common, max: 1, connectionTimeoutMillis: 700 })
})

test('a pool tells its observer of its connections and statements', async (t) => {
  const told: string[] = []
  const orm = await connect(roleUrl(database.url, masterKey, 'app'), 1, 2_000, {
    opened: ({ totalCount }) => void told.push(`opened with ${totalCount}`),
    queried: (statement) => void told.push(statement),
  })
  t.teardown(() => orm.close())
  await asSystem(orm, (em) => em.execute('select 1'))
  t.is(told[0], 'opened with 0')
  t.deepEqual(told.slice(-3), ['begin', 'select', 'commit'])
})

test('times are UTC, and the library writes nothing', async (t) => {
  const orm = await open(t, 1)
  t.true(orm.config.get('forceUtcTimezone'))
  t.is(orm.config.get('logger')?.('a text'), undefined)
})

test('each entity has its table among the rights, and each tenant’s table has its fence', (t) => {
  t.true(entities.length > 40)
  const tables = RIGHTS.map(([table]) => table)
  t.is(new Set(tables).size, tables.length)
  const metadata = database.tenants.getMetadata()
  for (const entity of entities) {
    const { tableName, properties, filters } = metadata.get(entity as never)
    t.true(tables.includes(tableName), tableName)
    if (properties.tenantId) t.is(filters.tenant?.name, 'tenant', tableName)
  }
})

test('the filter of a tenant asks for its rows, that of the system role for all, and none is left out', (t) => {
  const { tenant } = ownedByTenant
  t.is(tenant.name, 'tenant')
  t.true(tenant.default)
  t.deepEqual(tenant.cond({ tenantId }), { tenantId })
  t.deepEqual(tenant.cond({ tenantId: EVERY_TENANT }), {})
  t.deepEqual(tenant.cond({ tenantId: '' }), { tenantId: '' })
})

const add = async (em: SqlEntityManager, owner: string) => {
  const [id, did] = [randomUUID(), `did:key:${randomUUID()}`]
  const row = { did, method: 'KEY', registrationStatus: 'COMPLETED', document: {}, hosting: 'none' }
  const made = em.create(Did, { id, tenantId: owner, ...row } as never)
  em.persist(made)
  await em.flush()
  return id
}

test.serial(
  'work of a tenant sees its own rows, that of the system everybody’s, and both keep what they did',
  async (t) => {
    const before = Date.now()
    const mine = await inTenant(database.tenants, tenantId, (em) => add(em, tenantId))
    const theirs = await inTenant(database.tenants, other, (em) => add(em, other))
    const [row, ...more] = await inTenant(database.tenants, tenantId, (em) => em.find(Did, {}))
    t.deepEqual([row?.id, more], [mine, []])
    const created = row?.createdAt.getTime() ?? 0
    t.true(created >= before && created <= Date.now(), 'the time of the row is made with it')
    const all = await asSystem(database.system, (em) => em.find(Did, {}))
    t.deepEqual(all.map(({ id }) => id).toSorted(), [mine, theirs].toSorted())
    // by the filter alone: the system's role sees every row
    t.is((await inTenant(database.system, tenantId, (em) => em.find(Did, {}))).length, 1)
    t.deepEqual(await asSystem(database.tenants, (em) => em.find(Did, {})), [])
    await asSystem(database.system, (em) => em.nativeDelete(Did, {}))
    t.is(await asSystem(database.system, (em) => em.count(Did, {})), 0)
  },
)

test.serial('what fails leaves nothing behind, for a tenant and for the system', async (t) => {
  const fail = async (em: SqlEntityManager) => {
    await add(em, tenantId)
    throw new Error('undone')
  }
  await t.throwsAsync(inTenant(database.tenants, tenantId, fail), { message: 'undone' })
  await t.throwsAsync(asSystem(database.system, fail), { message: 'undone' })
  t.is(await inTenant(database.tenants, tenantId, (em) => em.count(Did, {})), 0)
})

test('a transaction has its tenant and its plan, and the connection has none of them after it', async (t) => {
  const orm = await open(t, 1)
  const names = ['seqscan', 'bitmapscan', 'sort', 'hashjoin', 'mergejoin'].map((name) => `enable_${name}`)
  const settings = async (em: SqlEntityManager) => {
    const values: (string | null)[] = []
    for (const name of ['app.tenant', ...names]) values.push(await setting(em, name))
    return values
  }
  t.deepEqual(await inTenant(orm, tenantId, settings), [tenantId, ...names.map(() => 'on')])
  t.deepEqual(await inTenant(orm, tenantId, settings, ALONG_INDEX), [tenantId, ...names.map(() => 'off')])
  t.deepEqual(
    (await asSystem(orm, settings)).slice(1),
    names.map(() => 'on'),
  )
  t.falsy((await asSystem(orm, settings))[0])
})

test('whoever takes a turn goes after the one before, and those of another name do not wait', async (t) => {
  const orm = await open(t, 3)
  const order: string[] = []
  const [taken, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const first = asSystem(orm, async (em) => {
    await takeTurn(em, 'one')
    taken.resolve()
    await go.promise
    order.push('first')
  })
  await taken.promise
  const second = asSystem(orm, async (em) => {
    await takeTurn(em, 'one')
    order.push('second')
  })
  const waiting = async () => {
    const text = `select count(*)::int as count from pg_locks where locktype = 'advisory' and not granted`
    const { rows } = await database.systemSql.query<{ count: number }>({ text, values: [] })
    return rows[0]?.count ?? 0
  }
  while (order.length === 0 && (await waiting()) === 0) await new Promise((resolve) => setImmediate(resolve))
  await asSystem(orm, async (em) => {
    await takeTurn(em, 'another')
    order.push('another')
  })
  go.resolve()
  await Promise.all([first, second])
  t.deepEqual(order, ['another', 'first', 'second'])
})
