import { proxyActivities, proxyLocalActivities, uuid4 } from '@temporalio/workflow'
import type { Deliverer } from '../activities/webhooks/deliver.ts'
import type { WebhookKeyRotation } from '../activities/webhooks/keys.ts'
import type { DeliveryStep } from '../protocol/webhooks/delivery.ts'
import type { Payload } from '../protocol/workflows.ts'
import { atOnceOr } from './at-once.ts'
import { deliverUntilOver } from './delivery.ts'
import { atOnce, outward, quick } from './options.ts'
import { createProgressLine } from './progress.ts'

const { attemptDelivery } = proxyActivities<Deliverer>(outward)
const { attemptDeliveryAtOnce } = proxyLocalActivities<Deliverer>(atOnce)
const { rotateWebhookKeys: rotate } = proxyActivities<WebhookKeyRotation>(quick)

/**
 * Delivers an event to a webhook: one attempt, and three more after the waits of the configuration (specification,
 * Events 5). Each attempt is one activity, which records it; the first is made within the workflow's task, unless the
 * receiver is slow or busy, or a part is away. A disabled or deleted webhook ends it.
 */
export async function deliverWebhook(subject: Payload<'deliverWebhook'>): Promise<DeliveryStep['state']> {
  const show = createProgressLine()
  const { state } = await deliverUntilOver(
    (nth) => {
      const attempt = () => attemptDelivery({ nth, ...subject })
      return nth === 1 ? atOnceOr('make the first attempt', () => attemptDeliveryAtOnce(subject), attempt) : attempt()
    },
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
