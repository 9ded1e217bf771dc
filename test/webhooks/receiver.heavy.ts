import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { createWebhookKeyRotation } from '../../activities/webhooks/keys.ts'
import { connect } from '../../entities/orm.ts'
import { until } from '../support/credentials/dids.ts'
import { needs } from '../support/parts.ts'
import { verifiedByPython } from '../support/webhooks.python.ts'
import { deliveriesOf, keyOf } from '../support/webhooks.world.ts'

const withPython = needs('Python')

const DELIVERIES = 1_000
/** After a minute the worker has read its keys again: deliveries come for longer. */
const RUN_MS = 100_000
const PATH = '/run'

const { receiver, beside, emit, hook, own, keySet } = deliveriesOf(test)

withPython('Python verifies each of 1,000 deliveries, across a rotation of the key that signs them', async (t) => {
  t.timeout(300_000)
  const { id: webhookId } = await hook(PATH.slice(1))
  const { dependencies, config } = beside().world
  const before = await keySet()
  t.is(before.length, 1)
  const emitted: string[] = []
  const begun = Date.now()
  for (let nth = 0; nth < DELIVERIES; nth += 1) {
    await wait(Math.max(0, begun + (nth * RUN_MS) / DELIVERIES - Date.now()))
    emitted.push((await emit({ format: 'ldp_vc', nth, holder: `Zoë ${nth}` })).id)
    if (nth === DELIVERIES / 5) {
      const rotation = createWebhookKeyRotation({ ...dependencies, config: { webhooks: { keyDays: 0 } } })
      await rotation.addWebhookKey(randomUUID())
      const owner = await connect(config.database.url, 1) // an hour goes by
      await owner.em.getConnection().execute(`update webhook_keys set created_at = created_at - interval '61 minutes'`)
      await owner.close()
    }
  }
  await until('every delivery', async () => receiver.at(PATH).length >= DELIVERIES, 120_000)
  const received = receiver.at(PATH)
  t.deepEqual(received.map(({ headers }) => headers['webhook-id']).sort(), emitted.toSorted(), 'each event, once')
  t.true(received.every(({ headers }) => headers['x-webhook-id'] === webhookId))

  // a receiver that keeps the key set reads it again for an unknown key
  const keys = await until(
    'the new key',
    async () => {
      const published = await keySet()
      return published.length === 2 && published
    },
    70_000,
  )
  const kids = received.map(keyOf)
  const verified = await verifiedByPython(keys, received, beside().authority)
  t.deepEqual(verified, kids, 'each verifies with the key that it names')
  const [oldKid] = before.map(({ kid }) => kid)
  const [old, fresh] = [kids.filter((kid) => kid === oldKid), kids.filter((kid) => kid !== oldKid)]
  t.true(old.length >= DELIVERIES / 5, `${old.length} with the first key`)
  t.true(fresh.length >= DELIVERIES / 10, `${fresh.length} with the second key`)
  t.is(new Set(fresh).size, 1)
  t.log({ verified: verified.length, firstKey: old.length, secondKey: fresh.length })
  await own().remove(webhookId)
})
