import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createActivities } from '../../activities/index.ts'
import { createWebhookKeyRotation, createWebhookKeys } from '../../activities/webhooks/keys.ts'
import { openWorldBeside, type WorldBeside } from '../support/parts/elsewhere.ts'
import { needs } from '../support/parts.ts'
import { createReceiver } from '../support/receiver.ts'
import { verifiedByPython } from '../support/webhooks.python.ts'
import { type DeliveryAnswer, webhooksOf } from '../support/webhooks.ts'

const withPython = needs('Python')

const receiver = createReceiver()
let beside: WorldBeside
test.before(async () => {
  beside = await openWorldBeside('receiver.acme.test', receiver.listener)
})
test.after.always(() => beside?.close())

withPython(
  'Python’s http-message-signatures verifies deliveries before and after another key signs (RFC 9421)',
  async (t) => {
    const { world } = beside
    const { dependencies, first } = world
    const hooks = webhooksOf(world, world.token)
    const { id: webhookId } = await hooks.created({ url: beside.urlOf('python'), events: ['OpenIdCredentialIssued'] })
    const deliver = async () => {
      const { attemptDelivery } = createActivities(dependencies)
      for (let nth = 0; nth < 3; nth += 1) {
        const { id, eventId } = (await hooks.test(webhookId)).json<DeliveryAnswer>()
        const subject = { tenantId: first.tenantId, webhookId, eventId, deliveryId: id, round: 0 }
        t.deepEqual(await attemptDelivery({ ...subject, nth: 1 }), { state: 'DELIVERED' })
      }
      return (await world.ask('/v1/webhooks/jwks')).json<{ keys: { kid: string }[] }>().keys
    }
    const oldKeys = await deliver()
    const rotation = createWebhookKeyRotation({ ...dependencies, config: { webhooks: { keyDays: 0 } } })
    await rotation.replaceWebhookKeys(randomUUID())
    await deliver()
    // as the database has them: an API process may remember the former ones for a minute
    const newKeys = (await createWebhookKeys(dependencies).current()).keySet.keys
    const all = receiver.at('/python')
    t.is(all.length, 6)
    const [one] = all
    if (!one) return t.fail()
    const tampered = [
      { ...one, path: '/other' },
      { ...one, method: 'PUT' },
      { ...one, body: Buffer.concat([one.body, Buffer.from(' ')]) },
      { ...one, headers: { ...one.headers, 'x-webhook-id': randomUUID() } },
      { ...one, headers: { ...one.headers, 'content-type': 'text/plain' } },
    ]
    const answers = await verifiedByPython([...oldKeys, ...newKeys], [...all, ...tampered], beside.authority)
    const [oldKid, newKid] = [oldKeys[0]?.kid, newKeys[0]?.kid]
    t.not(oldKid, newKid)
    t.deepEqual(answers, [
      ...[oldKid, oldKid, oldKid, newKid, newKid, newKid],
      ...['InvalidSignature', 'InvalidSignature', 'another body', 'InvalidSignature', 'InvalidSignature'],
    ])
  },
)
