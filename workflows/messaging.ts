import { proxyActivities } from '@temporalio/workflow'
import type { MessagePosting, MessageStep } from '../activities/messaging/posting.ts'
import type { Payload } from '../protocol/workflows.ts'
import { deliverUntilOver } from './delivery.ts'
import { outward } from './options.ts'
import { createProgressLine } from './progress.ts'

const { attemptMessage } = proxyActivities<MessagePosting>(outward)

/**
 * Delivers an encrypted message to the service of a DID elsewhere: one attempt, and more after the waits of the
 * configuration. Each attempt is one activity, which records it; the history has no address and no content.
 */
export async function deliverMessage(subject: Payload<'deliverMessage'>): Promise<MessageStep['state']> {
  const show = createProgressLine()
  const { state } = await deliverUntilOver(
    (nth) => attemptMessage({ nth, ...subject }),
    ({ nextInMs, code }, nth) => {
      if (nextInMs === undefined) return undefined
      const next = new Date(Date.now() + nextInMs).toISOString()
      show(`deliver message ${subject.sentId}: attempt ${nth} failed (${code ?? 'unknown'}), next at ${next}`)
      return nextInMs
    },
  )
  return state
}
