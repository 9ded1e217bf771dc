import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createPlatform } from '../../activities/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import { loggedAbout } from '../support/credentials/dids.ts'
import { DOMAINS, type DomainAnswer, domainsOf, newDomainName } from '../support/domains.ts'
import { startTestDns, type TestDns } from '../support/parts/dns.ts'
import { openWorld, type World } from '../support/world.ts'

// no Temporal and no worker: what one request can finish works without them
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

async function otherTenant() {
  const client = await world.addTenant()
  const token = await world.tokenOf(client)
  return { ...client, token, domains: domainsOf(world, token) }
}

test('a domain is created with a token of its own, and waits for its record (specification, Domain record)', async (t) => {
  const domain = newDomainName()
  const reply = await own().create(domain.toUpperCase(), 'The registrar')
  t.is(reply.status, 200)
  const created = reply.json<DomainAnswer>()
  t.like(created, { domain, name: 'The registrar', isVerified: false, verifiedAt: null, status: 'WAITING' })
  t.regex(created.verificationToken, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  t.is(created.waiting?.code, 'domain.check_pending')
  t.false('lastLookAt' in (created.waiting ?? {}))
  t.false('recheck' in created || 'failureReason' in created)
  t.not((await own().created()).verificationToken, created.verificationToken)
  t.deepEqual(await own().read(created.id), created)
  t.is((await loggedAbout(world, world.token, 'CONFIG_CUSTOM_DOMAIN_CREATE_SUCCESS', created.id)).length, 1)
})

test('a list has pages, newest first, with the totals (specification, Endpoints)', async (t) => {
  const { domains } = await otherTenant()
  const made: string[] = []
  for (let nth = 0; nth < 3; nth += 1) made.unshift((await domains.created()).id)
  const page = await domains.list('?limit=2&page=1')
  t.like(page, { limit: 2, totalCount: 3, totalPages: 2 })
  t.deepEqual(
    [...page.domains, ...(await domains.list('?limit=2&page=2')).domains].map(({ id }) => id),
    made,
  )
})

test('an update changes the name alone', async (t) => {
  const created = await own().created()
  const reply = await own().rename(created.id, 'Admissions')
  t.is(reply.status, 200)
  t.deepEqual(reply.json<DomainAnswer>(), { ...created, name: 'Admissions' })
  const path = `${DOMAINS}/${created.id}`
  const names = ['', 'a\nb', ' ', 'a\u202eb', 'x'.repeat(256)].map((name) => ({ name }))
  for (const body of [{}, ...names, { name: 'x', isVerified: true }]) {
    const refused = await world.ask(path, { method: 'PUT', token: world.token, body })
    t.is(refused.status, 400, JSON.stringify(body))
    t.is(typeOf(refused), '/problems#request.invalid')
  }
  t.is((await own().read(created.id)).name, 'Admissions')
})

test('what a caller must not choose is refused, not ignored', async (t) => {
  for (const more of [{ isVerified: true }, { verifiedAt: '2026-01-01T00:00:00Z' }, { verificationToken: 'x' }]) {
    const body = { domain: newDomainName(), name: 'a', ...more }
    t.is((await world.ask(DOMAINS, { token: world.token, body })).status, 400)
  }
})

test('a name that cannot be a custom domain is refused with its rule', async (t) => {
  for (const [domain, rule] of [
    ['https://example.com', 'url'],
    ['10.0.0.1', 'address'],
    ['intranet', 'single_label'],
    ['co.uk', 'public_suffix'],
    [`tenant.${new URL(world.url).hostname}`, 'platform'],
  ]) {
    const reply = await own().create(String(domain))
    t.is(reply.status, 400, domain)
    t.like(reply.json(), { type: '/problems#domain.invalid_name', errors: [{ path: 'domain', code: rule }] })
  }
})

test('without a DNS server of its own the platform takes names below public top-level domains alone (D-165)', async (t) => {
  const { config } = world.dependencies
  const publicly = { ...config, outbound: { ...config.outbound, dnsServer: undefined } }
  const { domains } = createPlatform({ ...world.dependencies, config: publicly })
  const call = { tenantId: world.first.tenantId, clientId: world.first.clientId, requestId: randomUUID() }
  const create = (domain: string) => domains.createDomain(call, { domain, name: 'a' })
  for (const domain of ['db.internal', 'printer.local', 'x.onion', '1.0.0.127.in-addr.arpa']) {
    const error = await t.throwsAsync(create(domain), { instanceOf: Refusal })
    t.like(error, { code: 'domain.invalid_name', errors: [{ path: 'domain', code: 'not_public' }] }, domain)
  }
  t.is((await create(`${randomUUID()}.org`)).status, 'WAITING')
})

test('of 10 concurrent requests for one domain the tenant gets it once', async (t) => {
  const domain = newDomainName()
  const replies = await Promise.all(Array.from({ length: 10 }, () => own().create(domain)))
  t.deepEqual(replies.map(({ status }) => status).toSorted(), [200, ...Array.from({ length: 9 }, () => 409)])
  t.is(typeOf(replies.find(({ status }) => status === 409) ?? replies[0] ?? t.fail()), '/problems#domain.duplicate')
})

test('a repeated Idempotency-Key makes one domain, and invalidates once', async (t) => {
  const { domains, token } = await otherTenant()
  const headers = { 'idempotency-key': randomUUID() }
  const body = { domain: newDomainName(), name: 'a' }
  const [first, second] = [
    await world.ask(DOMAINS, { token, body, headers }),
    await world.ask(DOMAINS, { token, body, headers }),
  ]
  t.deepEqual(second.json(), first.json())
  t.is((await domains.list()).totalCount, 1)
  dns.set(body.domain, { TXT: [first.json<DomainAnswer>().verificationToken] })
  t.is((await domains.verify(first.json<DomainAnswer>().id)).status, 204)
  const invalidate = () =>
    world.ask(`${DOMAINS}/${first.json<DomainAnswer>().id}/invalidate`, {
      method: 'POST',
      token,
      headers: { 'idempotency-key': 'again' },
    })
  t.is(
    (await invalidate()).json<DomainAnswer>().verificationToken,
    (await invalidate()).json<DomainAnswer>().verificationToken,
  )
})

test('a tenant can have 200 domains', async (t) => {
  const { tenantId, domains } = await otherTenant()
  await world.dependencies.systemSql.query({
    text: `insert into domains (id, tenant_id, name, domain, verification_token)
      select gen_random_uuid(), $1, '', n || '.many.example', '' from generate_series(1, 199) n`,
    values: [tenantId],
  })
  const { id } = await domains.created()
  const refused = await domains.create(newDomainName())
  t.is(refused.status, 409)
  t.is(typeOf(refused), '/problems#domain.too_many')
  t.is((await domains.remove(id)).status, 204)
  t.is((await domains.create(newDomainName())).status, 200)
})

test('a deleted domain is gone, and may be created again with another token', async (t) => {
  const { id, domain, verificationToken } = await own().created()
  t.is((await own().remove(id)).status, 204)
  for (const reply of [
    await own().remove(id),
    await own().verify(id),
    await own().invalidate(id),
    await own().rename(id, 'a'),
  ]) {
    t.is(reply.status, 404)
    t.is(typeOf(reply), '/problems#domain.not_found')
  }
  const again = await own().created(domain)
  t.not(again.id, id)
  t.not(again.verificationToken, verificationToken)
})

test('a verification without a record says what was found at which name, and changes nothing', async (t) => {
  const { id, domain } = await own().created()
  dns.set(domain, { TXT: ['v=spf1 -all', 'x'.repeat(300)] })
  const reply = await own().verify(id)
  t.is(reply.status, 400)
  const problem = reply.json<{ type: string; detail: string; errors: object[] }>()
  t.is(problem.type, '/problems#domain.not_verified')
  t.like(problem.errors, [{ path: 'id', code: 'domain.record_missing' }])
  t.true(problem.detail.includes(`${domain}: none of its TXT records is the token: "v=spf1 -all"`), problem.detail)
  t.true(problem.detail.includes(`_countersign.${domain}: no TXT record`))
  const read = await own().read(id)
  t.like(read, { status: 'WAITING', isVerified: false, waiting: { code: 'domain.record_missing' } })
  t.is(read.waiting?.reason, problem.detail)
  t.is((await loggedAbout(world, world.token, 'CONFIG_CUSTOM_DOMAIN_STATUS_SUCCESS', id)).length, 0)
})

test('a DNS server that fails is not an absent record', async (t) => {
  const { id, domain } = await own().created()
  dns.set(domain, { rcode: 2 })
  const reply = await own().verify(id)
  t.like(reply.json(), { type: '/problems#domain.not_verified', errors: [{ code: 'domain.dns_unanswered' }] })
})

for (const [where, prefix] of [
  ['at the domain', ''],
  ['at _countersign', '_countersign.'],
])
  test(`the token ${where} verifies, also while Temporal is away (D-349)`, async (t) => {
    const { id, domain, verificationToken } = await own().created()
    dns.set(`${prefix}${domain}`, { TXT: ['v=spf1 -all', verificationToken] })
    const before = Date.now()
    t.is((await own().verify(id)).status, 204)
    const read = await own().read(id)
    t.like(read, { status: 'VERIFIED', isVerified: true, verificationToken })
    t.false('waiting' in read)
    t.true(Date.parse(read.verifiedAt ?? '') >= before - 1_000)
    const week = Date.parse(read.recheck?.nextLookAt ?? '') - Date.parse(read.recheck?.lastLookAt ?? '')
    t.is(week, 7 * 86_400_000)
    t.is((await own().verify(id)).status, 204, 'a verified domain may be asked for again')
    t.is((await own().read(id)).verifiedAt, read.verifiedAt)
    t.deepEqual(
      (await loggedAbout(world, world.token, 'CONFIG_CUSTOM_DOMAIN_STATUS_SUCCESS', id)).map(({ status }) => status),
      ['VERIFIED'],
    )
  })

test('two tenants may wait for one domain; the first that is verified has it, and the other is told no name', async (t) => {
  const [one, two, late] = [await otherTenant(), await otherTenant(), await otherTenant()]
  const domain = newDomainName()
  const [first, second] = [await one.domains.created(domain), await two.domains.created(domain)]
  dns.set(domain, { TXT: [first.verificationToken, second.verificationToken] })
  const replies = await Promise.all([one.domains.verify(first.id), two.domains.verify(second.id)])
  t.deepEqual(replies.map(({ status }) => status).toSorted(), [204, 409])
  const [winner, loser] = replies[0]?.status === 204 ? [one, two] : [two, one]
  const lost = winner === one ? second : first
  const read = await loser.domains.read(lost.id)
  t.like(read, { status: 'WAITING', isVerified: false, waiting: { code: 'domain.taken' } })
  const refused = await late.domains.create(domain)
  t.is(refused.status, 409)
  t.is(typeOf(refused), '/problems#domain.taken')
  const shown = JSON.stringify([read, refused.text, replies.map(({ text }) => text)])
  for (const secret of [winner.tenantId, winner.subdomain, winner.clientId]) t.false(shown.includes(secret))
  const [won] = (await winner.domains.list()).domains
  t.is((await winner.domains.remove(won?.id ?? '')).status, 204)
  t.is((await loser.domains.verify(lost.id)).status, 204, 'once it is free')
})

test('an invalidated domain has another token, and the record of the former one proves nothing', async (t) => {
  const { id, domain, verificationToken } = await own().created()
  dns.set(domain, { TXT: [verificationToken] })
  t.is((await own().verify(id)).status, 204)
  const reply = await own().invalidate(id)
  t.is(reply.status, 200)
  const invalidated = reply.json<DomainAnswer>()
  t.like(invalidated, { id, domain, isVerified: false, verifiedAt: null, status: 'WAITING' })
  t.not(invalidated.verificationToken, verificationToken)
  t.deepEqual((await own().invalidate(id)).json(), invalidated, 'repeated, it changes nothing')
  t.is((await own().verify(id)).status, 400)
  dns.set(domain, { TXT: [invalidated.verificationToken] })
  t.is((await own().verify(id)).status, 204)
  t.is((await loggedAbout(world, world.token, 'CONFIG_CUSTOM_DOMAIN_INVALIDATE_SUCCESS', id)).length, 2)
})

test('another tenant’s domain is as a missing one, for everything', async (t) => {
  const { domains } = await otherTenant()
  const { id, domain } = await own().created()
  for (const reply of [
    await domains.rename(id, 'a'),
    await domains.verify(id),
    await domains.invalidate(id),
    await domains.remove(id),
  ]) {
    t.is(reply.status, 404)
    t.false(reply.text.includes(domain))
  }
  t.is((await domains.list()).totalCount, 0)
})

test('each operation needs its scope', async (t) => {
  const { id } = await own().created()
  const read = domainsOf(world, await world.tokenOf(world.first, 'domains:read'))
  t.is((await read.read(id)).id, id)
  for (const reply of [
    await read.create(newDomainName()),
    await read.verify(id),
    await read.invalidate(id),
    await read.remove(id),
  ])
    t.is(typeOf(reply), '/problems#token.insufficient_scope')
  const write = domainsOf(world, await world.tokenOf(world.first, 'domains:write'))
  t.is((await world.ask(DOMAINS, { token: await world.tokenOf(world.first, 'domains:write') })).status, 403)
  t.is((await write.remove(id)).status, 204)
})
