import { randomUUID } from 'node:crypto'
import test from 'ava'
import { inTenant } from '../../entities/orm.ts'
import { loggedAbout } from '../support/credentials/dids.ts'
import { type DeliveryAnswer, newWebhookUrl, WEBHOOKS, type WebhookAnswer, webhooksOf } from '../support/webhooks.ts'
import { openWorld, type World } from '../support/world.ts'

// no Temporal and no worker: what one request can finish works without them
let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const TYPES = ['OpenIdCredentialIssued', 'OidcIssuerCredentialIssued']

const own = () => webhooksOf(world, world.token)
const input = (more: object = {}) => ({ url: newWebhookUrl(), events: TYPES, ...more })

async function otherTenant() {
  const client = await world.addTenant()
  const token = await world.tokenOf(client)
  return { ...client, token, hooks: webhooksOf(world, token) }
}

test('a webhook is created enabled, unless it is asked for otherwise (specification, States)', async (t) => {
  const body = input()
  const reply = await own().create(body)
  t.is(reply.status, 201)
  const created = reply.json<WebhookAnswer>()
  t.like(created, { ...body, disabled: false, hasSecret: false })
  t.false('secret' in created)
  t.deepEqual((await own().read(created.id)).json<WebhookAnswer>(), created)
  t.is((await own().created(input({ disabled: true }))).disabled, true)
  t.is((await own().created(input({ disabled: null, secret: null }))).disabled, false)
  t.is((await loggedAbout(world, world.token, 'WEBHOOK_CREATE_SUCCESS', created.id)).length, 1)
})

test('a list has pages, newest first, with the totals, of all or of one status (specification, Endpoints)', async (t) => {
  const { hooks } = await otherTenant()
  const made: string[] = []
  for (const disabled of [true, false, true]) made.unshift((await hooks.created(input({ disabled }))).id)
  const page = await hooks.list('?limit=2&page=1')
  t.like(page, { limit: 2, totalCount: 3, totalPages: 2 })
  const rest = await hooks.list('?limit=2&page=2')
  t.deepEqual(
    [...page.webhooks, ...rest.webhooks].map(({ id }) => id),
    made,
  )
  t.is((await hooks.list('?status=disabled')).totalCount, 2)
  t.deepEqual(
    (await hooks.list('?status=enabled')).webhooks.map(({ id }) => id),
    made.slice(1, 2),
  )
  t.is((await world.ask(`${WEBHOOKS}?status=other`, { token: world.token })).status, 400)
})

test('a secret is answered to the request that sets it, and to no other one', async (t) => {
  const secret = 'a-secret-of-24-characters'
  const created = await own().created(input({ secret }))
  t.like(created, { secret, hasSecret: true })
  const texts = [
    (await own().read(created.id)).text,
    JSON.stringify(await own().list('?limit=1000')),
    (await own().update(created.id, { disabled: true })).text,
  ]
  for (const text of texts) t.false(text.includes(secret))
  const other = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  t.like((await own().update(created.id, { secret: other })).json(), { secret: other, hasSecret: true })
  const without = (await own().update(created.id, { secret: '' })).json<WebhookAnswer>()
  t.false(without.hasSecret)
  t.false('secret' in without)
  for (const bad of [
    'short',
    'x'.repeat(256),
    'with space in the middle',
    'ümlauts-are-none-of-them',
    'whsec_',
    'whsec_AAAA',
    'whsec_!!!!',
    `whsec_${Buffer.alloc(65).toString('base64')}`,
  ]) {
    const refused = await own().create(input({ secret: bad }))
    t.is(refused.status, 400, bad)
    t.like(refused.json(), { type: '/problems#webhook.invalid_secret', errors: [{ path: 'secret' }] }, bad)
    t.false(refused.text.includes(bad) && bad.length > 6, 'the refusal does not repeat it')
  }
})

test('an update changes the members that it gives; null and what is absent change nothing (D-363)', async (t) => {
  const created = await own().created(input({ secret: 'a-secret-of-24-characters' }))
  const { secret: _secret, updatedAt: _before, ...kept } = created
  const nothing = (
    await own().update(created.id, { events: null, url: null, secret: null, disabled: null })
  ).json<WebhookAnswer>()
  t.like(nothing, kept)
  t.true(nothing.hasSecret)
  const url = newWebhookUrl()
  const changed = (await own().update(created.id, { url, events: [TYPES[1]], disabled: true })).json<WebhookAnswer>()
  t.like(changed, { id: created.id, url, events: [TYPES[1]], disabled: true, createdAt: created.createdAt })
  t.true(changed.updatedAt > created.updatedAt)
  t.deepEqual((await own().read(created.id)).json<WebhookAnswer>(), changed)
  for (const body of [{ id: randomUUID() }, { createdAt: '2026-01-01T00:00:00Z' }, { hasSecret: false }])
    t.is((await own().update(created.id, body)).status, 400, JSON.stringify(body))
})

