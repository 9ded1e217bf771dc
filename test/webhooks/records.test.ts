import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createPlatform } from '../../activities/index.ts'
import { deliveryWork } from '../../activities/webhooks/pending-work.ts'
import { purgeWebhooks } from '../../activities/webhooks/purge.ts'
import { inTenant } from '../../entities/orm.ts'
import { addFailed, type DeliveryAnswer, newWebhookUrl, WEBHOOKS, webhooksOf } from '../support/webhooks.ts'
import { openWorld, type World } from '../support/world.ts'

// no Temporal and no worker: what one request can finish works without them
let world: World
test.before(async () => {
  world = await openWorld({ env: { TEMPORAL_UI_URL: 'http://127.0.0.1:8233' } })
})
test.after.always(() => world?.close())

const TYPES = ['OpenIdCredentialIssued', 'OidcIssuerCredentialIssued']

const input = (more: object = {}) => ({ url: newWebhookUrl(), events: TYPES, ...more })

async function otherTenant() {
  const client = await world.addTenant()
  const token = await world.tokenOf(client)
  return { ...client, token, hooks: webhooksOf(world, token) }
}

test('deliveries are found by webhook, event, status and time, page by page', async (t) => {
  const { hooks } = await otherTenant()
  const [one, other] = [await hooks.created(input()), await hooks.created(input())]
  const made: string[] = []
  for (const { id } of [one, one, other]) made.unshift((await hooks.test(id)).json<DeliveryAnswer>().id)
  const page = await hooks.deliveries('?limit=2')
  t.like(page, { limit: 2, totalCount: 3, totalPages: 2 })
  const rest = await hooks.deliveries('?limit=2&page=2')
  t.deepEqual(
    [...page.deliveries, ...rest.deliveries].map(({ id }) => id),
    made,
  )
  t.is((await hooks.deliveries(`?webhookId=${one.id}`)).totalCount, 2)
  t.is((await hooks.deliveries('?status=PENDING')).totalCount, 3)
  t.is((await hooks.deliveries('?status=FAILED')).totalCount, 0)
  const [newest] = page.deliveries
  t.is((await hooks.deliveries(`?since=${newest?.createdAt}`)).totalCount, 1)
  t.is((await hooks.deliveries(`?until=${newest?.createdAt}`)).totalCount, 2, 'the end is not in the span')
  const [oldest] = rest.deliveries
  t.is((await hooks.deliveries(`?since=${oldest?.createdAt}&until=${newest?.createdAt}`)).totalCount, 2)
  const backwards = await world.ask(`${WEBHOOKS}/deliveries?since=${newest?.createdAt}&until=${newest?.createdAt}`, {
    token: world.token,
  })
  t.like(backwards.json(), { status: 400, type: '/problems#request.invalid' })
  t.like(backwards.json<{ errors: object[] }>().errors, [{ path: 'until', code: 'order' }])
  t.like(newest, { status: 'PENDING', attempts: [], eventType: 'WebhookTest' })
  t.false('workflowUrl' in (newest ?? {}), 'the address that operators have is not for callers')
  const { deliveries: ofEvent } = await hooks.deliveries(`?eventId=${newest?.eventId.toUpperCase()}`)
  t.deepEqual(
    ofEvent.map(({ id }) => id),
    made.slice(0, 1),
  )
  t.is((await hooks.deliveries(`?eventId=${newest?.eventId}&webhookId=${one.id}`)).totalCount, 0)
  t.is((await hooks.deliveries(`?eventId=${newest?.id}`)).totalCount, 0, 'a delivery is no event')
  for (const query of [
    '?webhookId=x',
    '?eventId=x',
    '?status=failed',
    '?since=yesterday',
    '?since=2026-01-01',
    '?until=yesterday',
    '?limit=1001',
  ])
    t.is((await world.ask(`${WEBHOOKS}/deliveries${query}`, { token: world.token })).status, 400, query)
})

test('test events are limited for a webhook, also at once, and for all webhooks of a tenant', async (t) => {
  const { hooks } = await otherTenant()
  const [one, two, three] = [await hooks.created(input()), await hooks.created(input()), await hooks.created(input())]
  const replies = await Promise.all(Array.from({ length: 14 }, () => hooks.test(one.id)))
  t.is(replies.filter(({ status }) => status === 202).length, 10)
  t.is(replies.filter(({ status }) => status === 429).length, 4)
  await addFailed(world, two.id, 49)
  t.is((await hooks.test(three.id)).status, 202)
  t.like((await hooks.test(three.id)).json(), { status: 429, type: '/problems#webhook.too_many_tests' })
})

test('the payload of an event that no webhook asks for is not stored; its id is', async (t) => {
  const { tenantId } = await otherTenant()
  const { dependencies } = world
  const { webhookEvents } = createPlatform(dependencies)
  const id = randomUUID()
  const emit = () =>
    inTenant(dependencies.database.tenants, tenantId, (em) =>
      webhookEvents.emitEvent(em, { id, tenantId, type: 'OpenIdCredentialIssued', payload: { name: 'Ada' } }),
    )
  t.is(await emit(), 0)
  t.is(await emit(), 0)
  const { rows } = await dependencies.systemSql.query<object>({
    text: 'select type, payload from webhook_events where id = $1',
    values: [id],
  })
  t.deepEqual(rows, [{ type: 'OpenIdCredentialIssued', payload: null }])
})

