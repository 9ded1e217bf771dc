import test from 'ava'
import { type DomainAnswer, domainsOf } from '../support/domains.ts'
import { startTestDns, type TestDns } from '../support/parts/dns.ts'
import { openWorld, type World } from '../support/world.ts'

let dns: TestDns
let world: World
test.before(async () => {
  dns = await startTestDns()
  world = await openWorld({ env: { OUTBOUND_DNS_SERVER: dns.address } })
})
test.after.always(async () => {
  await world?.close()
  await dns?.close()
})

const typeOf = (reply: { json<T>(): T }) => reply.json<{ type: string }>().type

test('a path without an id means the only domain of the tenant (D-491)', async (t) => {
  const token = await world.tokenOf(await world.addTenant())
  const domains = domainsOf(world, token)
  const ask = (path: string, method: string, body?: object) =>
    world.ask(`/core/v1/config/domain${path}`, { method, token, body })
  t.is((await ask('', 'DELETE')).status, 404)
  const { id, verificationToken } = await domains.created()
  t.like((await ask('', 'PUT', { name: 'The only one' })).json<DomainAnswer>(), { id, name: 'The only one' })
  t.is(typeOf(await ask('/verify', 'POST')), '/problems#domain.not_verified')
  t.like((await ask('/invalidate', 'POST')).json<DomainAnswer>(), { id, verificationToken })
  const { id: other } = await domains.created()
  for (const [path, method, body] of [
    ['', 'PUT', { name: 'Which one?' }],
    ['', 'DELETE'],
    ['/verify', 'POST'],
    ['/invalidate', 'POST'],
  ] as const)
    t.is(typeOf(await ask(path, method, body)), '/problems#domain.several', `${method} ${path}`)
  await domains.remove(other)
  t.is((await ask('', 'DELETE')).status, 204)
  t.is((await domains.list()).totalCount, 0)
})
