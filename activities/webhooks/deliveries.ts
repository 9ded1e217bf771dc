import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { inTenant, takeTurn } from '../../entities/orm.ts'
import { Webhook, WebhookDelivery, WebhookEvent } from '../../entities/webhooks.ts'
import { Refusal, TooMany } from '../../protocol/errors.ts'
import type { DeliverySubject } from '../../protocol/webhooks/delivery.ts'
import { TEST_EVENT, testPayload } from '../../protocol/webhooks/events.ts'
import type { Dependencies } from '../dependencies.ts'
import { createLimit } from '../frame/limits/index.ts'
import type { Call, Metadata, Operations } from '../frame/operations.ts'
import type { Sealer } from '../frame/sealing.ts'
import { createWorkflowPages } from '../frame/temporal/pages.ts'
import type { Events } from './events.ts'
import { readExchanges } from './exchanges.ts'
import { madeAgain, ofWebhooks, readLatest } from './later.ts'
import { webhookNotFound } from './lifecycle.ts'
import { type DeliveryRecord, type DeliveryState, hasWebhook, toDelivery } from './records.ts'

/** Deliveries that one request delivers again. */
const AT_ONCE = 500
/** Of a tenant, one by one: each is a message to a host that may be somebody else's. */
const REDELIVERIES_PER_MINUTE = 60
/** Redeliveries of a tenant that wait for their receivers; each may be tried for some minutes. */
const MOST_WAITING = 5_000
/** A receiver that answers at once has taken some hundreds by then. */
const WAIT_SECONDS = 10
/** Test events of one webhook in a minute: its host may be somebody else's. */
const TESTS_PER_MINUTE = 10
/** Of a tenant: several webhooks may have one receiver, which may be somebody else's. */
const TESTS_OF_TENANT = 60

const tooManyRedeliveries = (message: string, retryAfterSeconds: number) =>
  new TooMany('webhook.too_many_redeliveries', message, retryAfterSeconds)

export const deliveryNotFound = () => new Refusal('webhook.delivery_not_found', 'There is no such delivery.')

export interface DeliveryFilter {
  webhookId?: string
  eventId?: string
  state?: DeliveryState
  /** Whether the event was delivered to the webhook once more after it, however that ended. */
  isRedelivered?: boolean
  /** Created at this time or later. */
  since?: Date
  /** Created before this time. */
  until?: Date
}

/** The last delivery of each event to a webhook, where it failed, the oldest first; one more than is asked for. */
const FAILED = `select d.event_id as "eventId" from webhook_deliveries d
  where d.webhook_id = ? and d.state = 'FAILED' and d.ended_at >= ?
    and d.ended_at < coalesce(?::timestamptz, 'infinity')
    and not exists (select from webhook_deliveries n
      where n.event_id = d.event_id and n.webhook_id = d.webhook_id and n.round > d.round)
  order by d.ended_at, d.id limit ?`

/** One more delivery of events to a webhook; of concurrent requests for one event the first makes it. */
const AGAIN = `insert into webhook_deliveries (id, tenant_id, webhook_id, event_id, event_type, round, exchanges)
  select gen_random_uuid(), d.tenant_id, d.webhook_id, d.event_id, d.event_type, d.round + 1,
    case when d.exchanges is not null then '{}'::json end
  from json_array_elements_text(?::json) as wanted (event_id), lateral (
    select * from webhook_deliveries l where l.event_id = wanted.event_id::uuid and l.webhook_id = ? order by l.round desc limit 1
  ) as d
  where d.state <> 'PENDING'
  on conflict (event_id, webhook_id, round) do nothing
  returning id as "deliveryId", tenant_id as "tenantId", webhook_id as "webhookId", event_id as "eventId", round`

/** Counted as far as the limit. */
const WAITING = `select count(*)::int as waiting from (
  select from webhook_deliveries d where state = 'PENDING' and round > 0
    and ${hasWebhook('d')} limit ${MOST_WAITING}) as few`

