import { randomUUID } from 'node:crypto'
import test from 'ava'
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

test('a delivery under way is not made again, and one that failed is made again up to 500 at once', async (t) => {
  const { hooks, token } = await otherTenant()
  const { id } = await hooks.created(input())
  const delivery = (await hooks.test(id)).json<DeliveryAnswer>()
  t.like((await hooks.redeliver(delivery.id)).json(), { status: 409, type: '/problems#webhook.delivery_pending' })
  t.deepEqual((await hooks.redeliverFailed(id, '2020-01-01T00:00:00Z')).json(), { redelivered: 0, more: false })
  const { systemSql } = world.dependencies
  await systemSql.query({
    text: `with event as (
        insert into webhook_events (id, tenant_id, type) select gen_random_uuid(), tenant_id, 'WebhookTest'
        from webhooks, generate_series(1, 501) where id = $1 returning id, tenant_id)
      insert into webhook_deliveries (id, tenant_id, webhook_id, event_id, event_type, state, ended_at)
      select gen_random_uuid(), tenant_id, $1, id, 'WebhookTest', 'FAILED', now() from event`,
    values: [id],
  })
  const again = async () => (await hooks.redeliverFailed(id, '2020-01-01T00:00:00Z')).json()
  t.deepEqual(await again(), { redelivered: 500, more: true })
  t.deepEqual(await again(), { redelivered: 1, more: false })
  t.deepEqual(await again(), { redelivered: 0, more: false })
  const { rows } = await systemSql.query<{ count: number }>({
    text: `select count(*)::int as count from outbox o join webhook_deliveries d on o.object_id = d.id::text
      where d.webhook_id = $1 and o.workflow_type = 'deliverWebhook' and d.state = 'PENDING'`,
    values: [id],
  })
  t.is(rows[0]?.count, 502)
  for (const since of ['', 'yesterday', 1, null, undefined])
    t.is((await world.ask(`${WEBHOOKS}/${id}/redeliver`, { token, body: { since } })).status, 400)
})

test('of more than 500 that failed the oldest are made again first, and of 500 there is no more', async (t) => {
  const { hooks } = await otherTenant()
  const { id } = await hooks.created(input())
  await addFailed(world, id, 501)
  const { systemSql } = world.dependencies
  const { rows } = await systemSql.query<{ id: string }>({
    text: `update webhook_deliveries set ended_at = now() + interval '1 minute'
      where id = (select id from webhook_deliveries where webhook_id = $1 order by random() limit 1) returning event_id as id`,
    values: [id],
  })
  const since = '2020-01-01T00:00:00Z'
  t.deepEqual((await hooks.redeliverFailed(id, since)).json(), { redelivered: 500, more: true })
  const waiting = await hooks.deliveries(`?eventId=${rows[0]?.id}`)
  t.is(waiting.totalCount, 1, 'the newest waits for the next request')
  t.deepEqual((await hooks.redeliverFailed(id, since)).json(), { redelivered: 1, more: false })
  const other = (await hooks.created(input())).id
  await addFailed(world, other, 500)
  t.deepEqual((await hooks.redeliverFailed(other, since)).json(), { redelivered: 500, more: false })
})

test('what failed in a span of time is made again, from its beginning on and before its end', async (t) => {
  const { hooks, token } = await otherTenant()
  const { id } = await hooks.created(input())
  await addFailed(world, id, 4)
  await world.dependencies.systemSql.query({
    text: `update webhook_deliveries d set ended_at = '2099-01-01T00:00:00Z'::timestamptz + n.nth * interval '1 hour'
      from (select id, row_number() over (order by id) as nth from webhook_deliveries where webhook_id = $1) n where n.id = d.id`,
    values: [id],
  })
  const again = (since: string, until?: string | null) =>
    world.ask(`${WEBHOOKS}/${id}/redeliver`, { token, body: { since, until } })
  const refused = (await again('2099-01-01T02:00:00Z', '2099-01-01T02:00:00Z')).json<{ errors: object[] }>()
  t.like(refused, { status: 400, type: '/problems#request.invalid' })
  t.like(refused.errors, [{ path: 'until', code: 'order', message: 'expected a time after since' }])
  t.is((await again('2099-01-01T02:00:00Z', 'tomorrow')).status, 400)
  t.deepEqual((await again('2099-01-01T02:00:00Z', '2099-01-01T04:00:00Z')).json(), { redelivered: 2, more: false })
  t.deepEqual((await again('2099-01-01T02:00:00Z', '2099-01-01T04:00:00Z')).json(), { redelivered: 0, more: false })
  t.deepEqual((await again('2099-01-01T02:00:00Z', null)).json(), { redelivered: 1, more: false }, 'the end itself')
  t.deepEqual((await again('2099-01-01T01:00:00Z')).json(), { redelivered: 1, more: false })
})

