import test from 'ava'
import { createActivities } from '../../activities/index.ts'
import { Notification } from '../../entities/credentials/credentials.ts'
import { inTenant } from '../../entities/orm.ts'
import { createDid, type Signed, sign } from '../support/credentials/credentials.ts'
import { until } from '../support/credentials/dids.ts'
import { type Names, openNames } from '../support/frame/names.ts'
import { openWorld, type Reply, type World } from '../support/world.ts'

/** Of one host; above what one recipient gets. */
const PER_HOST = 15

let names: Names
let world: World
let issuer: string
const sent: string[] = []
test.before(async () => {
  names = await openNames()
  world = await openWorld({ workflows: true, env: { ...names.env, NOTIFICATION_LIMIT_PER_HOUR: `${PER_HOST}` } })
  names.platform.apiPort = world.config.port
  issuer = await createDid(world)
  const { outbound } = world.dependencies
  const fetchOut = outbound.fetch
  outbound.fetch = (request) => {
    if (request.method === 'POST') sent.push(request.url)
    return fetchOut(request)
  }
})
test.after.always(async () => {
  await world?.close()
  await names?.close()
})

const AREA = '/v1/credentials/web-semantic'

/** A holder whose messages go to a place of its own. */
function holderAt(path: string, inbox = `${path}/inbox`) {
  const did = `did:web:elsewhere.test%3A${names.port}:${path.replaceAll('/', ':')}`
  const url = `https://elsewhere.test:${names.port}/${inbox}`
  const service = [{ id: `${did}#m`, type: 'DIDCommMessaging', serviceEndpoint: url }]
  names.elsewhere.set(`/${path}/did.json`, JSON.stringify({ id: did, service }))
  names.elsewhere.set(`/${inbox}`, '{}')
  return { did, url, messages: () => sent.filter((each) => each === url).length }
}

const about = (holder: string, by = issuer, token = world.token): Promise<Signed> =>
  sign(world, by, { revocable: true, token, more: { credentialSubject: { id: holder, course: 'CS-101' } } })

const notify = (id: string, token = world.token) =>
  world.ask(`${AREA}/${id}/revocation-status/notification`, { token, body: {} })

const revoke = (id: string, is_revoked: boolean) =>
  world.ask(`${AREA}/${id}/revocation-status`, { token: world.token, body: { is_revoked } })

interface Listed {
  id: string
  status: string
}

const listed = async (id: string) =>
  (await world.ask(`${AREA}/${id}/revocation-status/notification?limit=1000`, { token: world.token })).json<{
    data: Listed[]
  }>().data

const ended = (id: string) =>
  until('the notifications to end', async () => {
    const all = await listed(id)
    return all.every(({ status }) => status !== 'PENDING') && all
  })

/** What was asked for before counts no more. */
async function anHourLater(): Promise<void> {
  const { database } = world.dependencies
  await inTenant(database.tenants, world.first.tenantId, async (em) => {
    await em.execute(`update credential_notifications set created_at = created_at - interval '61 minutes'`)
    await em.execute('delete from rate_limits')
  })
}
test.beforeEach(anHourLater)

/** Rows as they were made, past the API: of one credential, for many recipients. */
async function waiting(credentialId: string, recipients: string[]): Promise<string[]> {
  const { database } = world.dependencies
  const text = `insert into credential_notifications (id, tenant_id, credential_id, recipient, recipient_host, sender, message,
      request_id, client_id, created_at)
    select gen_random_uuid(), ?, ?, name, 'elsewhere.test', ?, '{}', gen_random_uuid(), '', now() - interval '2 hours'
    from json_array_elements_text(?::json) as name returning id`
  const values = [world.first.tenantId, credentialId, issuer, JSON.stringify(recipients)]
  const rows = await inTenant(database.tenants, world.first.tenantId, (em) =>
    em.execute<{ id: string }[]>(text, values),
  )
  return rows.map(({ id }) => id)
}

const refusals = (replies: Reply[]) =>
  replies.flatMap(({ status, headers, text }) =>
    status === 429 ? [[JSON.parse(text).type, Number(headers.get('retry-after'))] as const] : [],
  )

test.serial('a recipient is told once of a status, however often and at once it is asked for (D-171)', async (t) => {
  const holder = holderAt('once')
  const { id } = await about(holder.did)
  const atOnce = await Promise.all(Array.from({ length: 20 }, () => notify(id)))
  for (let n = 0; n < 10; n++) atOnce.push(await notify(id))
  t.deepEqual(new Set(atOnce.map(({ status, text }) => `${status} ${text}`)), new Set(['200 {}']))
  const [first, ...more] = await ended(id)
  t.deepEqual(more, [])
  t.is(first?.status, 'SENT')
  t.is((await notify(id)).status, 200)
  t.deepEqual(
    (await listed(id)).map(({ id: each }) => each),
    [first?.id],
    'a repeat later is the first as well',
  )
  t.is(holder.messages(), 1)
})

test.serial('another status is told of once more, and sixty changes in an hour are ten messages (D-171)', async (t) => {
  const holder = holderAt('flipped')
  const { id } = await about(holder.did)
  const replies: Reply[] = []
  for (let n = 0; n < 60; n++) {
    await revoke(id, n % 2 === 0)
    replies.push(await notify(id))
  }
  t.is(replies.filter(({ status }) => status === 200).length, 10)
  const refused = refusals(replies)
  t.is(refused.length, 50)
  for (const [type, seconds] of refused) {
    t.is(type, '/problems#notification.too_many')
    t.true(seconds > 3_000 && seconds <= 3_600, `${seconds}`)
  }
  t.is((await ended(id)).length, 10, 'a refused one leaves nothing behind')
  t.is(holder.messages(), 10)
  const headers = { 'idempotency-key': `told-${id}` }
  const ask = () => world.ask(`${AREA}/${id}/revocation-status/notification`, { token: world.token, body: {}, headers })
  t.is((await ask()).status, 429)
  await anHourLater()
  t.is((await ask()).status, 200)
  await ended(id)
})

