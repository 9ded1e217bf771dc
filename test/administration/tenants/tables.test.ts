import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createTenantErasure } from '../../../activities/administration/tenants/erase.ts'
import { inOrderOfDeletion, ownedTables, rowsOfTenant } from '../../../activities/administration/tenants/tables.ts'
import { alongIndex } from '../../../activities/frame/slices.ts'
import { connect, sqlOf } from '../../../entities/orm.ts'
import { type Fence, furtherRowsFor, insertion, openFence } from '../../support/frame/fence.ts'

let fence: Fence
test.before(async () => {
  fence = await openFence()
})
test.after.always(() => fence?.close())

const refers = (from: string, to: string, cascades = false) => ({ from, to, cascades })

test('rows are deleted before those that they refer to; of two that refer to each other, the one that takes the other', (t) => {
  t.deepEqual(inOrderOfDeletion(['a', 'b', 'c'], [refers('b', 'a'), refers('c', 'b'), refers('a', 'elsewhere')]), [
    ...['c', 'b', 'a'],
  ])
  t.deepEqual(inOrderOfDeletion(['a', 'b'], [refers('b', 'a', true)]), ['b', 'a'])
  t.deepEqual(inOrderOfDeletion(['a', 'b'], [refers('b', 'a', true), refers('a', 'b')]), ['a', 'b'])
  t.throws(() => inOrderOfDeletion(['a', 'b'], [refers('b', 'a'), refers('a', 'b')]), { message: /circle: a, b/ })
})

test('the deletion knows every table that has an owner, and may delete from it: none can be forgotten', async (t) => {
  const owned = await fence.ownedTables()
  t.true(owned.length > 50)
  t.deepEqual((await ownedTables(fence.database.systemSql)).toSorted(), owned.toSorted())
  const rights = await fence.asked<{ name: string; may: boolean }>(
    `select name, has_table_privilege(current_user, name, 'select') and has_table_privilege(current_user, name, 'delete') as may
     from unnest($1::text[]) as name`,
    [owned],
  )
  t.deepEqual(
    rights.filter(({ may }) => !may),
    [],
  )
})

const WITHOUT_TENANTS_INDEX = `select c.relname as name from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and not exists (select from pg_index i
  where i.indrelid = c.oid and i.indisvalid and i.indpred is null and i.indkey[0] = a.attnum)
order by 1`

/** An index of one tenant's rows is none: a tenant has many. */
const UNINDEXED_REFERENCES = `select c.conrelid::regclass::text || ' (' || (select string_agg(a.attname, ', ' order by k.n)
    from unnest(c.conkey) with ordinality k(attnum, n)
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.attnum) || ')' as name
from pg_constraint c where c.contype = 'f' and c.connamespace = 'public'::regnamespace and not exists (
  select from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
  where i.indrelid = c.conrelid and i.indisvalid and a.attnum = any (c.conkey)
    and (cardinality(c.conkey) = 1 or a.attname <> 'tenant_id' or i.indkey[1] = any (c.conkey))
    and (i.indpred is null or exists (select from pg_attribute p where p.attrelid = c.conrelid and p.attnum = any (c.conkey)
      and pg_get_expr(i.indpred, i.indrelid) = format('(%I IS NOT NULL)', p.attname))))
order by 1`

const names = async (text: string) => (await fence.asked<{ name: string }>(text)).map(({ name }) => name)

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Cond'?: string
  Plans?: Plan[]
}
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

test('a tenant’s rows are found in every table without reading those of all others', async (t) => {
  const foundOtherwise = ['credential_batch_rows', 'outbox']
  // a queue that is emptied every second
  t.deepEqual(await names(WITHOUT_TENANTS_INDEX), [...foundOtherwise, 'log_pending'].sort())
  for (const table of foundOtherwise) {
    const text = `explain (format json) ${rowsOfTenant(table)} limit 1000`
    const rows = await alongIndex<{ 'QUERY PLAN': [{ Plan: Plan }] }>(fence.database.system, text, [fence.ours])
    const nodes = rows.flatMap((row) => row['QUERY PLAN']).flatMap(({ Plan }) => nodesOf(Plan))
    const reads = nodes.filter((node) => node['Relation Name'] !== undefined)
    t.true(reads.some((node) => node['Relation Name'] === table))
    for (const node of reads) t.regex(node['Index Cond'] ?? node['Node Type'], /tenant_id|batch_id/, table)
  }
})

test('what refers to a row that is deleted is found by an index', async (t) => {
  t.deepEqual(await names(UNINDEXED_REFERENCES), [
    // these go with their tenant alone, after the rows that refer to them
    'credential_batches (tenant_id, template_id, template_version)',
    'openid_sessions (tenant_id, provider_id)',
    // environments are never deleted
    'tenants (environment_id)',
  ])
  const order = await ownedTables(fence.database.systemSql)
  for (const [first, then] of [
    ['credential_batches', 'semantic_template_versions'],
    ['openid_sessions', 'authentication_providers'],
  ] as const)
    t.true(order.indexOf(first) < order.indexOf(then), first)
})

/** No workflow runs: Temporal has nothing to end. */
const temporal = {
  within: <T>(call: () => Promise<T>) => call(),
  client: { workflow: { list: async function* () {} } },
}

