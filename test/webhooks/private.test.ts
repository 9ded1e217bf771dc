import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { createActivities } from '../../activities/index.ts'
import { unknownKey } from '../../activities/keys/reference.ts'
import { Unavailable } from '../../protocol/errors.ts'
import { loggedAbout, until } from '../support/credentials/dids.ts'
import { createReceiver, documentedVerifier, status } from '../support/receiver.ts'
import { connected } from '../support/stack/backup.ts'
import { type DeliveryAnswer, webhooksOf } from '../support/webhooks.ts'
import { openWorld, type World } from '../support/world.ts'

const receiver = createReceiver()
const server = createServer(receiver.listener)
let world: World
test.before(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  world = await openWorld({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
})
test.after.always(async () => {
  await world?.close()
  await new Promise((resolve) => server.close(resolve))
})

test('with WEBHOOK_ALLOW_PRIVATE a webhook may be an http server of this machine', async (t) => {
  const { port } = server.address() as AddressInfo
  const hooks = webhooksOf(world, world.token)
  const events = ['OpenIdCredentialIssued']
  const { id: webhookId, url } = await hooks.created({ url: `http://LOCALHOST:${port}/hooks`, events })
  t.is(url, `http://localhost:${port}/hooks`)
  const { id, eventId } = (await hooks.test(webhookId)).json<DeliveryAnswer>()
  const { attemptDelivery } = createActivities(world.dependencies)
  const subject = { tenantId: world.first.tenantId, webhookId, eventId, deliveryId: id, round: 0 }
  t.deepEqual(await attemptDelivery({ ...subject, nth: 1 }), { state: 'DELIVERED' })
  t.deepEqual(await attemptDelivery({ ...subject, nth: 1 }), { state: 'DELIVERED' }, 'a repeat delivers nothing')
  t.is((await hooks.delivery(id)).attempts.length, 1)
  const [received, ...others] = receiver.at('/hooks')
  if (!received) return t.fail()
  t.deepEqual(others, [])
  const { keys } = (await world.ask('/v1/webhooks/jwks')).json<{ keys: object[] }>()
  const openDelivery = await documentedVerifier()
  t.truthy(openDelivery({ ...received, authority: `localhost:${port}` }, { keys, webhookId }))
  for (const refused of [
    `http://127.0.0.1:${port}/hooks`,
    `http://localhost:${port}/hooks?a=1`,
    'http://localhost:22/',
  ])
    t.is((await hooks.create({ url: refused, events })).status, 400, refused)
})

/** A webhook with a test event that nobody delivers but the test. */
async function delivering(path: string, more: object = {}) {
  const { port } = server.address() as AddressInfo
  const hooks = webhooksOf(world, world.token)
  const url = `http://localhost:${port}/${path}`
  const { id: webhookId } = await hooks.created({ url, events: ['OpenIdCredentialIssued'], ...more })
  const { id, eventId } = (await hooks.test(webhookId)).json<DeliveryAnswer>()
  const subject = { tenantId: world.first.tenantId, webhookId, eventId, deliveryId: id, round: 0 }
  const tried: string[] = []
  const webhookTried = (result: string) => void tried.push(result)
  const attempt = (nth: number, now = world.dependencies.now) =>
    createActivities({ ...world.dependencies, now }, { webhookTried }).attemptDelivery({ ...subject, nth })
  return { hooks, webhookId, id, eventId, subject, attempt, tried, authority: `localhost:${port}` }
}

test('each attempt is signed for its own time, however old its event is (RFC 9421, created; Standard Webhooks)', async (t) => {
  receiver.script('/later', status(503))
  const { webhookId, attempt, tried, authority } = await delivering('later', { secret: 'a-secret-of-24-characters' })
  const at = new Date(Date.now() + 600_000)
  await attempt(1)
  await attempt(2, () => at)
  t.deepEqual(tried, ['answer', 'answer'], 'each is counted')
  const received = receiver.at('/later')[1]
  if (!received) return t.fail()
  const seconds = Math.floor(at.getTime() / 1000)
  t.is(received.headers['webhook-timestamp'], `${seconds}`)
  t.true(received.headers['signature-input']?.includes(`;created=${seconds};`))
  const { keys } = (await world.ask('/v1/webhooks/jwks')).json<{ keys: object[] }>()
  const openDelivery = await documentedVerifier()
  t.is(openDelivery({ ...received, authority }, { keys, webhookId, now: at.getTime() }).webhookId, webhookId)
})

test('a delivery that was stopped stays so: after an attempt under way, and when the webhook is enabled again', async (t) => {
  let answer: () => void = () => t.fail('nothing came')
  receiver.script('/held', (_nth, response) => {
    answer = () => void response.writeHead(200).end()
  })
  const { hooks, webhookId, id, attempt, tried } = await delivering('held')
  const held = attempt(1)
  await until('the call', async () => receiver.at('/held').length === 1)
  t.is((await hooks.update(webhookId, { disabled: true })).status, 200)
  t.deepEqual(await attempt(1), { state: 'STOPPED' }, 'of a worker that knows nothing of the first')
  answer()
  t.deepEqual(await held, { state: 'STOPPED' })
  t.is((await hooks.update(webhookId, { disabled: false })).status, 200)
  for (const nth of [1, 2]) t.deepEqual(await attempt(nth), { state: 'STOPPED' })
  t.is(receiver.at('/held').length, 1)
  t.deepEqual(tried, ['stopped', 'delivered'], 'what ended before is not counted')
  t.like(await hooks.delivery(id), { status: 'STOPPED', attempts: { length: 0 } })
  const ends = await Promise.all(
    ['FAIL', 'SUCCESS'].map((outcome) => loggedAbout(world, world.token, `WEBHOOK_DELIVERY_${outcome}`, id)),
  )
  t.deepEqual(
    ends.map(({ length }) => length),
    [1, 0],
  )
})

test('a payload and a secret open in their own rows alone', async (t) => {
  const secret = 'a-secret-of-24-characters'
  const [one, other] = [await delivering('one', { secret }), await delivering('other', { secret })]
  const move = (table: string, column: string, from: string, to: string) =>
    connected(world.superuserUrl, (client) =>
      client.query(`update ${table} set ${column} = (select ${column} from ${table} where id = $1) where id = $2`, [
        from,
        to,
      ]),
    )
  await move('webhook_events', 'payload', one.eventId, other.eventId)
  await t.throwsAsync(other.attempt(1))
  await move('webhooks', 'secret', other.webhookId, one.webhookId)
  await t.throwsAsync(one.attempt(1))
  t.deepEqual([...receiver.at('/one'), ...receiver.at('/other')], [])
})

test('an attempt that was recorded is not made again, and a new workflow goes on where the row is', async (t) => {
  const { port } = server.address() as AddressInfo
  const hooks = webhooksOf(world, world.token)
  receiver.script('/crash', (_nth, response) => void response.writeHead(500).end())
  const { id: webhookId } = await hooks.created({
    url: `http://localhost:${port}/crash`,
    events: ['OpenIdCredentialIssued'],
  })
  const { id, eventId } = (await hooks.test(webhookId)).json<DeliveryAnswer>()
  const { attemptDelivery } = createActivities(world.dependencies)
  const attempt = (nth: number) =>
    attemptDelivery({ tenantId: world.first.tenantId, webhookId, eventId, deliveryId: id, round: 0, nth })
  t.deepEqual(await attempt(1), { state: 'PENDING', code: 'answer', nextInMs: 10_000 })
  const again = await attempt(1)
  t.true((again.nextInMs ?? 0) > 5_000 && (again.nextInMs ?? 0) <= 10_000, 'the wait goes on')
  t.is(receiver.at('/crash').length, 1)
  t.deepEqual(await attempt(2), { state: 'PENDING', code: 'answer', nextInMs: 60_000 })
  t.deepEqual(await attempt(1), { state: 'PENDING', code: 'answer', nextInMs: 0 }, 'the second attempt was made')
  // two workers with one attempt: both may call, one is recorded
  const both = await Promise.all([attempt(3), attempt(3)])
  for (const step of both) t.is(step.state, 'PENDING')
  t.deepEqual(await attempt(4), { state: 'FAILED', code: 'answer' })
  t.deepEqual(await attempt(4), { state: 'FAILED', code: 'answer' })
  const { attempts, status } = await hooks.delivery(id)
  t.is(attempts.length, 4)
  t.is(status, 'FAILED')
})

test('a delivery whose row knows of fewer attempts than its workflow ends, as after a restore (D-187)', async (t) => {
  const { port } = server.address() as AddressInfo
  const hooks = webhooksOf(world, world.token)
  receiver.script('/restored', (_nth, response) => void response.writeHead(500).end())
  const { id: webhookId } = await hooks.created({
    url: `http://localhost:${port}/restored`,
    events: ['OpenIdCredentialIssued'],
  })
  const { id, eventId } = (await hooks.test(webhookId)).json<DeliveryAnswer>()
  const { attemptDelivery } = createActivities(world.dependencies)
  const attempt = (nth: number) =>
    attemptDelivery({ tenantId: world.first.tenantId, webhookId, eventId, deliveryId: id, round: 0, nth })
  // the workflow has made two attempts, of which the restored row has none
  t.deepEqual(await attempt(3), { state: 'PENDING', code: 'answer', nextInMs: 10_000 })
  const again = await attempt(3)
  t.true((again.nextInMs ?? 0) > 5_000, 'an attempt that was recorded is not made again')
  t.is(receiver.at('/restored').length, 1)
  const passed = () =>
    world.dependencies.systemSql.query({
      text: `update webhook_deliveries set next_attempt_at = now() - interval '1 second' where id = $1`,
      values: [id],
    })
  await passed()
  t.deepEqual(await attempt(4), { state: 'PENDING', code: 'answer', nextInMs: 60_000 })
  await passed()
  receiver.script('/restored', status(200))
  t.deepEqual(await attempt(5), { state: 'DELIVERED' })
  t.is(receiver.at('/restored').length, 3)
  t.is((await hooks.delivery(id)).attempts.length, 3)
})

test.serial('a delivery whose key the key store has lost waits for another key, and fails for nobody', async (t) => {
  const { attempt, subject } = await delivering('lost')
  const lost = { ...world.dependencies.keys, sign: () => Promise.reject(unknownKey()) }
  const { attemptDelivery } = createActivities({ ...world.dependencies, keys: lost })
  const error = await t.throwsAsync(attemptDelivery({ ...subject, nth: 1 }), { instanceOf: Unavailable })
  t.is(error?.part, 'keys')
  t.deepEqual(await attempt(1), { state: 'DELIVERED' })
})
