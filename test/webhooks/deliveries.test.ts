import { randomUUID } from 'node:crypto'
import test from 'ava'
import { forgetAnswers } from '../../activities/webhooks/exchanges.ts'
import { inTenant } from '../../entities/orm.ts'
import { loggedAbout, until } from '../support/credentials/dids.ts'
import { answer, type Behaviour, FAULTS, status } from '../support/receiver.ts'
import type { DeliveryAnswer } from '../support/webhooks.ts'
import { deliveriesOf, TIMEOUT_MS, TYPE } from '../support/webhooks.world.ts'

const { receiver, beside, own, keySet, hook, emit, deliveryOf, open, opened } = deliveriesOf(test)

test.serial('an event reaches its webhook once, signed, and the documented example verifies it', async (t) => {
  const webhook = await hook('plain')
  const payload = { format: 'ldp_vc', credential: { née: 'Åsa', n: 1.5 } }
  const { id, count } = await emit(payload)
  t.is(count, 1)
  const { id: deliveryId } = await deliveryOf(webhook.id)
  const delivery = await own().ended(deliveryId)
  t.like(delivery, { status: 'DELIVERED', eventId: id, eventType: TYPE, responseCode: 200 })
  t.is(delivery.attempts.length, 1)
  t.false('error' in delivery || 'nextAttemptAt' in delivery)
  t.is(
    delivery.workflowUrl,
    `https://ui.example/temporal/namespaces/default/workflows/${encodeURIComponent(`${beside().world.first.tenantId}/webhooks/${webhook.id}/${id}`)}`,
  )
  const [received, ...others] = receiver.at('/plain')
  if (!received) return t.fail()
  t.deepEqual(others, [])
  const body = await opened(received, webhook.id)
  t.like(body, { deliveryId, webhookId: webhook.id, event: { id, type: TYPE, payload } })
  t.deepEqual(Object.keys(body), ['deliveryId', 'deliveryTimestamp', 'webhookId', 'event'])
  t.regex(body.deliveryTimestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  t.like(received.headers, { 'webhook-id': id, 'x-webhook-id': webhook.id, 'x-event-type': TYPE })
  t.false('webhook-signature' in received.headers)
  t.like(await loggedAbout(beside().world, beside().world.token, 'WEBHOOK_DELIVERY_SUCCESS', deliveryId), [
    { webhookId: webhook.id, eventId: id, status: 'DELIVERED', attempts: 1 },
  ])
})

test.serial('one delivery tells what was sent, to the byte, and what was answered to each attempt', async (t) => {
  const said = 'no\u0000 room \u202e\u001b[31m'
  receiver.script('/told', (nth, response) => {
    const behaviour = nth === 0 ? answer(503, 'text/html; charset=utf-8', said) : answer(200, 'image/png', 'PNG')
    behaviour(nth, response)
  })
  const webhook = await hook('told', { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' })
  const { id: eventId } = await emit({ credentialId: randomUUID() })
  const { id } = await deliveryOf(webhook.id)
  const delivery = await own().ended(id)
  const sent = receiver.at('/told')
  const { request, attempts } = delivery
  t.like(request, { method: 'POST', url: webhook.url, body: sent[1]?.body.toString() })
  const named = (headers: { name: string; value: string }[] = []) =>
    Object.fromEntries(headers.map(({ name, value }) => [name, value]))
  const shown = named(request?.headers)
  t.like(sent[1]?.headers, shown, 'as they were sent')
  t.deepEqual(Object.keys(shown).toSorted(), [
    'content-digest',
    'content-type',
    'signature',
    'signature-input',
    'webhook-id',
    'x-event-type',
    'x-webhook-id',
  ])
  t.deepEqual(
    attempts.map(({ response }) => response),
    [
      { contentType: 'text/html; charset=utf-8', body: 'no\ufffd room \ufffd\ufffd[31m', truncated: false },
      { contentType: 'image/png', truncated: false },
    ],
  )
  for (const [nth, { headers }] of attempts.entries()) t.like(sent[nth]?.headers, named(headers), String(nth))
  const moved = await own().update(webhook.id, { url: beside().urlOf('told-elsewhere') })
  t.is(moved.status, 200, moved.text)
  t.deepEqual((await own().delivery(id)).request, request, 'a webhook that has moved changes nothing of what was sent')
  t.is((await own().update(webhook.id, { url: webhook.url })).status, 200)
  const { deliveries } = await own().deliveries(`?webhookId=${webhook.id}`)
  for (const each of deliveries) {
    t.false('request' in each)
    for (const attempt of each.attempts) t.false('response' in attempt || 'headers' in attempt || 'exchange' in attempt)
  }
  const { systemSql } = beside().world.dependencies
  const stored = await systemSql.query<{ text: string }>({
    text: 'select d::text as text from webhook_deliveries d where id = $1',
    values: [id],
  })
  t.false(stored.rows[0]?.text.includes('room'), 'the database has no plain text of it')
  const { tenantId } = beside().world.first
  await inTenant(beside().world.dependencies.database.tenants, tenantId, (em) => forgetAnswers(em, tenantId, [eventId]))
  const later = await own().delivery(id)
  t.deepEqual(
    later.attempts.map(({ response, headers }) => [response, headers?.length]),
    [
      [undefined, 1],
      [undefined, 1],
    ],
  )
  t.deepEqual(
    later.attempts.map(({ at }) => at),
    attempts.map(({ at }) => at),
    'the order stays',
  )
  const again = (await own().redeliver(id)).json<DeliveryAnswer>()
  const [after] = (await own().ended(again.id)).attempts
  t.deepEqual([after?.responseCode, after?.response], [200, undefined], 'nor are later answers kept')
})

test.serial('whatever is changed on the way is refused by the documented example', async (t) => {
  const webhook = await hook('tampered')
  await emit()
  await own().ended((await deliveryOf(webhook.id)).id)
  const [received] = receiver.at('/tampered')
  if (!received) return t.fail()
  const keys = await keySet()
  const good = { ...received, authority: beside().authority }
  const terms = { keys, webhookId: webhook.id }
  t.truthy(open(good, terms))
  const changedHeaders = (name: string, value: string) => ({ ...good, headers: { ...good.headers, [name]: value } })
  const input = good.headers['signature-input'] ?? ''
  for (const [what, request, other = terms] of [
    ['method', { ...good, method: 'PUT' }],
    ['authority', { ...good, authority: 'other.test' }],
    ['path', { ...good, path: '/other' }],
    ['body', { ...good, body: Buffer.concat([good.body, Buffer.from(' ')]) }],
    ['digest', changedHeaders('content-digest', 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:')],
    ['type', changedHeaders('content-type', 'text/plain')],
    ['event id', changedHeaders('webhook-id', randomUUID())],
    ['webhook id', changedHeaders('x-webhook-id', randomUUID())],
    ['nothing covered', changedHeaders('signature-input', input.replace(/\(.*\)/, '()'))],
    ['less covered', changedHeaders('signature-input', input.replace(' "x-webhook-id"', ''))],
    ['another key', changedHeaders('signature-input', input.replace(/keyid="[^"]+"/, 'keyid="x"'))],
    ['another time', changedHeaders('signature-input', input.replace(/created=\d+/, 'created=1'))],
    ['another algorithm', changedHeaders('signature-input', input.replace('ed25519', 'hmac-sha256'))],
    ['no signature', changedHeaders('signature', '')],
    ['another webhook', good, { keys, webhookId: randomUUID() }],
    ['no key', good, { keys: [], webhookId: webhook.id }],
    ['too old', good, { ...terms, now: Date.now() + 301_000 }],
  ] as const)
    t.throws(() => open(request, other), { instanceOf: Error }, what)
})

const OUTCOMES: [name: string, behaviour: Behaviour, last: Partial<DeliveryAnswer['attempts'][number]>][] = [
  ['302', status(302, { location: 'https://169.254.169.254/' }), { responseCode: 302, code: 'answer' }],
  ['400', status(400), { responseCode: 400, code: 'answer' }],
  ['410', status(410), { responseCode: 410, code: 'answer' }],
  ['500', status(500), { responseCode: 500, code: 'answer' }],
  ['silent', FAULTS.silent, { code: 'timeout' }],
  ['drips', FAULTS.drips, { code: 'timeout' }],
  ['reset', FAULTS.reset, { code: 'connection' }],
  ['half', FAULTS.half, { code: 'connection' }],
]

test.serial(
  'a receiver that does not accept is tried 4 times, with growing waits, and the delivery fails (specification, Events 5)',
  async (t) => {
    const hooks = await Promise.all(
      OUTCOMES.map(async ([name, behaviour, last]) => {
        receiver.script(`/${name}`, behaviour)
        return { name, last, webhook: await hook(name) }
      }),
    )
    const { id, count } = await emit()
    t.is(count, OUTCOMES.length)
    for (const { name, last, webhook } of hooks) {
      const delivery = await own().ended((await deliveryOf(webhook.id)).id)
      t.is(delivery.status, 'FAILED', name)
      t.is(delivery.attempts.length, 4, name)
      t.is(receiver.at(`/${name}`).length, 4, name)
      for (const attempt of delivery.attempts) t.like(attempt, last, name)
      t.is(delivery.responseCode, last.responseCode, name)
      t.is(typeof delivery.error, 'string', name)
      const requests = receiver.at(`/${name}`)
      t.deepEqual([...new Set(requests.map(({ headers }) => headers['webhook-id']))], [id], name)
      const starts = delivery.attempts.map(({ at }) => Date.parse(at))
      const ends = delivery.attempts.map(({ at, durationMs }) => Date.parse(at) + durationMs)
      for (const [nth, least] of [200, 400, 800].entries())
        t.true((starts[nth + 1] ?? 0) - (ends[nth] ?? 0) >= least - 5, `${name}: the wait after attempt ${nth + 1}`)
      if (last.code === 'timeout')
        for (const { durationMs } of delivery.attempts)
          t.true(durationMs >= TIMEOUT_MS - 20 && durationMs < TIMEOUT_MS + 1_000, `${name}: ${durationMs}`)
    }
    const [failed] = await loggedAbout(
      beside().world,
      beside().world.token,
      'WEBHOOK_DELIVERY_FAIL',
      (await deliveryOf(hooks[0]?.webhook.id ?? '')).id,
    )
    t.like(failed, { status: 'FAILED', attempts: 4, code: 'answer', eventId: id })
  },
)

test.serial('204 is enough, and one that accepts at last was tried as often as it needed', async (t) => {
  receiver.script('/empty', status(204))
  receiver.script('/third', (nth, response) => status(nth < 2 ? 503 : 201)(nth, response))
  const [empty, third] = [await hook('empty'), await hook('third')]
  await emit()
  t.like(await own().ended((await deliveryOf(empty.id)).id), { status: 'DELIVERED', responseCode: 204 })
  const delivery = await own().ended((await deliveryOf(third.id)).id)
  t.is(delivery.status, 'DELIVERED')
  t.deepEqual(
    delivery.attempts.map(({ responseCode }) => responseCode),
    [503, 503, 201],
  )
  const times = await Promise.all(receiver.at('/third').map((each) => opened(each, third.id)))
  t.is(new Set(times.map(({ deliveryTimestamp }) => deliveryTimestamp)).size, 3, 'each attempt has its own time')
  t.is(new Set(times.map(({ deliveryId }) => deliveryId)).size, 1)
})

test.serial(
  'a webhook that is disabled between two attempts gets no further one (specification, Events 6)',
  async (t) => {
    receiver.script('/stopped', status(500))
    const webhook = await hook('stopped')
    await emit()
    const { id } = await until('the first attempt', async () => {
      const delivery = await deliveryOf(webhook.id)
      return delivery.attempts.length === 1 && delivery
    })
    t.is((await own().update(webhook.id, { disabled: true })).status, 200)
    const made = receiver.at('/stopped').length
    const delivery = await own().ended(id)
    t.is(delivery.status, 'STOPPED')
    t.true(delivery.attempts.length <= made + 1)
    t.is(receiver.at('/stopped').length, delivery.attempts.length)
    t.is((await emit()).count, 0, 'a disabled webhook gets no delivery of a new event')
    for (const refused of [await own().test(webhook.id), await own().redeliver(id)])
      t.like(refused.json(), { status: 409, type: '/problems#webhook.disabled' })
    const dates = { dateFrom: '2020-01-01T00:00:00Z', dateTo: '2999-01-01T00:00:00Z' }
    const about = { categories: ['webhook'], types: [], ids: [], requestIds: [], objectIds: [webhook.id], ...dates }
    const { ask, token } = beside().world
    const log = await ask('/v1/analytics/events?limit=1000', { token, body: about })
    const entries = log.json<{ data: { type: string; metadata: string }[] }>().data
    const ended = entries.find(({ type }) => type === 'WEBHOOK_DELIVERY_FAIL')
    t.like(JSON.parse(ended?.metadata ?? '{}'), { clientId: 'platform', id, status: 'STOPPED', code: 'answer' })
    const refusals = entries.filter(({ type }) => type === 'WEBHOOK_REDELIVER_FAIL')
    t.is(refusals.length, 1, 'a refused redelivery is found under its webhook')
  },
)

test.serial('a deleted webhook gets nothing any more, and its workflow ends', async (t) => {
  receiver.script('/deleted', status(500))
  const webhook = await hook('deleted')
  const { id: eventId } = await emit()
  await until('the first attempt', async () => (await deliveryOf(webhook.id)).attempts.length >= 1)
  t.is((await own().remove(webhook.id)).status, 204)
  const { client } = beside().world.dependencies.temporal
  const handle = client.workflow.getHandle(`${beside().world.first.tenantId}/webhooks/${webhook.id}/${eventId}`)
  t.is(await handle.result(), 'GONE')
  t.true(receiver.at('/deleted').length <= 2)
})