test('a delivery tells how the last one after it ended, and lists leave out what was delivered again', async (t) => {
  const { hooks, token } = await otherTenant()
  const { id } = await hooks.created(input())
  await addFailed(world, id, 2)
  const [one, other] = (await hooks.deliveries('?status=FAILED')).deliveries
  const again = (await hooks.redeliver(one?.id ?? '')).json<DeliveryAnswer>()
  t.deepEqual((await hooks.delivery(one?.id ?? '')).redelivery, { id: again.id, status: 'PENDING' })
  await world.dependencies.systemSql.query({
    text: `update webhook_deliveries set state = 'DELIVERED', ended_at = '2099-01-01T02:00:00Z' where id = $1`,
    values: [again.id],
  })
  const redelivery = { id: again.id, status: 'DELIVERED', endedAt: '2099-01-01T02:00:00.000Z' } as const
  t.deepEqual((await hooks.delivery(one?.id ?? '')).redelivery, redelivery)
  const listed = async (query: string) =>
    (await hooks.deliveries(query)).deliveries.map((each) => [each.id, each.redelivery])
  t.deepEqual(await listed('?status=FAILED&redelivered=false'), [[other?.id, undefined]])
  t.deepEqual(await listed('?redelivered=true'), [[one?.id, redelivery]])
  t.is((await hooks.deliveries(`?redelivered=false&webhookId=${id}`)).totalCount, 2, 'the last one counts')
  t.is((await world.ask(`${WEBHOOKS}/deliveries?redelivered=maybe`, { token })).status, 400)
})

test('a tenant redelivers 60 events one by one in a minute; what failed since a time is another way', async (t) => {
  const [{ hooks }, other] = [await otherTenant(), await otherTenant()]
  const { id } = await hooks.created(input())
  const deliveries = async (of: typeof hooks, webhookId: string) =>
    (await of.deliveries(`?webhookId=${webhookId}&status=FAILED&limit=100`)).deliveries.map((each) => each.id)
  await addFailed(world, id, 70)
  const failed = await deliveries(hooks, id)
  const replies = await Promise.all(failed.map((each) => hooks.redeliver(each)))
  const refused = replies.filter(({ status }) => status === 429)
  t.is(replies.filter(({ status }) => status === 202).length, 60)
  t.is(refused.length, 10)
  t.like(refused[0]?.json(), { type: '/problems#webhook.too_many_redeliveries' })
  const seconds = Number(refused[0]?.headers.get('retry-after'))
  t.true(seconds >= 1 && seconds <= 60, String(seconds))
  const again = await hooks.created(input())
  t.is((await hooks.redeliver(failed[0] ?? '')).status, 429, 'of all its webhooks')
  t.is((await hooks.redeliverFailed(again.id, '2020-01-01T00:00:00Z')).status, 202)
  t.deepEqual((await hooks.redeliverFailed(id, '2020-01-01T00:00:00Z')).json(), { redelivered: 10, more: false })
  const foreign = await other.hooks.created(input())
  await addFailed(world, foreign.id, 1)
  t.is((await other.hooks.redeliver((await deliveries(other.hooks, foreign.id))[0] ?? '')).status, 202)
})

test('all that failed is redelivered by as many requests as it takes, while at most 5,000 wait', async (t) => {
  const { hooks } = await otherTenant()
  const [{ id }, busy] = [await hooks.created(input()), await hooks.created(input())]
  await addFailed(world, id, 5_200)
  await addFailed(world, busy.id, 300)
  const firstOnes = `update webhook_deliveries set state = 'PENDING', ended_at = null where webhook_id = $1`
  await world.dependencies.systemSql.query({ text: firstOnes, values: [busy.id] }) // no redeliveries
  const again = () => hooks.redeliverFailed(id, '2020-01-01T00:00:00Z')
  for (let nth = 0; nth < 10; nth += 1) t.deepEqual((await again()).json(), { redelivered: 500, more: true })
  const refused = await again()
  t.is(refused.status, 429)
  t.like(refused.json(), { type: '/problems#webhook.too_many_redeliveries' })
  t.is(refused.headers.get('retry-after'), '10')
  await world.dependencies.systemSql.query({
    text: `update webhook_deliveries set state = 'DELIVERED', ended_at = now() where id in (
      select id from webhook_deliveries where webhook_id = $1 and state = 'PENDING' limit 150)`,
    values: [id],
  })
  const both = await Promise.all([again(), again()])
  t.deepEqual(both.map(({ status }) => status).toSorted(), [202, 429], 'together no more than there is room for')
  t.deepEqual(both.find(({ status }) => status === 202)?.json(), { redelivered: 150, more: true })
})

test('what failed at one webhook is redelivered though another one has the event by now, and what was stopped is not', async (t) => {
  const { hooks, tenantId } = await otherTenant()
  const [one, other] = [await hooks.created(input()), await hooks.created(input())]
  const { systemSql } = world.dependencies
  const eventIds = [randomUUID(), randomUUID()]
  await systemSql.query({
    text: `with event as (insert into webhook_events (id, tenant_id, type)
        select unnest($1::uuid[]), $2, 'OpenIdCredentialIssued' returning id, tenant_id)
      insert into webhook_deliveries (id, tenant_id, webhook_id, event_id, event_type, state, ended_at)
      select gen_random_uuid(), e.tenant_id, w.id, e.id, 'OpenIdCredentialIssued',
        case when e.id = $3 then 'STOPPED' else 'FAILED' end, now() from event e join webhooks w on w.tenant_id = e.tenant_id`,
    values: [eventIds, tenantId, eventIds[1]],
  })
  for (const { id } of [one, other]) {
    t.deepEqual((await hooks.redeliverFailed(id, '2020-01-01T00:00:00Z')).json(), { redelivered: 1, more: false })
    const pending = (await hooks.deliveries(`?webhookId=${id}&status=PENDING`)).deliveries
    t.deepEqual(
      pending.map(({ eventId }) => eventId),
      eventIds.slice(0, 1),
    )
  }
})
