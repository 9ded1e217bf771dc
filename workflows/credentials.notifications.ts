import { proxyActivities, sleep } from '@temporalio/workflow'
import type { NotificationDelivery } from '../activities/credentials/notifications.deliver.ts'
import type { Payload } from '../protocol/workflows.ts'
import { outward, quick } from './options.ts'

const { deliverNotification } = proxyActivities<NotificationDelivery>(outward)
const { concludeNotification } = proxyActivities<NotificationDelivery>(quick)

/** Half a day in all; a holder who is away for longer reads the list. */
const WAITS = ['1m', '10m', '1h', '3h', '8h'] as const

/** Sends a message about a status to where the holder's DID takes messages; whatever comes of it is recorded. */
export async function notifyStatus({
  waits = WAITS,
  ...subject
}: Payload<'notifyStatus'>): Promise<'SENT' | 'NO_SERVICE' | 'FAILED'> {
  let outcome = await deliverNotification(subject)
  for (const wait of waits) {
    if (outcome.state !== 'later') break
    await sleep(wait)
    outcome = await deliverNotification(subject)
  }
  const state = outcome.state === 'later' ? 'FAILED' : outcome.state
  // whoever was not reached may be told another time; whoever refused the message was told
  await concludeNotification(subject, state, outcome.reason, outcome.state === 'later' || state === 'NO_SERVICE')
  return state
}