test.serial(
  'of a tenant with a row in every table none is left, and another tenant keeps all of its own',
  async (t) => {
    const { database, ours, theirs, rows } = fence
    const owner = await connect(database.superuserUrl, 1)
    t.teardown(() => owner.close())
    const superuser = await sqlOf(owner)
    for (const [tenant, known] of [
      [ours, rows.ours],
      [theirs, rows.theirs],
    ] as const) {
      await superuser.query({ text: 'begin', values: [] }) // some refer to each other
      for (const [table, row] of furtherRowsFor(tenant, known)) await superuser.query(insertion(table, row))
      await superuser.query({ text: 'commit', values: [] })
    }
    const tables = await ownedTables(database.systemSql)
    const counts = async (tenant: string) =>
      Object.fromEntries(
        await Promise.all(
          tables.map(async (table) => {
            const text = `select count(*)::int as count from ${table} where tenant_id = $1`
            const found = await fence.asked<{ count: number }>(text, [tenant])
            return [table, found[0]?.count ?? 0] as const
          }),
        ),
      )
    const before = await counts(ours)
    t.deepEqual(
      tables.filter((table) => before[table] === 0),
      [],
      'a table without a row proves nothing',
    )
    const othersBefore = await counts(theirs)
    await superuser.query({ text: 'update tenants set deleted_at = now() where id = $1', values: [theirs] })
    await superuser.query({
      text: `insert into deleted_tenants (id, subdomain, name, client_id, request_id, requested_at)
      select id, subdomain, name, 'x', $2, now() from tenants where id = $1`,
      values: [theirs, randomUUID()],
    })
    const destroyed: string[] = []
    const keys = { delete: async ({ keyId }: { keyId: string }) => void destroyed.push(keyId) }
    const parts = { database, systemSql: database.systemSql, temporal, keys, now: () => new Date(), uuid: randomUUID }
    const erasure = createTenantErasure(parts as never)
    const subject = { tenantId: ours, subjectTenantId: theirs }
    t.deepEqual(await erasure.finishTenantDeletion(subject), { erased: false })
    const starts = () => fence.asked('select 1 from outbox where tenant_id = $1 and started_at is null', [theirs])
    t.is((await starts()).length, 1)
    t.deepEqual(await erasure.endTenantWork(subject), { running: false })
    t.deepEqual(await starts(), [], 'nothing is started for it any more')
    while (!(await erasure.deleteTenantRows(subject)).done);
    t.deepEqual(destroyed, [rows.theirs.get('keys')?.id], 'a key goes before its row')
    t.deepEqual(await erasure.finishTenantDeletion(subject), { erased: true })
    t.deepEqual(await erasure.finishTenantDeletion(subject), { erased: true })
    t.deepEqual(Object.values(await counts(theirs)).filter(Boolean), [])
    const { logs, log_pending: pending, ...kept } = await counts(ours)
    const { logs: logsBefore = 0, log_pending: _pending, ...keptBefore } = before
    t.deepEqual(kept, keptBefore)
    t.is(logs, logsBefore + 1, 'one entry in the log of the tenant that did it')
    t.true(Number(pending) > 0)
    const [tombstone] = await fence.asked<{ step: string; rows: string; keys: number }>(
      'select step, rows_deleted as rows, keys_destroyed as keys from deleted_tenants where id = $1',
      [theirs],
    )
    t.like(tombstone, { step: 'erased', keys: 1 })
    const total = Object.values(othersBefore).reduce((sum, count) => sum + count, 0)
    t.true(Number(tombstone?.rows) > 0 && Number(tombstone?.rows) <= total)
    // what a step that was under way writes later goes at the next purge
    await superuser.query(
      insertion('openid_used_nonces', {
        ...{ tenant_id: theirs, nonce_digest: Buffer.alloc(0), issuance_id: randomUUID(), expires_at: new Date() },
      }),
    )
    t.is(await erasure.eraseLeftovers(), 1)
    t.is(await erasure.eraseLeftovers(), 0)
  },
)

test.serial('a deleted tenant whose rows cannot be deleted holds up no other one', async (t) => {
  const { database } = fence
  const [stuck, other] = [randomUUID(), randomUUID()]
  const owner = await connect(database.superuserUrl, 1)
  t.teardown(() => owner.close())
  const superuser = await sqlOf(owner)
  for (const [id, days] of [
    [stuck, 2],
    [other, 1],
  ] as const) {
    await superuser.query({
      text: `insert into deleted_tenants (id, subdomain, name, client_id, request_id, requested_at, erased_at)
      values ($1::uuid, $1::uuid::text, '', 'x', $2, now(), now() - make_interval(days => $3))`,
      values: [id, randomUUID(), days],
    })
    await superuser.query(
      insertion('openid_used_nonces', {
        ...{ tenant_id: id, nonce_digest: Buffer.alloc(0), issuance_id: randomUUID(), expires_at: new Date() },
      }),
    )
  }
  for (const text of [
    `create function stay() returns trigger language plpgsql as $$ begin raise exception 'stays'; end $$`,
    `create trigger stay before delete on openid_used_nonces for each row when (old.tenant_id = '${stuck}')
     execute function stay()`,
  ])
    await superuser.query({ text, values: [] })
  const logged: unknown[] = []
  const log = { error: (about: { deletedTenantId: string }) => logged.push(about.deletedTenantId) }
  const parts = { database, systemSql: database.systemSql, temporal, log, now: () => new Date(), uuid: randomUUID }
  await t.throwsAsync(createTenantErasure(parts as never).eraseLeftovers(), { message: new RegExp(stuck) })
  t.deepEqual(logged, [stuck])
  const left = await fence.asked('select tenant_id as id from openid_used_nonces where tenant_id = any ($1::uuid[])', [
    [stuck, other],
  ])
  t.deepEqual(left, [{ id: stuck }])
})
