import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { createPlatform } from '../../activities/index.ts'
import { createDid, sign, verify } from '../support/credentials/credentials.ts'
import { didsOf, loggedAbout, until } from '../support/credentials/dids.ts'
import { type DomainAnswer, domainsOf } from '../support/domains.ts'
import { type Names, openNames } from '../support/frame/names.ts'
import { openWorld, type World } from '../support/world.ts'

const HOSTS = ['zone', 'asked', 'did', 'late', 'lapse', 'silent', 'gone', 'anew', 'lost', 'away', 'ended'].map(
  (name) => `${name}.acme.test`,
)

let names: Names
let world: World
test.before(async () => {
  names = await openNames(HOSTS)
  const seconds = { DOMAIN_CHECK_SECONDS: '1', DOMAIN_PATIENCE_SECONDS: '12', DOMAIN_RECHECK_SECONDS: '2' }
  world = await openWorld({ workflows: true, env: { ...names.env, ...seconds } })
  names.platform.apiPort = world.config.port
})
test.after.always(async () => {
  await world?.close()
  await names?.close()
})

const own = () => domainsOf(world, world.token)

/** Changes the zone of the test's DNS server. */
const publish = (domain: string, ...texts: string[]) => names.dns.set(domain, { A: ['127.0.0.1'], TXT: texts })

const reaches = (id: string, what: string, is: (domain: DomainAnswer) => boolean): Promise<DomainAnswer> =>
  until(`domain ${what}`, async () => {
    const domain = await own().read(id)
    return is(domain) && domain
  })
const isVerified = ({ isVerified }: DomainAnswer) => isVerified

async function verified(domain: string): Promise<DomainAnswer> {
  const created = await own().created(domain)
  publish(domain, created.verificationToken)
  return reaches(created.id, 'VERIFIED', isVerified)
}

const workflow = (id: string, attempt = 1) =>
  world.dependencies.temporal.client.workflow.getHandle(`${world.first.tenantId}/domains/${id}/verify/${attempt}`)
const stateOf = async (id: string, attempt = 1) => (await workflow(id, attempt).describe()).status.name
const ends = (id: string, attempt = 1) =>
  until('the end of the workflow', async () => (await stateOf(id, attempt)) === 'COMPLETED')
const eventsOf = async (id: string, attempt = 1) =>
  ((await workflow(id, attempt).fetchHistory()).events ?? []).map((event) =>
    Object.keys(event).find((member) => member.endsWith('EventAttributes')),
  )

const SIGNALED = 'workflowExecutionSignaledEventAttributes'

/** The next look is not near. */
const restsFor = (id: string, ms: number) =>
  reaches(id, 'rests', ({ recheck }) => Date.parse(recheck?.nextLookAt ?? '') - Date.now() > ms)

const configurationAt = async (host: string) => (await names.read(host, '/.well-known/did-configuration')).status

test.serial(
  'a zone that changes while the workflow waits verifies the domain, which then serves the tenant',
  async (t) => {
    const did = await createDid(world)
    const { credential } = await sign(world, did, { revocable: true })
    const [domain, subject] = ['zone.acme.test', '/.well-known/did-configuration']
    const created = await own().created(domain)
    const waiting = await reaches(created.id, 'waits', (each) => each.waiting?.code === 'domain.record_missing')
    t.true(Date.parse(waiting.waiting?.nextLookAt ?? '') > Date.parse(waiting.waiting?.lastLookAt ?? ''))
    t.is(
      Date.parse(waiting.waiting?.until ?? '') - Date.parse(created.waiting?.until ?? ''),
      0,
      'the patience does not begin anew with each look',
    )
    t.is(await configurationAt(domain), 404)

    names.dns.set(`_countersign.${domain}`, { TXT: [created.verificationToken] })
    const { verifiedAt, recheck } = await reaches(created.id, 'VERIFIED', isVerified)
    t.truthy(verifiedAt)
    t.is(Date.parse(recheck?.nextLookAt ?? '') - Date.parse(recheck?.lastLookAt ?? ''), 2_000)
    const page = await until('served', async () => {
      const read = await names.read(domain, subject)
      return read.status === 200 && read
    })
    t.true(page.text.includes(`https://${domain}`), 'the linkage names the custom domain as its origin')
    const { statusListCredential } = credential.credentialStatus as { statusListCredential: string }
    const list = await names.read(domain, new URL(statusListCredential).pathname)
    t.is(list.status, 200)
    t.is((await names.read('elsewhere.acme.test', subject).catch(() => ({ status: 0 }))).status, 0)
    t.deepEqual(
      (await loggedAbout(world, world.token, 'CONFIG_CUSTOM_DOMAIN_STATUS_SUCCESS', created.id)).map(
        ({ status }) => status,
      ),
      ['VERIFIED'],
    )
  },
)

