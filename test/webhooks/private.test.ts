import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { createActivities } from '../../activities/index.ts'
import { createReceiver, documentedVerifier } from '../support/receiver.ts'
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
