import { randomUUID } from 'node:crypto'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import test from 'ava'
import { EVERY_TENANT } from '../../entities/base.ts'
import { asSystem, connect, entities, inTenant, sqlOf } from '../../entities/orm.ts'
import { roleUrl } from '../../entities/roles.ts'
import { type Fence, insertion, openFence, SYSTEMS_ALONE } from '../support/frame/fence.ts'

let fence: Fence
test.before(async () => {
  fence = await openFence()
})
test.after.always(() => fence?.close())

const owned = () =>
  entities.filter((entity) => {
    const { properties, tableName } = fence.database.tenants.getMetadata().get(entity as never)
    return properties.tenantId && !SYSTEMS_ALONE.has(tableName)
  }) as (typeof entities)[number][]

/** The application's role with the tenant filter off: row-level security is all that is left. */
const unfiltered = <T>(tenant: string | undefined, work: (em: SqlEntityManager) => Promise<T>): Promise<T> => {
  const em = fence.database.tenants.em.fork()
  em.setFilterParams('tenant', { tenantId: EVERY_TENANT })
  if (tenant !== undefined) em.setSessionContext({ variables: { 'app.tenant': tenant } })
  return em.transactional((tx) => work(tx))
}

const inOurs = (text: string, values: unknown[] = []) =>
  inTenant(fence.database.tenants, fence.ours, (em) => em.execute<Record<string, unknown>[]>(text, values))

test('with the tenant filter off, row-level security alone shows nothing of others', async (t) => {
  t.true(owned().length >= 10)
  let seen = 0
  for (const entity of owned()) {
    for (const tenant of [undefined, '', randomUUID()])
      t.is(await unfiltered(tenant, (em) => em.count(entity as never, {})), 0, `${entity.name} as ${tenant}`)
    const rows = await unfiltered(fence.ours, (em) => em.find(entity as never, {}))
    for (const row of rows) t.is((row as { tenantId: string }).tenantId, fence.ours)
    seen += rows.length
  }
  t.true(seen >= 10)
})

test('a transaction within one of another role is of its own role, and so it is of its own tenant', async (t) => {
  const { tenants, system } = fence.database
  const who = async (em: SqlEntityManager) => {
    const [row] = await em.execute<{ role: string; tenant: string }[]>(
      `select current_user as role, current_setting('app.tenant', true) as tenant`,
    )
    return row ?? t.fail()
  }
  const [tenantId, other] = [randomUUID(), randomUUID()]
  const ours = await inTenant(tenants, tenantId, who)
  const systems = await asSystem(system, who)
  t.not(ours.role, systems.role)
  t.deepEqual((await inTenant(tenants, tenantId, () => asSystem(system, who))).role, systems.role)
  t.deepEqual(await asSystem(system, () => inTenant(tenants, tenantId, who)), ours)
  t.deepEqual(await inTenant(tenants, tenantId, () => inTenant(tenants, other, who)), { ...ours, tenant: other })
})

test('a fork that was given no tenant throws before it asks the database', async (t) => {
  for (const entity of owned())
    await t.throwsAsync(fence.database.tenants.em.fork().find(entity as never, {}), undefined, entity.name)
})

test('plain SQL of the application’s role sees nothing without a tenant, and its own with one', async (t) => {
  for (const table of await fence.ownedTables()) {
    const text = `select tenant_id from ${table}`
    const all = await fence.query<{ tenant_id: string }>(text).catch((error: { code?: string }) => error.code)
    if (all === '42501') continue // the application has no business with this table
    t.deepEqual(all, [], table)
    t.true(
      (await inOurs(text)).every(({ tenant_id }) => tenant_id === fence.ours),
      table,
    )
  }
  t.deepEqual(await fence.query('select id from tenants'), [])
  t.deepEqual(await inOurs('select id from tenants'), [{ id: fence.ours }])
})

test('a tenant that is no UUID is an error, never all rows', async (t) => {
  for (const tenant of ["' or true --", 'null', '%', `${fence.ours}'`])
    t.like(await t.throwsAsync(inTenant(fence.database.tenants, tenant, (em) => em.execute('select * from dids'))), {
      code: '22P02',
    })
})