test.serial('a request to verify is an update of the workflow, and what it finds is in the answer', async (t) => {
  const domain = 'asked.acme.test'
  const { id, verificationToken } = await own().created(domain)
  const refused = await own().verify(id)
  t.is(refused.status, 400)
  t.like(refused.json(), { type: '/problems#domain.not_verified', errors: [{ code: 'domain.record_missing' }] })
  t.is(await configurationAt(domain), 404, 'the process remembers for 10 s that the host is nobody’s')
  publish(domain, verificationToken)
  const replies = await Promise.all([own().verify(id), own().verify(id), own().verify(id)])
  t.deepEqual(
    replies.map(({ status }) => status),
    [204, 204, 204],
  )
  t.is(await configurationAt(domain), 200, 'and serves it at once')
  t.true((await own().read(id)).isVerified)
  const events = await eventsOf(id)
  t.is(events.filter((name) => name === 'workflowExecutionUpdateCompletedEventAttributes').length, 4)
  const { searchAttributes } = await workflow(id).describe()
  t.regex(String(searchAttributes.Summary), new RegExp(`^verify domain ${id}: VERIFIED, next check at 20`))
  t.false(JSON.stringify(searchAttributes).includes('acme'), 'a domain may lead to a person')
})

test.serial('a did:web lives on a domain as soon as it is verified, whatever the process remembers', async (t) => {
  const domain = 'did.acme.test'
  t.is(await configurationAt(domain), 404, 'the process remembers for 10 s that the host is nobody’s')
  const { id, verificationToken } = await own().created(domain)
  publish(domain, verificationToken)
  await reaches(id, 'VERIFIED', isVerified) // by the worker: the API’s process is told nothing
  const dids = didsOf(world, world.token)
  const { did } = await dids.createWeb(`https://${domain}:${names.port}`)
  const resolved = await dids.reaches(did, 'COMPLETED')
  t.is(resolved.hosting, 'platform')
  t.deepEqual((await names.read(domain, '/.well-known/did.json')).json(), resolved.didDocument)
  const { credential } = await sign(world, did)
  t.true((await verify(world, credential)).verified)
})

test.serial(
  'a domain without its record is given up with the reason, and verified when it is asked for again',
  async (t) => {
    const domain = 'late.acme.test'
    const { id, verificationToken } = await own().created(domain)
    publish(domain, 'v=spf1 -all')
    const given = await reaches(id, 'GIVEN_UP', ({ status }) => status === 'GIVEN_UP')
    t.regex(given.failureReason ?? '', /late\.acme\.test: none of its TXT records is the token: "v=spf1 -all"/)
    t.false('waiting' in given || 'recheck' in given)
    await ends(id)
    t.is(await workflow(id).result(), 'GIVEN_UP')
    const entries = await loggedAbout(world, world.token, 'CONFIG_CUSTOM_DOMAIN_STATUS_FAIL', id)
    t.like(entries, [{ status: 'GIVEN_UP', code: 'domain.record_missing' }])

    t.is((await own().verify(id)).status, 400)
    t.like(await own().read(id), { status: 'WAITING', verificationToken })
    t.is(await stateOf(id, 2), 'RUNNING')
    publish(domain, verificationToken)
    t.is((await own().verify(id)).status, 204)
  },
)

