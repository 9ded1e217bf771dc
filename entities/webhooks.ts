import { defineEntity, p } from '@mikro-orm/core'
import { EVERYTHING, owned, ownedByTenant, type Rights } from './base.ts'

const WebhookSchema = defineEntity({
  name: 'Webhook',
  tableName: 'webhooks',
  filters: ownedByTenant,
  properties: {
    ...owned,
    /** As the platform calls it: host in ASCII. */
    url: p.text(),
    events: p.array(),
    disabled: p.boolean().default(false),
    /** Encrypted; null: deliveries have no HMAC. */
    secret: p.blob().nullable(),
    updatedAt: p.datetime().onCreate(() => new Date()),
  },
})
export class Webhook extends WebhookSchema.class {}
WebhookSchema.setClass(Webhook)

const WebhookEventSchema = defineEntity({
  name: 'WebhookEvent',
  tableName: 'webhook_events',
  filters: ownedByTenant,
  properties: {
    ...owned,
    type: p.text(),
    /** JSON, encrypted, for it may hold personal data; null where no webhook asked for the event. */
    payload: p.blob().nullable(),
  },
})
export class WebhookEvent extends WebhookEventSchema.class {}
WebhookEventSchema.setClass(WebhookEvent)

/** An attempt to deliver, as the receiver's side let it end. */
export interface DeliveryAttempt {
  /** ISO time. */
  at: string
  durationMs: number
  /** Status of the answer; absent where there was none. */
  responseCode?: number
  /** Stable code of the failure; absent where the event was delivered. */
  code?: string
  reason?: string
}

const WebhookDeliverySchema = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_deliveries',
  filters: ownedByTenant,
  properties: {
    ...owned,
    webhookId: p.uuid(),
    eventId: p.uuid(),
    /** Of the event, which may be deleted first. */
    eventType: p.text(),
    /** 0 for the first delivery of the event to the webhook; each later one adds 1. */
    round: p.integer().default(0),
    /** STOPPED: the webhook was disabled. */
    state: p.text().$type<'PENDING' | 'DELIVERED' | 'FAILED' | 'STOPPED'>().default('PENDING'),
    attempts: p.json<DeliveryAttempt[]>(),
    /**
     * Base64 of what each attempt sent and what was answered, encrypted, by its number from 1; null after an erasure, from
     * when on nothing is kept. Read for one delivery alone.
     */
    exchanges: p.json<Record<string, string>>().nullable().lazy().defaultRaw(`'{}'`),
    nextAttemptAt: p.datetime().nullable(),
    endedAt: p.datetime().nullable(),
  },
})
export class WebhookDelivery extends WebhookDeliverySchema.class {}
WebhookDeliverySchema.setClass(WebhookDelivery)

export const RIGHTS = {
  webhooks: { app: EVERYTHING, system: 'select, delete' },
  webhook_events: { app: 'select, insert', system: EVERYTHING },
  webhook_deliveries: { app: 'select, insert, update', system: EVERYTHING },
  webhook_keys: { app: 'select', system: 'select, insert, delete' },
} satisfies Rights
