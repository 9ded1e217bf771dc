import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { DeliverySubject } from '../../protocol/webhooks/delivery.ts'
import type { EventType, TEST_EVENT } from '../../protocol/webhooks/events.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Sealer } from '../frame/sealing.ts'

export interface NewEvent {
  /** UUID of the event, which the caller makes or derives of its cause: an event is emitted once per id. */
  id: string
  tenantId: string
  type: EventType
  /** Plain JSON. */
  payload: object
}

/** Binds a payload to its row: in another row it does not open. */
export const payloadBoundTo = (tenantId: string, eventId: string) => `${tenantId}/webhook-events/${eventId}`

/**
 * Stores the event, and a delivery for each of the tenant's webhooks that asks for it, unless the event is known. The
 * conflict names no index: of two at once, either of the table's two unique ones may be the first to tell.
 */
const EMIT = `with wanted as (
    select id from webhooks where tenant_id = ? and not disabled and ? = any (events)
  ), event as (
    insert into webhook_events (id, tenant_id, type, payload, created_at)
    select ?, ?, ?, case when exists (select from wanted) then ?::bytea end, ?
    on conflict do nothing returning id, tenant_id, type
  ), deliveries as (
    insert into webhook_deliveries (id, tenant_id, webhook_id, event_id, event_type)
    select gen_random_uuid(), event.tenant_id, wanted.id, event.id, event.type from event cross join wanted
    returning id, webhook_id
  )
  select id as "deliveryId", webhook_id as "webhookId" from deliveries order by id`

/** Stores an event for one webhook alone, with its delivery. */
const EMIT_TO = `with event as (
    insert into webhook_events (id, tenant_id, type, payload, created_at) values (?, ?, ?, ?, ?)
    returning id, tenant_id, type
  )
  insert into webhook_deliveries (id, tenant_id, webhook_id, event_id, event_type)
  select ?, event.tenant_id, ?, event.id, event.type from event`

export function createEvents({ outbox, now, sealer }: Pick<Dependencies, 'outbox' | 'now'> & { sealer: Sealer }) {
  const sealed = (tenantId: string, id: string, payload: object) =>
    sealer.seal(Buffer.from(JSON.stringify(payload)), payloadBoundTo(tenantId, id))

  return {
    /**
     * Emits an event in the caller's transaction, which makes what the event tells of: both are committed or neither
     * is. Each enabled webhook of the tenant that asks for the type gets the event. A second event with the same id
     * changes nothing. Returns the number of webhooks.
     */
    async emitEvent(em: SqlEntityManager, { id, tenantId, type, payload }: NewEvent): Promise<number> {
      const values = [tenantId, type, id, tenantId, type, sealed(tenantId, id, payload), now()]
      const deliveries = await em.execute<Pick<DeliverySubject, 'deliveryId' | 'webhookId'>[]>(EMIT, values)
      const starts = deliveries.map((delivery) => ({ tenantId, eventId: id, round: 0, ...delivery }))
      await outbox.startAll(em, 'deliverWebhook', starts)
      return deliveries.length
    },

    /** Emits an event to one webhook, whatever that asks for. */
    async emitTo(
      em: SqlEntityManager,
      { tenantId, webhookId, eventId, deliveryId }: Omit<DeliverySubject, 'round'>,
      type: typeof TEST_EVENT,
      payload: object,
    ): Promise<void> {
      const event = [eventId, tenantId, type, sealed(tenantId, eventId, payload), now()]
      await em.execute(EMIT_TO, [...event, deliveryId, webhookId])
      await outbox.startAll(em, 'deliverWebhook', [{ tenantId, webhookId, eventId, deliveryId, round: 0 }])
    },
  }
}

export type Events = ReturnType<typeof createEvents>