test('what belongs to another tenant is neither changed, deleted, taken over nor added', async (t) => {
  for (const [table, row] of fence.rows.theirs) {
    const [key = ''] = Object.keys(row)
    const mayChange = ![
      'logs',
      'log_pending',
      'log_chain',
      'log_counts',
      'log_seals',
      'outbox',
      'status_list_publications',
    ].includes(table)
    for (const text of [
      `update ${table} set ${key} = ${key} where ${key} = ? returning ${key}`,
      `delete from ${table} where ${key} = ? returning ${key}`,
    ])
      if (mayChange && key !== 'tenant_id') t.deepEqual(await inOurs(text, [row[key]]), [], table)
      else if (!mayChange) t.like(await t.throwsAsync(inOurs(text, [row[key]])), { code: '42501' }, table)
    if (mayChange) {
      const moved = inOurs(`update ${table} set tenant_id = ? where tenant_id = ?`, [fence.theirs, fence.ours])
      t.like(await t.throwsAsync(moved), { code: '42501' }, table)
    }
    const mine = fence.rows.ours.get(table) ?? {}
    const { text, values } = insertion(table, {
      ...mine,
      [key]: key === 'tenant_id' ? '' : randomUUID(),
      tenant_id: fence.theirs,
    })
    t.like(await t.throwsAsync(inOurs(text.replace(/\$\d+/g, '?'), values)), { code: '42501' }, table)
  }
})

test('a reference to another tenant’s row is refused by the database itself', async (t) => {
  const { ours, theirs } = fence.rows
  for (const [table, column, foreign] of [
    ['keys', 'did_id', 'dids'],
    ['credentials', 'status_list_id', 'status_lists'],
  ] as const) {
    const row = {
      ...ours.get(table),
      id: randomUUID(),
      [column]: theirs.get(foreign)?.id,
      ...(table === 'keys' ? {} : { status_index: 7 }),
    }
    const { text, values } = insertion(table, row)
    t.like(await t.throwsAsync(inOurs(text.replace(/\$\d+/g, '?'), values)), { code: '23503' }, table)
  }
})

test('two tenants, 200 at once each on three connections, a third of them undone: no foreign row', async (t) => {
  // on a busy machine the last of 400 wait longer than a request may
  const small = await connect(roleUrl(fence.database.url, fence.masterKey, 'app'), 3, 30_000)
  const sql = await sqlOf(small)
  const undone = new Error('undone on purpose')
  let [rows, failed] = [0, 0]
  const look = async (tenant: string, nth: number) => {
    const other = tenant === fence.ours ? fence.theirs : fence.ours
    const work = inTenant(small, tenant, async (em) => {
      const found = await em.execute<{ tenant_id: string }[]>(
        'select tenant_id from dids union all select tenant_id from keys',
      )
      t.true(found.every(({ tenant_id }) => tenant_id === tenant))
      rows += found.length
      if (nth % 7 === 1) await em.execute('select 1/0')
      if (nth % 3 === 0) throw undone
      if (nth % 5 === 0) await em.execute(`select set_config('app.tenant', '', true)`)
    })
    await work.catch(() => failed++)
    // statements that set the tenant for themselves share the connections, and leave nothing behind
    const { rows: claimed } = await sql.query<{ state: string }>({
      text: `select state from claim_idempotency_key($1, $2, '', 30, 24)`,
      values: [nth % 2 ? tenant : other, `key-${nth}-${tenant}`],
    })
    t.is(claimed[0]?.state, 'claimed')
    const { rows: left } = await sql.query<{ tenant: string | null; seen: number }>({
      text: `select current_setting('app.tenant', true) as tenant, (select count(*)::int from dids) as seen`,
      values: [],
    })
    t.true(!left[0]?.tenant && left[0]?.seen === 0)
  }
  try {
    const all = Array.from({ length: 200 }, (_, nth) => [look(fence.ours, nth), look(fence.theirs, nth)]).flat()
    await Promise.all(all)
    t.is(rows, 400 * 2)
    t.true(failed > 130)
  } finally {
    await small.close()
  }
})
