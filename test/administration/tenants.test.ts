import test from 'ava'
import { openTarget } from '../support/frame/hostile.ts'
import { type Tenants, testIsolation, withSecondTenant } from '../support/frame/isolation/index.ts'

let tenants: Tenants
test.before(async () => {
  tenants = await withSecondTenant(await openTarget())
})
test.after.always(() => tenants?.target.close())

testIsolation(test, () => tenants)

test.serial('a token counts for its own tenant, whatever host or header the request names', async (t) => {
  const { target, theirs } = tenants
  const host = new URL(target.world.url).host
  const named: Record<string, string>[] = [
    { host: `first.${host}` },
    { host: `evil.example` },
    { 'x-tenant-id': target.sample.client.tenantId },
    { 'x-forwarded-host': `first.${host}` },
  ]
  for (const headers of named) {
    const { text, status } = await target.client.ask({ path: '/v1/dids?limit=1000', token: theirs.token, headers })
    t.is(status, 200)
    t.true(text.includes(theirs.did))
    t.false(text.includes(target.sample.did))
  }
})
