import test from 'ava'
import { domainWork } from '../../activities/domains/pending-work.ts'
import { createActivities } from '../../activities/index.ts'
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

const own = () => domainsOf(world, world.token)
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

test('a verified domain is missed by no reconciliation before its next look', async (t) => {
  const { systemSql } = world.dependencies
  const { id, domain, verificationToken } = await own().created()
  await systemSql.query({ text: 'update outbox set started_at = now() where object_id = $1', values: [id] })
  const missed = async () => (await domainWork.find(systemSql, { ids: [id] })).length
  t.is(await missed(), 1)
  dns.set(domain, { TXT: [verificationToken] })
  await own().verify(id)
  t.is(await missed(), 0)
  await systemSql.query({
    text: `update domains set next_look_at = now() - interval '1 s' where id = $1`,
    values: [id],
  })
  t.is(await missed(), 1)
  await systemSql.query({
    text: `update domains set given_up_at = now(), is_verified = false where id = $1`,
    values: [id],
  })
  t.is(await missed(), 0, 'nobody looks for one that was given up')
})

test('a look that ends after its domain was given up, deleted or invalidated changes nothing', async (t) => {
  const { lookUpDomain } = createActivities(world.dependencies)
  const { tenantId } = world.first
  const [given, gone, anew] = [await own().created(), await own().created(), await own().created()]
  for (const { domain, verificationToken } of [given, gone, anew]) dns.set(domain, { TXT: [verificationToken] })
  const giveUp = 'update domains set given_up_at = now() where id = $1'
  await world.dependencies.systemSql.query({ text: giveUp, values: [given.id] })
  t.is((await own().remove(gone.id)).status, 204)
  t.is((await own().verify(anew.id)).status, 204)
  const { verificationToken } = (await own().invalidate(anew.id)).json<DomainAnswer>()
  dns.set(anew.domain, { TXT: [verificationToken] })
  for (const { id: domainId } of [given, gone, anew])
    t.deepEqual(await lookUpDomain({ tenantId, domainId, attempt: 1 }), { status: 'OVER' })
  t.like(await own().read(given.id), { isVerified: false, status: 'GIVEN_UP' })
  t.like(await own().read(anew.id), { isVerified: false, status: 'WAITING' })
})
