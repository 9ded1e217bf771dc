import { defineWork, type WorkRow } from '../frame/pending-work.ts'
import { hasWebhook } from './records.ts'

/** A delivery until it ends; while it waits, from its next attempt on. */
export const deliveryWork = defineWork<
  'deliverWebhook',
  WorkRow & { webhookId: string; eventId: string; round: number }
>({
  workflowType: 'deliverWebhook',
  table: 'webhook_deliveries',
  columns: 'w.webhook_id as "webhookId", w.event_id as "eventId", w.round',
  underWay: `w.state = 'PENDING' and ${hasWebhook('w')}`,
  since: 'coalesce(w.next_attempt_at, w.created_at)',
  payload: ({ tenantId, id, webhookId, eventId, round }) => ({ tenantId, webhookId, eventId, deliveryId: id, round }),
  about: () => [],
})
