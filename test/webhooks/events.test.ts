import { randomUUID } from 'node:crypto'
import test from 'ava'
import { Webhook } from 'standardwebhooks'
import { createPlatform } from '../../activities/index.ts'
import { createWebhookKeyRotation } from '../../activities/webhooks/keys.ts'
import { connect, inTenant } from '../../entities/orm.ts'
import { LogEntry } from '../../entities/tokens-logs.ts'
import { until } from '../support/credentials/dids.ts'
import { FAULTS, status } from '../support/receiver.ts'
import { type DeliveryAnswer, webhooksOf } from '../support/webhooks.ts'
import { deliveriesOf, keyOf, TYPE } from '../support/webhooks.world.ts'

const { receiver, beside, own, hook, emit, deliveryOf, opened } = deliveriesOf(test)

test.serial('the event and the credential that it tells of are committed together or not at all', async (t) => {
  const webhook = await hook('together')
  const { dependencies, first } = beside().world
  const { webhookEvents } = createPlatform(dependencies)
  const recordWith = (id: string, fails: boolean) =>
    inTenant(dependencies.database.tenants, first.tenantId, async (em) => {
      em.create(LogEntry, {
        ...{ id, tenantId: first.tenantId, category: 'openid', type: 'OPENID_CREDENTIAL_SUCCESS' },
        ...{ timestamp: new Date(), requestId: randomUUID(), data: {}, metadata: {}, objectIds: [id] },
      })
      await webhookEvents.emitEvent(em, { id, tenantId: first.tenantId, type: TYPE, payload: { credentialId: id } })
      if (fails) throw new Error('a crash')
    })
  const [lost, kept] = [randomUUID(), randomUUID()]
  await t.throwsAsync(recordWith(lost, true), { message: 'a crash' })
  await recordWith(kept, false)
  t.is((await own().ended((await deliveryOf(webhook.id)).id)).eventId, kept)
  t.is((await own().deliveries(`?webhookId=${webhook.id}`)).totalCount, 1)
})

test.serial('an event with an id that was there before changes nothing, even at the same time', async (t) => {
  const webhook = await hook('once')
  const id = randomUUID()
  const counts = await Promise.all([1, 2, 3].map(() => emit({}, id)))
  t.deepEqual(counts.map(({ count }) => count).toSorted(), [0, 0, 1])
  await own().ended((await deliveryOf(webhook.id)).id)
  t.is(receiver.at('/once').length, 1)
  await own().update(webhook.id, { disabled: true })
  // whichever index of the table tells first: which one it is, differs from pair to pair
  for (let pair = 0; pair < 30; pair += 1) {
    const twice = randomUUID()
    await t.notThrowsAsync(Promise.all([emit({}, twice), emit({}, twice), emit({}, twice)]))
  }
})

test.serial('an event goes to the webhooks of its tenant that ask for it, and to no other', async (t) => {
  const [asks, asksNot, disabled] = [
    await hook('asks'),
    await hook('asks-not', { events: ['OidcIssuerCredentialIssued'] }),
    await hook('disabled', { disabled: true }),
  ]
  const other = await beside().world.addTenant()
  const theirs = webhooksOf(beside().world, await beside().world.tokenOf(other))
  const foreign = await theirs.created({ url: beside().urlOf('foreign'), events: [TYPE] })
  t.is((await emit()).count, 1)
  await own().ended((await deliveryOf(asks.id)).id)
  for (const { id } of [asksNot, disabled]) t.is((await own().deliveries(`?webhookId=${id}`)).totalCount, 0)
  t.is((await theirs.deliveries()).totalCount, 0)
  t.is((await emit({}, randomUUID(), other.tenantId)).count, 1)
  const [delivery] = (await theirs.deliveries()).deliveries
  t.is((await theirs.ended(delivery?.id ?? '')).webhookId, foreign.id)
  t.is(
    (await beside().world.ask(`/v1/webhooks/deliveries/${delivery?.id}`, { token: beside().world.token })).status,
    404,
  )
  t.is((await own().redeliver(delivery?.id ?? '')).status, 404)
  t.is((await own().redeliverFailed(foreign.id, '2020-01-01T00:00:00Z')).status, 404)
  t.is((await own().test(foreign.id)).status, 404)
})