/** Of the webhook, and of the tenant: the events outlive a webhook that is deleted and made again. */
const RECENT_TESTS = `select (select count(*)::int from webhook_deliveries
    where webhook_id = ? and event_type = ? and created_at > now() - interval '1 minute') as "ofWebhook",
  (select count(*)::int from webhook_events where type = ? and created_at > now() - interval '1 minute') as "ofTenant"`

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'sql' | 'outbox' | 'uuid'> {
  operations: Operations
  events: Events
  sealer: Sealer
}

/** Deliveries of events to webhooks: list, read, deliver again, send a test event. */
export function createDeliveries({ config, database, sql, outbox, uuid, operations, events, sealer }: Parts) {
  const pageOf = createWorkflowPages({ config })
  const record = (row: WebhookDelivery): DeliveryRecord => toDelivery(row, pageOf)

  const limit = createLimit(sql, { name: 'redelivery', points: REDELIVERIES_PER_MINUTE, seconds: 60 })

  /** Counts what is refused later, too. Throws `TooMany('webhook.too_many_redeliveries')`. */
  async function countRedelivery(tenantId: string): Promise<void> {
    const seconds = await limit.take(tenantId)
    if (seconds === undefined) return
    const message = `A tenant can redeliver ${REDELIVERIES_PER_MINUTE} events one by one in a minute. Redeliver all that failed since a time with one request.`
    throw tooManyRedeliveries(message, seconds)
  }

  /** How many more redeliveries of the tenant may wait; requests pass here one after the other. */
  async function roomToWait(em: SqlEntityManager, tenantId: string): Promise<number> {
    await takeTurn(em, `redeliveries of ${tenantId}`)
    const [counted] = await em.execute<{ waiting: number }[]>(WAITING)
    return MOST_WAITING - (counted?.waiting ?? 0)
  }

  /** `populate`: exchanges, which are not read otherwise. */
  async function find(em: SqlEntityManager, id: string, populate: ['exchanges'] | [] = []): Promise<WebhookDelivery> {
    const row = await em.findOne(WebhookDelivery, { id, ...ofWebhooks() }, { populate })
    if (!row) throw deliveryNotFound()
    return row
  }

  /** Throws `webhook.not_found`, `webhook.disabled`. */
  async function assertEnabled(em: SqlEntityManager, id: string): Promise<void> {
    const row = await em.findOne(Webhook, { id })
    if (!row) throw webhookNotFound()
    if (row.disabled)
      throw new Refusal('webhook.disabled', 'The webhook is disabled, and receives nothing. Enable it first.')
  }

  async function deliverAgain(em: SqlEntityManager, webhookId: string, eventIds: string[]): Promise<DeliverySubject[]> {
    const subjects = await em.execute<DeliverySubject[]>(AGAIN, [JSON.stringify(eventIds), webhookId])
    await outbox.startAll(em, 'deliverWebhook', subjects)
    return subjects
  }

  return {
    /** Newest first. */
    async listDeliveries(
      tenantId: string,
      { limit, offset }: { limit: number; offset: number },
      { webhookId, eventId, state, isRedelivered, since, until }: DeliveryFilter = {},
    ): Promise<{ deliveries: DeliveryRecord[]; total: number }> {
      const where = {
        ...ofWebhooks(),
        ...(webhookId !== undefined && { webhookId }),
        ...(eventId !== undefined && { eventId }),
        ...(state !== undefined && { state }),
        ...(isRedelivered !== undefined && madeAgain(isRedelivered)),
        ...((since || until) && { createdAt: { ...(since && { $gte: since }), ...(until && { $lt: until }) } }),
      }
      return inTenant(database.tenants, tenantId, async (em) => {
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        const [rows, total] = await em.findAndCount(WebhookDelivery, where, { orderBy, limit, offset })
        const latest = await readLatest(em, rows)
        return { deliveries: rows.map((row) => toDelivery(row, pageOf, { redelivery: latest.get(row.id) })), total }
      })
    },

    /** With its request as it was sent, and what was answered. */
    async readDelivery(tenantId: string, id: string): Promise<DeliveryRecord> {
      return inTenant(database.tenants, tenantId, async (em) => {
        const row = await find(em, id, ['exchanges'])
        const webhook = await em.findOne(Webhook, { id: row.webhookId })
        const event = await em.findOne(WebhookEvent, { id: row.eventId })
        const redelivery = (await readLatest(em, [row])).get(id)
        return toDelivery(row, pageOf, { redelivery, details: readExchanges(sealer, row, webhook, event) })
      })
    },

    /**
     * Delivers the event of a delivery to its webhook again, under a new delivery id and the same event id. Throws
     * `webhook.delivery_not_found`, `webhook.disabled`, `webhook.delivery_pending`,
     * `TooMany('webhook.too_many_redeliveries')`. `found` is called with the webhook before anything is refused for it.
     */
    async redeliver(call: Call, id: string, found: (webhookId: string) => void): Promise<DeliveryRecord> {
      const metadata: Metadata = { id }
      await countRedelivery(call.tenantId)
      return operations.change(call, 'redeliverWebhookDelivery', metadata, async (em) => {
        const { webhookId, eventId } = await find(em, id)
        found(webhookId)
        await assertEnabled(em, webhookId)
        const [subject] = await deliverAgain(em, webhookId, [eventId])
        if (!subject)
          throw new Refusal(
            'webhook.delivery_pending',
            'A delivery of this event to this webhook is under way. Wait for its end.',
          )
        Object.assign(metadata, { deliveryId: subject.deliveryId, webhookId, eventId })
        return record(await find(em, subject.deliveryId))
      })
    },

    /**
     * Delivers again what failed at `since` or later, and before `until` where that is given, the oldest first; `more`:
     * there is more than one request takes, or than may wait. Throws `webhook.not_found`, `webhook.disabled`,
     * `TooMany('webhook.too_many_redeliveries')` where there is more and nothing more may wait.
     */
    async redeliverFailed(
      call: Call,
      webhookId: string,
      { since, until }: { since: Date; until?: Date },
    ): Promise<{ redelivered: number; more: boolean }> {
      const metadata: Metadata = { id: webhookId }
      return operations.change(call, 'redeliverFailedWebhookDeliveries', metadata, async (em) => {
        await assertEnabled(em, webhookId)
        const most = Math.min(AT_ONCE, await roomToWait(em, call.tenantId))
        const failed = await em.execute<{ eventId: string }[]>(FAILED, [webhookId, since, until ?? null, most + 1])
        if (most === 0 && failed.length > 0)
          throw tooManyRedeliveries(
            `${MOST_WAITING} redeliveries of the tenant wait for their receivers.`,
            WAIT_SECONDS,
          )
        const eventIds = failed.slice(0, most).map(({ eventId }) => eventId)
        const { length: redelivered } = await deliverAgain(em, webhookId, eventIds)
        metadata.redelivered = redelivered
        return { redelivered, more: failed.length > most }
      })
    },

    /**
     * Sends a test event to one webhook, whatever events it asks for. Throws `webhook.not_found`, `webhook.disabled`,
     * `TooMany('webhook.too_many_tests')`.
     */
    async sendTestEvent(call: Call, webhookId: string): Promise<DeliveryRecord> {
      const { tenantId } = call
      const [eventId, deliveryId] = [uuid(), uuid()]
      return operations.change(call, 'sendWebhookTestEvent', { id: webhookId, deliveryId, eventId }, async (em) => {
        await assertEnabled(em, webhookId)
        await takeTurn(em, `test events of ${tenantId}`)
        const values = [webhookId, TEST_EVENT, TEST_EVENT]
        const [recent] = await em.execute<{ ofWebhook: number; ofTenant: number }[]>(RECENT_TESTS, values)
        if ((recent?.ofWebhook ?? 0) >= TESTS_PER_MINUTE || (recent?.ofTenant ?? 0) >= TESTS_OF_TENANT)
          throw new TooMany(
            'webhook.too_many_tests',
            `A webhook gets at most ${TESTS_PER_MINUTE} test events in a minute, all webhooks of a tenant ${TESTS_OF_TENANT}.`,
            60,
          )
        const subject = { tenantId, webhookId, eventId, deliveryId }
        await events.emitTo(em, subject, TEST_EVENT, testPayload(webhookId))
        return record(await find(em, deliveryId))
      })
    },
  }
}

export type Deliveries = ReturnType<typeof createDeliveries>
