import type { DeliveryAttempt, Webhook, WebhookDelivery } from '../../entities/webhooks.ts'
import type { DeliverySubject } from '../../protocol/webhooks/delivery.ts'
import type { EventType } from '../../protocol/webhooks/events.ts'
import { workflows } from '../../protocol/workflows.ts'

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

export type DeliveryState = WebhookDelivery['state']

export interface DeliveryRecord {
  id: string
  webhookId: string
  eventId: string
  eventType: string
  state: DeliveryState
  attempts: DeliveryAttempt[]
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

/** The address of a delivery's workflow in the Temporal UI. */
const workflowUrl = (uiUrl: string, namespace: string, row: WebhookDelivery): string => {
  const workflow = encodeURIComponent(workflows.deliverWebhook.id(subjectOf(row)))
  return `${uiUrl.replace(/\/$/, '')}/namespaces/${namespace}/workflows/${workflow}`
}

/** `uiUrl`: of the Temporal UI, if callers may see it. */
export const toDelivery = (row: WebhookDelivery, namespace: string, uiUrl: string | undefined): DeliveryRecord => {
  return {
    id: row.id,
    webhookId: row.webhookId,
    eventId: row.eventId,
    eventType: row.eventType,
    state: row.state,
    attempts: row.attempts,
    createdAt: row.createdAt.toISOString(),
    nextAttemptAt: row.nextAttemptAt?.toISOString() ?? null,
    endedAt: row.endedAt?.toISOString() ?? null,
    workflowUrl: uiUrl === undefined ? null : workflowUrl(uiUrl, namespace, row),
  }
}
