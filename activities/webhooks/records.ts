import type { DeliveryAttempt, Webhook, WebhookDelivery } from '../../entities/webhooks.ts'
import type { KeptAnswer } from '../../protocol/webhooks/answers.ts'
import type { DeliverySubject } from '../../protocol/webhooks/delivery.ts'
import type { EventType } from '../../protocol/webhooks/events.ts'
import { workflows } from '../../protocol/workflows.ts'
import type { WorkflowPage } from '../frame/temporal/pages.ts'
import type { DeliveryDetails, SentRequest } from './exchanges.ts'

export interface WebhookRecord {
  id: string
  url: string
  events: EventType[]
  disabled: boolean
  /** Whether deliveries have an HMAC; the secret itself is never read again. */
  hasSecret: boolean
  createdAt: string
  updatedAt: string
}

export const toRecord = (row: Webhook): WebhookRecord => ({
  id: row.id,
  url: row.url,
  events: row.events as EventType[],
  disabled: row.disabled,
  hasSecret: row.secret !== null && row.secret !== undefined,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

/** Whether the webhook of a delivery is not deleted: the purge deletes the others. */
export const hasWebhook = (delivery: string): string =>
  `exists (select from webhooks h where h.id = ${delivery}.webhook_id)`

export type DeliveryState = WebhookDelivery['state']

/** An attempt, with what is its own of the request and what was answered where one delivery is read. */
export interface AttemptRecord extends DeliveryAttempt {
  headers?: Record<string, string>
  answer?: KeptAnswer
}

export interface DeliveryRecord {
  id: string
  webhookId: string
  eventId: string
  eventType: string
  state: DeliveryState
  attempts: AttemptRecord[]
  /** Where one delivery is read, and has been tried. */
  request?: SentRequest
  /** The last delivery of the event to the webhook, where there is one after this. */
  redelivery?: { id: string; state: DeliveryState; endedAt: string | null }
  createdAt: string
  nextAttemptAt: string | null
  endedAt: string | null
  /** Address of the workflow in the Temporal UI; null unless the operator shows callers one. */
  workflowUrl: string | null
}

export const subjectOf = ({
  tenantId,
  webhookId,
  eventId,
  id,
  round,
}: Pick<WebhookDelivery, 'tenantId' | 'webhookId' | 'eventId' | 'id' | 'round'>): DeliverySubject => ({
  tenantId,
  webhookId,
  eventId,
  deliveryId: id,
  round,
})

interface Known {
  redelivery?: DeliveryRecord['redelivery']
  /** Where one delivery is read. */
  details?: DeliveryDetails
}

export const toDelivery = (
  row: WebhookDelivery,
  pageOf: (workflowId: string) => WorkflowPage,
  { redelivery, details }: Known = {},
): DeliveryRecord => {
  return {
    id: row.id,
    webhookId: row.webhookId,
    eventId: row.eventId,
    eventType: row.eventType,
    state: row.state,
    attempts: row.attempts.map((attempt, at) => ({ ...attempt, ...details?.attempts[at] })),
    ...(details?.request && { request: details.request }),
    ...(redelivery && { redelivery }),
    createdAt: row.createdAt.toISOString(),
    nextAttemptAt: row.nextAttemptAt?.toISOString() ?? null,
    endedAt: row.endedAt?.toISOString() ?? null,
    workflowUrl: pageOf(workflows.deliverWebhook.id(subjectOf(row))).url ?? null,
  }
}
