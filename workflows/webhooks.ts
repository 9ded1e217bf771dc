import { proxyActivities, uuid4 } from '@temporalio/workflow'
import type { Deliverer } from '../activities/webhooks/deliver.ts'
import type { WebhookKeyRotation } from '../activities/webhooks/keys.ts'
import type { DeliveryStep } from '../protocol/webhooks/delivery.ts'
import type { Payload } from '../protocol/workflows.ts'
import { deliverUntilOver } from './delivery.ts'
import { outward, quick } from './options.ts'
import { createProgressLine } from './progress.ts'

const { attemptDelivery } = proxyActivities<Deliverer>(outward)
const { rotateWebhookKeys: rotate } = proxyActivities<WebhookKeyRotation>(quick)

/**
 * Delivers an event to a webhook: one attempt, and three more after the waits of the configuration (specification,
 * Events 5). Each attempt is one activity, which records it. A disabled or deleted webhook ends it.
 */
export async function deliverWebhook(subject: Payload<'deliverWebhook'>): Promise<DeliveryStep['state']> {
  const show = createProgressLine()
  const { state } = await deliverUntilOver(
    (nth) => attemptDelivery({ nth, ...subject }),
    ({ nextInMs, code }, nth) => {
      if (nextInMs === undefined) return undefined
      const next = new Date(Date.now() + nextInMs).toISOString()
      show(`deliver event ${subject.eventId}: attempt ${nth} failed (${code ?? 'unknown'}), next at ${next}`)
      return nextInMs
    },
  )
  return state
}

/**
 * Scheduled: adds and removes keys of webhooks. The new key's id is made here, so that a retry makes no second key.
 */
export async function rotateWebhookKeys(): ReturnType<WebhookKeyRotation['rotateWebhookKeys']> {
  return rotate({ keyId: uuid4() })
}