test.serial('a test event goes to the named webhook alone, and says that it is one', async (t) => {
  const [named, other] = [await hook('named', { events: ['OidcIssuerCredentialIssued'] }), await hook('unnamed')]
  const reply = await own().test(named.id)
  t.is(reply.status, 202)
  const { id, eventId } = reply.json<DeliveryAnswer>()
  t.is(reply.headers.get('location'), `/v1/webhooks/deliveries/${id}`)
  t.is((await own().ended(id)).status, 'DELIVERED')
  const [received] = receiver.at('/named')
  if (!received) return t.fail()
  const { event } = await opened(received, named.id)
  t.like(event, { id: eventId, type: 'WebhookTest', payload: { test: true, webhookId: named.id } })
  t.is((await own().deliveries(`?webhookId=${other.id}`)).totalCount, 0)
  for (let nth = 1; nth < 10; nth += 1) t.is((await own().test(named.id)).status, 202)
  const refused = await own().test(named.id)
  t.like(refused.json(), { status: 429, type: '/problems#webhook.too_many_tests' })
  t.is(refused.headers.get('retry-after'), '60')
})

test.serial('a secret adds the signature of Standard Webhooks, which their library verifies', async (t) => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const [named, raw] = [await hook('secret', { secret }), await hook('raw', { secret: 'a-secret-of-our-own' })]
  await emit()
  await own().ended((await deliveryOf(named.id)).id)
  await own().ended((await deliveryOf(raw.id)).id)
  const [first, second] = [receiver.at('/secret')[0], receiver.at('/raw')[0]]
  if (!first || !second) return t.fail()
  t.notThrows(() => new Webhook(secret).verify(first.body, first.headers))
  t.notThrows(() => new Webhook('a-secret-of-our-own', { format: 'raw' }).verify(second.body, second.headers))
  t.throws(() => new Webhook(secret).verify(`${first.body.toString()} `, first.headers))
  t.throws(() => new Webhook(secret).verify(second.body, second.headers))
  t.truthy(await opened(first, named.id), 'beside the signature of the platform')
})

test.serial('a delivery is made again with a new delivery id and the same event id', async (t) => {
  const webhook = await hook('again')
  const { id: eventId } = await emit({ n: 1 })
  const before = await own().ended((await deliveryOf(webhook.id)).id)
  const reply = await own().redeliver(before.id)
  t.is(reply.status, 202)
  const again = await own().ended(reply.json<DeliveryAnswer>().id)
  t.like(again, { status: 'DELIVERED', eventId, webhookId: webhook.id })
  t.not(again.id, before.id)
  const bodies = await Promise.all(receiver.at('/again').map((each) => opened(each, webhook.id)))
  t.deepEqual(
    bodies.map(({ deliveryId }) => deliveryId),
    [before.id, again.id],
  )
  t.deepEqual(bodies[0]?.event, bodies[1]?.event)

  receiver.script('/again', FAULTS.silent)
  const replies = await Promise.all([1, 2, 3].map(() => own().redeliver(before.id)))
  t.deepEqual(replies.map(({ status: code }) => code).toSorted(), [202, 409, 409])
  t.is(
    replies.find(({ status: code }) => code === 409)?.json<{ type: string }>().type,
    '/problems#webhook.delivery_pending',
  )
})

test.serial('all that failed since a time is delivered again, once', async (t) => {
  receiver.script('/failed', (nth, response) => status(nth < 12 ? 500 : 200)(nth, response))
  const webhook = await hook('failed')
  const since = new Date().toISOString()
  const emitted = [(await emit()).id, (await emit()).id, (await emit()).id]
  for (const delivery of (await own().deliveries(`?webhookId=${webhook.id}`)).deliveries)
    t.is((await own().ended(delivery.id)).status, 'FAILED')
  t.is((await own().deliveries(`?webhookId=${webhook.id}&status=FAILED&since=${since}`)).totalCount, 3)
  const later = new Date(Date.now() + 60_000).toISOString()
  t.deepEqual((await own().redeliverFailed(webhook.id, later)).json(), { redelivered: 0, more: false })
  const reply = await own().redeliverFailed(webhook.id, since)
  t.is(reply.status, 202)
  t.deepEqual(reply.json(), { redelivered: 3, more: false })
  t.deepEqual((await own().redeliverFailed(webhook.id, since)).json(), { redelivered: 0, more: false })
  await until('all delivered', async () => {
    const page = await own().deliveries(`?webhookId=${webhook.id}&status=DELIVERED&limit=2`)
    return page.totalCount === 3 && page.deliveries.length === 2 && page.totalPages === 2
  })
  const arrived = receiver.at('/failed').slice(12)
  t.deepEqual(arrived.map(({ headers }) => String(headers['webhook-id'])).toSorted(), emitted.toSorted())
})