test.serial('what ended long ago is deleted with its event, and what is under way stays', async (t) => {
  const { hooks, tenantId } = await otherTenant()
  const { id } = await hooks.created(input())
  const [old, young, pending] = [
    (await hooks.test(id)).json<DeliveryAnswer>(),
    (await hooks.test(id)).json<DeliveryAnswer>(),
    (await hooks.test(id)).json<DeliveryAnswer>(),
  ]
  const { systemSql } = world.dependencies
  const age = (delivery: DeliveryAnswer, days: number) =>
    systemSql.query({
      text: `with event as (update webhook_events set created_at = now() - interval '40 days' where id = $3)
        update webhook_deliveries set state = 'FAILED', ended_at = now() - make_interval(days => $2) where id = $1`,
      values: [delivery.id, days, delivery.eventId],
    })
  await age(old, 31)
  await age(young, 29)
  const known = await Promise.all(
    [29, 31].map(async (days) => {
      const text = `insert into webhook_events (id, tenant_id, type, created_at)
        values (gen_random_uuid(), $1, 'OpenIdCredentialIssued', now() - make_interval(days => $2)) returning id`
      return (await systemSql.query<{ id: string }>({ text, values: [tenantId, days] })).rows[0]?.id ?? ''
    }),
  )
  await systemSql.query({
    text: `update webhook_events set created_at = now() - interval '40 days' where id = $1`,
    values: [pending.eventId],
  })
  const gone = await purgeWebhooks(systemSql, 30)
  t.true(gone.deliveries >= 1 && gone.events >= 1)
  t.deepEqual(
    (await hooks.deliveries()).deliveries.map((each) => each.id),
    [pending.id, young.id],
  )
  const { rows } = await systemSql.query<{ id: string }>({
    text: 'select id from webhook_events where id = any($1)',
    values: [[old.eventId, young.eventId, pending.eventId, ...known]],
  })
  t.deepEqual(
    rows.map((row) => row.id).toSorted(),
    [young.eventId, pending.eventId, known[0]].toSorted(),
    'an event that nobody asked for is known by its id for as long',
  )
})

test.serial(
  'deliveries of a deleted webhook are not found, wait no more, and go with the next purge (D-1100)',
  async (t) => {
    const { hooks, token } = await otherTenant()
    const [one, other] = [await hooks.created(input()), await hooks.created(input())]
    const gone = (await hooks.test(one.id)).json<DeliveryAnswer>()
    const stays = (await hooks.test(other.id)).json<DeliveryAnswer>()
    await addFailed(world, one.id, 3)
    t.is((await world.ask(`${WEBHOOKS}/${one.id}`, { method: 'DELETE', token })).status, 204)
    const ids = async () => (await hooks.deliveries()).deliveries.map(({ id }) => id)
    t.deepEqual(await ids(), [stays.id])
    t.is((await hooks.deliveries(`?webhookId=${one.id}`)).totalCount, 0)
    for (const ask of [{}, { body: {} }]) {
      const path = `${WEBHOOKS}/deliveries/${gone.id}${'body' in ask ? '/redeliver' : ''}`
      t.like((await world.ask(path, { token, ...ask })).json(), { type: '/problems#webhook.delivery_not_found' })
    }
    const { systemSql } = world.dependencies
    await systemSql.query({ text: 'update outbox set started_at = now() where object_id = $1', values: [gone.id] })
    t.deepEqual(await deliveryWork.find(systemSql, { ids: [gone.id] }), [])
    t.is((await purgeWebhooks(systemSql, 30)).deliveries >= 4, true)
    const text = 'select count(*)::int as count from webhook_deliveries where webhook_id = $1'
    const { rows } = await systemSql.query({ text, values: [one.id] })
    t.deepEqual(rows, [{ count: 0 }])
    t.deepEqual(await ids(), [stays.id])
  },
)

test('reconciliation misses a delivery from its next attempt on', async (t) => {
  const { hooks } = await otherTenant()
  const { id } = (await hooks.test((await hooks.created(input())).id)).json<DeliveryAnswer>()
  const { systemSql } = world.dependencies
  await systemSql.query({ text: 'update outbox set started_at = now() where object_id = $1', values: [id] })
  const found = async () => (await deliveryWork.find(systemSql, { ids: [id] })).length
  const set = (column: string) =>
    systemSql.query({ text: `update webhook_deliveries set ${column} where id = $1`, values: [id] })
  t.is(await found(), 1)
  await set(`next_attempt_at = now() + interval '1 minute'`)
  t.is(await found(), 0)
  await set(`next_attempt_at = now() - interval '1 second'`)
  t.is(await found(), 1)
  await set(`next_attempt_at = null, ended_at = now(), state = 'DELIVERED'`)
  t.is(await found(), 0)
})
