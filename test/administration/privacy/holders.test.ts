import { randomUUID } from 'node:crypto'
import test from 'ava'
import { forgetHolder } from '../../../activities/credentials/holders.ts'
import { createRevocationSlices } from '../../../activities/credentials/revocations.ts'
import { inTenant } from '../../../entities/orm.ts'
import { createDid, sign } from '../../support/credentials/credentials.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

test('an erasure beside a revocation of the same user leaves what the revocation goes by, and it forgets them', async (t) => {
  const { database, sql, systemSql } = world.dependencies
  const { tenantId } = world.first
  const { id: credentialId } = await sign(world, await createDid(world), { revocable: true })
  const [holderId, other, revocationId] = [randomUUID(), randomUUID(), randomUUID()]
  await inTenant(database.tenants, tenantId, async (em) => {
    const holder = 'insert into credential_holders (tenant_id, holder_id, credential_id) values (?, ?, ?)'
    for (const id of [holderId, other]) await em.execute(holder, [tenantId, id, credentialId])
    await em.execute(
      `insert into credential_revocations (id, tenant_id, scope, subject, purpose, request_id, client_id)
       values (?, ?, 'holder', ?, 'revocation', ?, 'client')`,
      [revocationId, tenantId, holderId, randomUUID()],
    )
  })
  const forget = (id: string) =>
    inTenant(database.tenants, tenantId, (em) => forgetHolder(em, { tenantId, holderId: id }))
  const left = async (id: string) => {
    const text = 'select 1 from credential_holders where holder_id = $1'
    return (await systemSql.query({ text, values: [id] })).rows.length
  }
  await forget(holderId)
  await forget(other)
  t.deepEqual([await left(holderId), await left(other)], [1, 0])
  const { revokeSlice } = createRevocationSlices({ sql })
  t.like(await revokeSlice({ tenantId, revocationId }), { phase: 'done', revoked: 1 })
  t.is(await left(holderId), 0)
})
