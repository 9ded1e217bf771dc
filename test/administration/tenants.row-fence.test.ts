import test from 'ava'
import { ownedByTenant } from '../../entities/base.ts'
import { Did } from '../../entities/dids.ts'
import { inTenant } from '../../entities/orm.ts'
import { openTarget } from '../support/frame/hostile.ts'
import { type Tenants, testIsolation, withSecondTenant } from '../support/frame/isolation/index.ts'

const { cond } = ownedByTenant.tenant

let tenants: Tenants
test.before(async () => {
  // in this process, the platform's among it, the ORM's filter answers everything
  ownedByTenant.tenant.cond = () => ({})
  tenants = await withSecondTenant(await openTarget())
})
test.after.always(async () => {
  await tenants?.target.close()
  ownedByTenant.tenant.cond = cond // for the files after this one in the same process
})

test.serial('with a filter that answers everything the ORM holds nobody back', async (t) => {
  const { database, systemSql } = tenants.target.world.dependencies
  const { rows } = await systemSql.query<{ count: number }>({ text: 'select count(*)::int from dids', values: [] })
  const { tenantId } = tenants.theirs.client
  t.is(await inTenant(database.system, tenantId, (em) => em.count(Did, {})), rows[0]?.count ?? Number.NaN)
  t.true((await inTenant(database.tenants, tenantId, (em) => em.count(Did, {}))) < (rows[0]?.count ?? 0))
})

testIsolation(test, () => tenants, { where: ', by row-level security alone' })