test.serial('recipients at one host get a bounded number of messages in an hour, tenant by tenant', async (t) => {
  const ids: string[] = []
  for (let n = 0; n < PER_HOST + 4; n++) ids.push((await about(holderAt(`crowd/${n}`).did)).id)
  const replies = await Promise.all(ids.map((id) => notify(id)))
  t.is(replies.filter(({ status }) => status === 200).length, PER_HOST)
  t.deepEqual(
    refusals(replies).map(([type]) => type),
    Array.from({ length: 4 }, () => '/problems#notification.too_many'),
  )
  const other = await world.tokenOf(await world.addTenant())
  const { id } = await about(holderAt('crowd/other').did, await createDid(world, 'ed25519', other), other)
  t.is((await notify(id, other)).status, 200)
  const key = await about(await createDid(world))
  t.is((await notify(key.id)).status, 200, 'a recipient without a host is no matter of one')
  for (const each of ids) await ended(each)
})

test.serial('one request for more recipients than a host takes tells none of them', async (t) => {
  const holders = Array.from({ length: PER_HOST + 1 }, (_, n) => holderAt(`together/${n}`))
  const more = { credentialSubject: holders.map(({ did }) => ({ id: did, course: 'CS-101' })) }
  const { id } = await sign(world, issuer, { revocable: true, more })
  t.is((await notify(id)).status, 429)
  t.deepEqual(await listed(id), [])
  const to = holders.slice(1).map(({ did }) => did)
  const reply = await world.ask(`${AREA}/${id}/revocation-status/notification`, { token: world.token, body: { to } })
  t.is(reply.status, 200)
  t.is((await ended(id)).length, PER_HOST)
})

test.serial('a credential of more than a hundred subjects is not told of all at once', async (t) => {
  const more = {
    credentialSubject: Array.from({ length: 101 }, (_, n) => ({ id: `did:example:${n}`, course: 'CS-101' })),
  }
  const { id } = await sign(world, issuer, { revocable: true, more })
  const reply = await notify(id)
  t.is(reply.status, 400)
  t.like(reply.json(), { type: '/problems#request.invalid', errors: [{ path: 'to' }] })
})

test.serial('while a hundred messages wait for one host, no further one is taken', async (t) => {
  const { id } = await about(holderAt('patient').did)
  const rows = await waiting(
    id,
    Array.from({ length: 100 }, (_, n) => `did:example:${n}`),
  )
  const [refused] = refusals([await notify(id)])
  t.is(refused?.[0], '/problems#notification.too_many')
  t.true((refused?.[1] ?? 0) > 0)
  const { concludeNotification } = createActivities(world.dependencies)
  for (const notificationId of rows)
    await concludeNotification({ tenantId: world.first.tenantId, notificationId }, 'FAILED', 'a test')
  t.is((await notify(id)).status, 200)
  await ended(id)
})

test.serial('documents at many places that name one host do not send it more: the rest is tried later', async (t) => {
  const { id } = await about(holderAt('first').did)
  const holders = Array.from({ length: PER_HOST + 3 }, (_, n) => holderAt(`many/${n}`, 'victim'))
  const rows = await waiting(
    id,
    holders.map(({ did }) => did),
  )
  const { deliverNotification, concludeNotification } = createActivities(world.dependencies)
  const outcomes: string[] = []
  for (const notificationId of rows) {
    const subject = { tenantId: world.first.tenantId, notificationId }
    const { state, reason } = await deliverNotification(subject)
    outcomes.push(reason ? `${state} ${reason}` : state)
    await concludeNotification(subject, 'FAILED', 'a test')
  }
  t.deepEqual(outcomes, [
    ...Array.from({ length: PER_HOST }, () => 'SENT'),
    ...Array.from({ length: 3 }, () => 'later notification.too_many'),
  ])
  t.is(holders[0]?.messages(), PER_HOST)
})

test.serial(
  'who refused a message is not sent it again; who was not reached, or has no place for it, may be',
  async (t) => {
    const refusing = holderAt('refusing')
    names.elsewhere.delete('/refusing/inbox')
    const { id: refused } = await about(refusing.did)
    await notify(refused)
    t.like(await ended(refused), [{ status: 'FAILED' }])
    await notify(refused)
    t.is((await ended(refused)).length, 1)
    t.is(refusing.messages(), 1)

    const { id: silent } = await about(await createDid(world))
    await notify(silent)
    t.like(await ended(silent), [{ status: 'NO_SERVICE' }])
    await notify(silent)
    t.is((await ended(silent)).length, 2)

    const away = holderAt('away')
    const { id: unreached } = await about(away.did)
    const [row] = await waiting(unreached, [away.did])
    await inTenant(world.dependencies.database.tenants, world.first.tenantId, (em) =>
      em.nativeUpdate(Notification, { id: row }, { statusChange: 0n }),
    )
    await notify(unreached)
    t.is((await listed(unreached)).length, 1, 'it is under way')
    const { concludeNotification } = createActivities(world.dependencies)
    const subject = { tenantId: world.first.tenantId, notificationId: row ?? '' }
    await concludeNotification(subject, 'FAILED', 'answered 503', true)
    await notify(unreached)
    t.is((await ended(unreached)).length, 2)
    t.is(away.messages(), 1)
  },
)