test.serial(
  'a verified domain without its record says so, serves on, and is given up after the patience',
  async (t) => {
    const domain = 'lapse.acme.test'
    const { id } = await verified(domain)
    publish(domain)
    const missed = await reaches(id, 'misses its record', ({ waiting }) => waiting?.code === 'domain.record_missing')
    t.like(missed, { isVerified: true, status: 'VERIFIED' })
    const left = Date.parse(missed.waiting?.until ?? '') - Date.parse(missed.waiting?.lastLookAt ?? '')
    t.true(left > 0 && left <= 12_000, String(left))
    const refused = await own().verify(id)
    t.is(refused.status, 400)
    t.true((await own().read(id)).isVerified, 'a check that fails leaves the state as it is')
    t.is(await configurationAt(domain), 200)
    const given = await reaches(id, 'GIVEN_UP', ({ status }) => status === 'GIVEN_UP')
    t.like(given, { isVerified: false, verifiedAt: null })
    await until('it serves nothing', async () => (await configurationAt(domain)) === 404)
  },
)

test.serial('a DNS that does not answer never takes a verification back', async (t) => {
  const domain = 'silent.acme.test'
  const { id } = await verified(domain)
  names.dns.set(domain, { rcode: 2 })
  names.dns.set(`_countersign.${domain}`, { rcode: 2 })
  const silent = await reaches(id, 'without answer', ({ waiting }) => waiting?.code === 'domain.dns_unanswered')
  t.like(silent, { isVerified: true, status: 'VERIFIED' })
  t.false('until' in (silent.waiting ?? {}))
})

test.serial(
  'a deleted domain serves nothing here at once and elsewhere within 10 s, and its workflow ends',
  async (t) => {
    const domain = 'gone.acme.test'
    const { id } = await verified(domain)
    const elsewhere = createPlatform(world.dependencies) // another process, with caches of its own
    await until('served', async () => (await configurationAt(domain)) !== 404)
    t.is((await elsewhere.tenants.byHost(domain))?.id, world.first.tenantId)
    await restsFor(id, 1_000)
    t.is((await own().remove(id)).status, 204)
    t.is(await configurationAt(domain), 404)
    const from = Date.now()
    await until('forgotten', async () => (await elsewhere.tenants.byHost(domain)) === undefined)
    t.true(Date.now() - from < 12_000)
    await ends(id)
    t.is(await workflow(id).result(), 'OVER')
    t.true((await eventsOf(id)).includes(SIGNALED), 'it does not sleep until its next look, which may be a week')
  },
)

test.serial('an invalidated domain serves nothing, and another workflow waits for the new token', async (t) => {
  const domain = 'anew.acme.test'
  const { id } = await verified(domain)
  await until('served', async () => (await configurationAt(domain)) !== 404)
  await restsFor(id, 1_000)
  const { verificationToken } = (await own().invalidate(id)).json<DomainAnswer>()
  t.is(await configurationAt(domain), 404)
  await ends(id)
  t.true((await eventsOf(id)).includes(SIGNALED))
  const waiting = await reaches(id, 'waits', (each) => each.waiting?.code === 'domain.record_missing')
  t.false(waiting.isVerified)
  publish(domain, verificationToken)
  await reaches(id, 'VERIFIED', isVerified)
  t.is(await stateOf(id, 2), 'RUNNING')
})

test.serial('a domain whose workflow was lost gets one from the next request to verify', async (t) => {
  const domain = 'lost.acme.test'
  const { id, verificationToken } = await own().created(domain)
  await reaches(id, 'waits', ({ waiting }) => waiting?.code === 'domain.record_missing')
  await workflow(id).terminate('test')
  publish(domain, verificationToken)
  t.is((await own().verify(id)).status, 204)
  t.is(await stateOf(id), 'RUNNING')
})

test.serial('without a worker, and when the workflow is ended meanwhile, the API looks itself (D-349)', async (t) => {
  const [away, ended] = [await own().created('away.acme.test'), await own().created('ended.acme.test')]
  for (const { id } of [away, ended]) await reaches(id, 'waits', ({ waiting }) => waiting?.lastLookAt !== undefined)
  await world.stopWorker()
  publish('away.acme.test', away.verificationToken)
  publish('ended.acme.test', ended.verificationToken)
  const replies = Promise.all([own().verify(away.id), own().verify(ended.id)])
  await wait(1_000)
  await workflow(ended.id).terminate('test')
  t.deepEqual(
    (await replies).map(({ status }) => status),
    [204, 204],
  )
  t.true((await own().read(away.id)).isVerified && (await own().read(ended.id)).isVerified)
})
