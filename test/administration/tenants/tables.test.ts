import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createTenantErasure } from '../../../activities/administration/tenants/erase.ts'
import { inOrderOfDeletion, ownedTables } from '../../../activities/administration/tenants/tables.ts'
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