test.serial('another key signs after it was published, and what the old one signed stays good', async (t) => {
  const webhook = await hook('rotated')
  const delivered = async () => {
    await emit()
    await own().ended((await deliveryOf(webhook.id)).id)
    return receiver.at('/rotated').at(-1)
  }
  const { dependencies, config } = beside().world
  const rotation = createWebhookKeyRotation({ ...dependencies, config: { webhooks: { keyDays: 0 } } })
  const before = await delivered()
  await rotation.addWebhookKey(randomUUID())
  const fresh = createPlatform(dependencies).webhookKeys // as in a process that reads the keys now
  t.is((await fresh.current()).keySet.keys.length, 2, 'published')
  t.is((await fresh.current()).kid, keyOf(before ?? t.fail()), 'and not used yet')
  const age = async (time: string) => {
    const owner = await connect(config.database.url, 1)
    await owner.em.getConnection().execute(`update webhook_keys set created_at = created_at - interval '${time}'`)
    await owner.close()
  }
  await age('59 minutes')
  t.is((await fresh.reload()).kid, keyOf(before ?? t.fail()), 'nor for as long as a key set may be cached, many times')
  await age('2 minutes')
  const settled = await fresh.reload()
  t.not(settled.kid, keyOf(before ?? t.fail()))
  await age('29 days')
  t.deepEqual(await rotation.rotateWebhookKeys({ keyId: randomUUID() }), { added: 0, removed: 0 }, 'kept for 30 days')
  t.true(settled.keySet.keys.some(({ kid }) => kid === keyOf(before ?? t.fail())))
  // a key that was destroyed is no reason to fail: the worker reads the keys again
  await rotation.replaceWebhookKeys(randomUUID())
  const after = await delivered()
  t.not(keyOf(after ?? t.fail()), keyOf(before ?? t.fail()))
  t.deepEqual(
    (await fresh.reload()).keySet.keys.map(({ kid }) => kid),
    [keyOf(after ?? t.fail())],
  )
})

test.serial('a host whose name leads inside is never called, at whichever attempt (D-164)', async (t) => {
  const url = (path: string) => `https://inside.acme.test:${new URL(beside().urlOf('')).port}/${path}`
  beside().dns.set('inside.acme.test', (_type, nth) => ({ A: [nth < 1 ? '10.0.0.1' : '169.254.169.254'] }))
  const webhook = await own().created({ url: url('inside'), events: [TYPE] })
  await emit()
  const delivery = await own().ended((await deliveryOf(webhook.id)).id)
  t.is(delivery.status, 'FAILED')
  for (const attempt of delivery.attempts) t.is(attempt.code, 'not_called')
  t.false(JSON.stringify(delivery).includes('10.0.0.1'), 'what a name leads to is nobody’s business')
  t.is(receiver.at('/inside').length, 0)
})

test.serial('a slow receiver holds up its own deliveries alone, and waiting costs no attempt', async (t) => {
  receiver.script('/slow', (_nth, response) => void setTimeout(() => response.writeHead(200).end(), 300))
  const slow = await hook('slow')
  const emitted = await Promise.all(Array.from({ length: 30 }, () => emit()))
  const quick = await hook('quick')
  await emit()
  await own().ended((await deliveryOf(quick.id)).id)
  const all = await until('all delivered', async () => {
    const page = await own().deliveries(`?webhookId=${slow.id}&limit=100`)
    return page.deliveries.every((each) => each.status !== 'PENDING') && page.deliveries
  })
  t.is(all.length, emitted.length + 1)
  for (const delivery of all) t.is(delivery.status, 'DELIVERED')
  // on a slow machine a call may pass its time limit: that one is an attempt, since the receiver saw it
  const attempts = all.reduce((sum, delivery) => sum + delivery.attempts.length, 0)
  t.is(attempts, receiver.at('/slow').length, 'every attempt was a call, and none a wait for a turn')
})

test.serial('no history of a workflow has the payload, and the database has none in clear', async (t) => {
  const canary = randomUUID()
  const webhook = await hook('canary', { secret: `secret-${canary}` })
  const { id: eventId } = await emit({ name: canary }, randomUUID())
  await own().ended((await deliveryOf(webhook.id)).id)
  const { temporal, systemSql } = beside().world.dependencies
  const handle = temporal.client.workflow.getHandle(
    `${beside().world.first.tenantId}/webhooks/${webhook.id}/${eventId}`,
  )
  const history = await handle.fetchHistory()
  const bytes = (history.events ?? []).map((event) => Buffer.from(JSON.stringify(event)).toString())
  t.false(bytes.join().includes(canary))
  t.true((history.events ?? []).length <= 6, 'one workflow task: load, post and record')
  const { rows } = await systemSql.query<{ found: number }>({
    text: `select (select count(*)::int from webhook_events e where e::text like $1 or encode(payload, 'escape') like $1)
      + (select count(*)::int from webhooks w where w::text like $1 or encode(secret, 'escape') like $1)
      + (select count(*)::int from logs l where l::text like $1) as found`,
    values: [`%${canary}%`],
  })
  t.deepEqual(rows, [{ found: 0 }])
})
