import { randomBytes, randomUUID } from 'node:crypto'
import test from 'ava'
import { createSealer } from '../../activities/frame/sealing.ts'
import { readExchanges, sealExchange } from '../../activities/webhooks/exchanges.ts'
import type { WebhookDelivery } from '../../entities/webhooks.ts'

const sealer = createSealer(randomBytes(32), 'webhooks')
const [tenantId, id] = [randomUUID(), randomUUID()]
const exchange = {
  url: 'https://receiver.example/hooks?who=ada',
  signatures: { signature: 'a-signature' },
  answer: { contentType: 'text/plain', text: 'Ada Lovelace' },
}

const deliveryWith = (exchanges: Record<string, string>): WebhookDelivery =>
  ({
    ...{ tenantId, id, webhookId: randomUUID(), eventId: randomUUID(), eventType: 'WebhookTest', exchanges },
    attempts: [1, 2].map(() => ({ at: new Date().toISOString(), durationMs: 1 })),
  }) as WebhookDelivery

test('what was sent and answered is unreadable to somebody who has only the database', (t) => {
  const sealed = Buffer.from(sealExchange(sealer, { tenantId, id }, 1, exchange), 'base64').toString('latin1')
  for (const plain of ['receiver.example', 'a-signature', 'Lovelace', 'text/plain']) t.false(sealed.includes(plain))
})

test('what was sealed for one attempt of one delivery opens for no other one', (t) => {
  const sealed = sealExchange(sealer, { tenantId, id }, 1, exchange)
  const { request, attempts } = readExchanges(sealer, deliveryWith({ 1: sealed }), null, null)
  t.is(request, undefined)
  t.deepEqual(attempts, [{ headers: exchange.signatures, answer: exchange.answer }, { headers: {} }])
  t.throws(() => readExchanges(sealer, deliveryWith({ 2: sealed }), null, null))
  const ofAnother = sealExchange(sealer, { tenantId, id: randomUUID() }, 1, exchange)
  t.throws(() => readExchanges(sealer, deliveryWith({ 1: ofAnother }), null, null))
})