test('events are a list of the two names, each once (specification, Events 1)', async (t) => {
  for (const [events, path] of [
    [[], 'events'],
    [['OpenIdCredentialIssuedSummary'], 'events.0'],
    [['WebhookTest'], 'events.0'],
    [[TYPES[0], TYPES[0]], 'events.1'],
    [Array.from({ length: 10_000 }, () => TYPES[0]), 'events.1'],
  ] as const) {
    const refused = await own().create(input({ events }))
    t.like(refused.json(), { status: 400, type: '/problems#webhook.invalid_events', errors: [{ path }] }, path)
  }
  for (const events of [TYPES[0], {}, [1], undefined, null])
    t.is((await own().create(input({ events }))).status, 400, JSON.stringify(events))
})

test('a URL that the platform does not call is refused with its own sentence (specification, Events 3)', async (t) => {
  const sentences = new Set<string>()
  for (const [url, rule] of [
    ['http://receiver.example/a', 'https'],
    ['https://receiver.example/a?b=c', 'query'],
    ['https://receiver.example/a#b', 'fragment'],
    ['https://user@receiver.example/a', 'user_info'],
    ['https://192.0.2.1/a', 'address'],
    ['https://receiver.example:22/a', 'port'],
    ['https://localhost/a', 'not_public'],
    ['https://co.uk/a', 'public_suffix'],
    ['https://db.internal/a', 'not_public'],
    ['receiver.example', 'url'],
    [`https://receiver.example/${'a'.repeat(2_048)}`, 'length'],
  ] as const) {
    const refused = await own().create(input({ url }))
    const problem = refused.json<{
      detail: string
      type: string
      status: number
      errors: { path: string; code: string }[]
    }>()
    t.like(problem, { status: 400, type: '/problems#webhook.invalid_url', errors: [{ path: 'url', code: rule }] }, url)
    sentences.add(problem.detail)
    const { id } = await own().created(input())
    t.is((await own().update(id, { url })).status, 400, url)
    t.is((await own().remove(id)).status, 204)
  }
  t.is(sentences.size, 10)
  t.is(
    (await own().created(input({ url: 'https://MÜNCHEN.example:8443/Hooks' }))).url,
    'https://xn--mnchen-3ya.example:8443/Hooks',
  )
})

test('a webhook of another tenant is as good as none', async (t) => {
  const { hooks } = await otherTenant()
  const { id } = await own().created(input())
  const delivery = (await own().test(id)).json<DeliveryAnswer>()
  for (const reply of [
    await hooks.read(id),
    await hooks.update(id, { disabled: true }),
    await hooks.remove(id),
    await hooks.test(id),
    await hooks.redeliverFailed(id, '2020-01-01T00:00:00Z'),
  ])
    t.like(reply.json(), { status: 404, type: '/problems#webhook.not_found' })
  t.is((await hooks.redeliver(delivery.id)).status, 404)
  t.is((await hooks.deliveries(`?webhookId=${id}`)).totalCount, 0)
  t.false((await own().read(id)).json<WebhookAnswer>().disabled)
})

test('a tenant can have 50 webhooks', async (t) => {
  const { tenantId, hooks } = await otherTenant()
  await inTenant(world.dependencies.database.tenants, tenantId, (em) =>
    em.execute(
      `insert into webhooks (id, tenant_id, url, events)
       select gen_random_uuid(), ?, 'https://a.example', '{}' from generate_series(1, 49)`,
      [tenantId],
    ),
  )
  const { id } = await hooks.created(input())
  t.like((await hooks.create(input())).json(), { status: 409, type: '/problems#webhook.too_many' })
  t.is((await hooks.remove(id)).status, 204)
  const both = await Promise.all([hooks.create(input()), hooks.create(input())])
  t.deepEqual(both.map(({ status }) => status).toSorted(), [201, 409], 'for one there is room')
})

test('a repeated Idempotency-Key makes one webhook, and one test event', async (t) => {
  const { hooks, token } = await otherTenant()
  const headers = { 'idempotency-key': randomUUID() }
  const body = input({ secret: 'a-secret-of-24-characters' })
  const [first, second] = [
    await world.ask(WEBHOOKS, { token, body, headers }),
    await world.ask(WEBHOOKS, { token, body, headers }),
  ]
  t.deepEqual(second.json(), first.json())
  t.is((await hooks.list()).totalCount, 1)
  const path = `${WEBHOOKS}/${first.json<WebhookAnswer>().id}/test`
  const sent = await Promise.all(
    [1, 2].map(() => world.ask(path, { method: 'POST', token, headers: { 'idempotency-key': 'again' } })),
  )
  t.true(sent.some(({ status }) => status === 202))
  t.is((await hooks.deliveries()).totalCount, 1)
})

test('the key set is public, is cached for 5 minutes, and has no private part', async (t) => {
  const reply = await world.ask(`${WEBHOOKS}/jwks`)
  t.is(reply.status, 200)
  t.is(reply.headers.get('cache-control'), 'public, max-age=300')
  const { keys } = reply.json<{ keys: Record<string, string>[] }>()
  t.is(keys.length, 1)
  t.deepEqual(Object.keys(keys[0] ?? {}).toSorted(), ['alg', 'crv', 'kid', 'kty', 'use', 'x'])
  t.like(keys[0], { kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA' })
  const tokens = (await world.ask('/.well-known/jwks.json')).json<{ keys: { kid: string }[] }>().keys
  t.not(keys[0]?.kid, tokens[0]?.kid, 'no key for two purposes')
})
