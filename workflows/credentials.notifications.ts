import { proxyActivities } from '@temporalio/workflow'
import type { NotificationDelivery } from '../activities/credentials/notifications.deliver.ts'
import type { Payload } from '../protocol/workflows.ts'
import { deliverUntilOver } from './delivery.ts'
import { outward, quick } from './options.ts'

const { deliverNotification } = proxyActivities<NotificationDelivery>(outward)
const { concludeNotification } = proxyActivities<NotificationDelivery>(quick)

/** Half a day in all; after that a holder can still read the status list. */
const WAITS = ['1m', '10m', '1h', '3h', '8h'] as const

/** Sends a message about a status to the endpoint of the holder's DID, and records the outcome. */
export async function notifyStatus({
  waits = WAITS,
  ...subject
}: Payload<'notifyStatus'>): Promise<'SENT' | 'NO_SERVICE' | 'FAILED'> {
  const outcome = await deliverUntilOver(
    () => deliverNotification(subject),
    ({ state }, nth) => (state === 'later' ? waits[nth - 1] : undefined),
  )
  const state = outcome.state === 'later' ? 'FAILED' : outcome.state
  // a recipient that was not reached may get another message; one that refused it was reached
  await concludeNotification(subject, state, outcome.reason, outcome.state === 'later' || state === 'NO_SERVICE')
  return state
}
