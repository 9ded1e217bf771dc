import { randomUUID } from 'node:crypto'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import test from 'ava'
import { connect, entities, inTenant } from '../../entities/orm.ts'
import { type Fence, furtherRowsFor, insertion, openFence, SYSTEMS_ALONE } from '../support/frame/fence.ts'
import { openTarget } from '../support/frame/hostile.ts'
import { type Tenants, testIsolation, withSecondTenant } from '../support/frame/isolation/index.ts'

/** As the owner: row-level security lets the application's role see and change everything. */
async function openPolicies(url: string) {
  const owner = await connect(url, 1)
  const connection = owner.em.getConnection()
  const policies = await connection.execute<{ name: string }[]>(
    `select tablename as name from pg_policies where policyname = 'tenant' order by 1`,
  )
  for (const { name } of policies)
    await connection.execute(`alter policy tenant on ${name} using (true) with check (true)`)
  await owner.close()
  return policies.length
}

/** One row of every kind for both tenants. */
async function fill({ database, ours, theirs, rows }: Fence) {
  for (const [tenant, known] of [
    [ours, rows.ours],
    [theirs, rows.theirs],
  ] as const)
    await inTenant(database.tenants, tenant, async (em) => {
      for (const [table, row] of furtherRowsFor(tenant, known)) {
        if (SYSTEMS_ALONE.has(table)) continue
        const { text, values } = insertion(table, row)
        await em.execute(text.replace(/\$\d+/g, '?'), values)
      }
    })
}

let fence: Fence
let tenants: Tenants
test.before(async () => {
  fence = await openFence()
  await fill(fence)
  await openPolicies(fence.database.url)
  tenants = await withSecondTenant(await openTarget())
  await openPolicies(tenants.target.world.config.database.url)
})
test.after.always(async () => {
  await fence?.close()
  await tenants?.target.close()
})

const WHERE = ', by the ORM’s filter alone'

/** What the application's role may not do, whoever's row it is (`RIGHTS` of the areas in entities/). */
const APPENDED = [
  'LogEntry',
  'OutboxEntry',
  'SemanticTemplateVersion',
  'StatusChange',
  'StatusListPublication',
  'WebhookEvent',
]
/** Deleted by the callback that uses them. */
const USED_ONCE = ['OpenIdAuthorization']
const KEPT = [...APPENDED, 'Erasure', 'Revocation', 'WebhookDelivery']

test.serial('with its policies open row-level security holds nobody back', async (t) => {
  for (const table of ['dids', 'credentials', 'credential_revocations']) {
    const found = await fence.query<{ tenants: number }>(
      `select count(distinct tenant_id)::int as tenants from ${table}`,
    )
    t.deepEqual(found, [{ tenants: 2 }], table)
  }
})

for (const entity of entities)
  test.serial(`${entity.name}: found, counted, changed and deleted are the tenant’s own alone${WHERE}`, async (t) => {
    const { tenants: orm } = fence.database
    const { properties, primaryKeys, tableName, name } = orm.getMetadata().get(entity as never)
    if (!properties.tenantId) return t.false((await fence.ownedTables()).includes(tableName), 'it has no owner')
    const inOurs = <T>(work: (em: SqlEntityManager) => Promise<T>): Promise<T> => inTenant(orm, fence.ours, work)
    if (SYSTEMS_ALONE.has(tableName)) {
      await t.throwsAsync(
        inOurs((em) => em.find(entity as never, {})),
        { message: /permission denied/ },
      )
      return
    }
    const found = await inOurs((em) => em.find(entity as never, {}))
    t.is(found.length, 1, 'one row each, in support/fence.ts')
    for (const row of found) t.is(Reflect.get(row, 'tenantId'), fence.ours)
    t.is(await inOurs((em) => em.count(entity as never, {})), 1)
    t.is((await inOurs((em) => em.findAndCount(entity as never, {}, { limit: 5 })))[1], 1)
    const theirs = await inTenant(orm, fence.theirs, (em) => em.find(entity as never, {}))
    t.is(theirs.length, 1)
    for (const row of theirs) {
      const keys = Object.fromEntries(primaryKeys.map((key) => [key, Reflect.get(row, key)])) as never
      t.is(await inOurs((em) => em.findOne(entity as never, keys)), null)
      const change = () => inOurs((em) => em.nativeUpdate(entity as never, keys, { tenantId: fence.ours } as never))
      const remove = () => inOurs((em) => em.nativeDelete(entity as never, keys))
      if (![...APPENDED, ...USED_ONCE].includes(name ?? '')) t.is(await change(), 0)
      if (!KEPT.includes(name ?? '')) t.is(await remove(), 0)
    }
    await t.throwsAsync(orm.em.fork().find(entity as never, {}))
    t.deepEqual(await inTenant(orm, randomUUID(), (em) => em.find(entity as never, {})), [])
  })

// each is one SQL function, which knows its tenant by row-level security alone
testIsolation(test, () => tenants, {
  where: WHERE,
  except: ['setWebSemanticRevocationStatus', 'setWebSemanticSuspensionStatus'],
})
