import {
  isCancellation,
  log,
  proxyActivities,
  proxyLocalActivities,
  TemporalFailure,
  uuid4,
} from '@temporalio/workflow'
import type { Deliverer } from '../activities/webhooks/deliver.ts'
import type { WebhookKeyRotation } from '../activities/webhooks/keys.ts'
import type { DeliveryStep } from '../protocol/webhooks/delivery.ts'
import type { Payload } from '../protocol/workflows.ts'
import { deliverUntilOver } from './delivery.ts'
import { atOnce, outward, quick } from './options.ts'
import { createProgressLine } from './progress.ts'

const { attemptDelivery } = proxyActivities<Deliverer>(outward)
const { attemptDeliveryAtOnce } = proxyLocalActivities<Deliverer>(atOnce)
const { rotateWebhookKeys: rotate } = proxyActivities<WebhookKeyRotation>(quick)

/**
 * Makes the first attempt within the workflow's first task, which costs Temporal half of what an activity of its own costs
 * (D-366). Undefined where the receiver is slow or busy, or a part was away: an activity makes the attempt then.
 */
async function attemptAtOnce(subject: Payload<'deliverWebhook'>): Promise<DeliveryStep | undefined> {
  try {
    return await attemptDeliveryAtOnce(subject)
  } catch (error) {
    if (!(error instanceof TemporalFailure) || isCancellation(error)) throw error
    log.info('an activity makes the first attempt', { eventId: subject.eventId, reason: error.message })
    return undefined
  }
}

/**
 * Delivers an event to a webhook: one attempt, and three more after the waits of the configuration (specification,
 * Events 5). Each attempt is one activity, which records it; the first is made at once where it can be. A disabled or
 * deleted webhook ends it.
 */
export async function deliverWebhook(subject: Payload<'deliverWebhook'>): Promise<DeliveryStep['state']> {
  const show = createProgressLine()
  const { state } = await deliverUntilOver(
    async (nth) => (nth === 1 && (await attemptAtOnce(subject))) || attemptDelivery({ nth, ...subject }),
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
