import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { inTenant, takeTurn } from '../../entities/orm.ts'
import { Webhook } from '../../entities/webhooks.ts'
import { Refusal } from '../../protocol/errors.ts'
import { EVENT_TYPES, type EventType } from '../../protocol/webhooks/events.ts'
import { secretKey } from '../../protocol/webhooks/secrets.ts'
import { readWebhookUrl, refusedByOutbound } from '../../protocol/webhooks/urls.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Call, Metadata, Operations } from '../frame/operations.ts'
import { assertCallable, parseTarget } from '../frame/outbound/url.ts'
import type { Sealer } from '../frame/sealing.ts'
import { toRecord, type WebhookRecord } from './records.ts'

/** Each gets a delivery of every event that it asks for. */
const MAX_WEBHOOKS = 50

export const webhookNotFound = () => new Refusal('webhook.not_found', 'There is no such webhook.')

/** Binds a secret to its row: in another row it does not open. */
export const secretBoundTo = (tenantId: string, webhookId: string) => `${tenantId}/webhooks/${webhookId}/secret`

/** What a caller gives; of an update, an absent member and null change nothing. */
export interface WebhookInput {
  url: string
  events: string[]
  disabled?: boolean | null
  /** An empty text: none. */
  secret?: string | null
}

/** A webhook with the secret that the same request gave it, which is answered this once. */
export interface SavedWebhook extends WebhookRecord {
  secret?: string
}

/** Throws `Refusal('webhook.invalid_events')`. */
export function checkEvents(events: readonly string[]): EventType[] {
  const refuse = (path: string, code: string, message: string): never => {
    throw new Refusal('webhook.invalid_events', 'The events of the webhook cannot be used; see errors.', [
      { path, code, message },
    ])
  }
  if (events.length === 0) return refuse('events', 'empty', `expected at least one of: ${EVENT_TYPES.join(', ')}`)
  const known = events.slice(0, EVENT_TYPES.length + 1).map((event, at) => {
    const type = EVENT_TYPES.find((each) => each === event)
    return type ?? refuse(`events.${at}`, 'unknown', `expected one of: ${EVENT_TYPES.join(', ')}`)
  })
  const repeated = known.findIndex((event, at) => known.indexOf(event) < at)
  if (repeated >= 0) return refuse(`events.${repeated}`, 'repeated', 'expected each event once')
  return known
}

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'now' | 'uuid'> {
  operations: Operations
  sealer: Sealer
}

/** Returns the URL that is stored. Throws `Refusal('webhook.invalid_url')`. */
export function webhookUrlOf(config: Pick<Dependencies['config'], 'webhooks' | 'outbound'>, text: string): string {
  const { allowPrivate } = config.webhooks
  const url = readWebhookUrl(text, { allowPrivate })
  try {
    if (allowPrivate) parseTarget(url, { plainHttp: true })
    else assertCallable(url, config.outbound)
    return url
  } catch (error) {
    if (error instanceof Refusal && error.code === 'outbound.blocked')
      return refusedByOutbound('not_public', 'its host is not a public host name')
    if (error instanceof Refusal) return refusedByOutbound(error.code, error.message)
    throw error
  }
}

/** Area 7, webhooks: create, list, read, update, delete (specification, Webhook operations). */
export function createWebhooks({ config, database, now, uuid, operations, sealer }: Parts) {
  const urlOf = (text: string): string => webhookUrlOf(config, text)

  const sealed = (tenantId: string, id: string, secret: string): Buffer | null => {
    if (secret === '') return null
    secretKey(secret)
    return sealer.seal(Buffer.from(secret), secretBoundTo(tenantId, id))
  }

  const saved = (row: Webhook, secret: string | null | undefined): SavedWebhook => ({
    ...toRecord(row),
    ...(secret ? { secret } : {}),
  })

  async function find(em: SqlEntityManager, id: string): Promise<Webhook> {
    const row = await em.findOne(Webhook, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    if (!row) throw webhookNotFound()
    return row
  }

  return {
    /**
     * Throws `webhook.invalid_url`, `webhook.invalid_events`, `webhook.invalid_secret`, `webhook.too_many`.
     */
    async createWebhook(call: Call, input: WebhookInput): Promise<SavedWebhook> {
      const { tenantId } = call
      const id = uuid()
      const [url, events] = [urlOf(input.url), checkEvents(input.events)]
      const secret = sealed(tenantId, id, input.secret ?? '')
      return operations.change(call, 'createWebhook', { id }, async (em) => {
        await takeTurn(em, `webhooks of ${tenantId}`)
        if ((await em.count(Webhook)) >= MAX_WEBHOOKS)
          throw new Refusal('webhook.too_many', `A tenant can have ${MAX_WEBHOOKS} webhooks. Delete one first.`)
        const time = now()
        const disabled = input.disabled ?? false
        const row = em.create(Webhook, {
          ...{ id, tenantId, url, events, disabled, secret },
          createdAt: time,
          updatedAt: time,
        })
        await em.flush()
        return saved(row, input.secret)
      })
    },

    /** Newest first. */
    async listWebhooks(
      tenantId: string,
      { limit, offset }: { limit: number; offset: number },
      status?: 'enabled' | 'disabled',
    ): Promise<{ webhooks: WebhookRecord[]; total: number }> {
      return inTenant(database.tenants, tenantId, async (em) => {
        const where = status === undefined ? {} : { disabled: status === 'disabled' }
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        const [rows, total] = await em.findAndCount(Webhook, where, { orderBy, limit, offset })
        return { webhooks: rows.map(toRecord), total }
      })
    },

    async readWebhook(tenantId: string, id: string): Promise<WebhookRecord> {
      const row = await inTenant(database.tenants, tenantId, (em) => em.findOne(Webhook, { id }))
      if (!row) throw webhookNotFound()
      return toRecord(row)
    },

    /** Changes the members that are given. A delivery under way uses the new ones from its next attempt on. */
    async updateWebhook(call: Call, id: string, input: Partial<WebhookInput>): Promise<SavedWebhook> {
      const url = typeof input.url === 'string' ? { url: urlOf(input.url) } : {}
      const events = input.events ? { events: checkEvents(input.events) } : {}
      const disabled = typeof input.disabled === 'boolean' ? { disabled: input.disabled } : {}
      const { secret: given } = input
      const secret = typeof given === 'string' ? { secret: sealed(call.tenantId, id, given) } : {}
      const metadata: Metadata = { id }
      if (typeof input.disabled === 'boolean') metadata.disabled = input.disabled
      return operations.change(call, 'updateWebhook', metadata, async (em) => {
        const row = await find(em, id)
        Object.assign(row, { ...url, ...events, ...disabled, ...secret, updatedAt: now() })
        return saved(row, given)
      })
    },

    /**
     * Deletes a webhook: its deliveries are not found any more, and deleted by the next purge; one under way ends at its next
     * attempt.
     */
    async deleteWebhook(call: Call, id: string): Promise<void> {
      await operations.change(call, 'deleteWebhook', { id }, async (em) => {
        em.remove(await find(em, id))
        await em.flush()
      })
    },
  }
}

export type Webhooks = ReturnType<typeof createWebhooks>
