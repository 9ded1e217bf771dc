import { randomBytes } from 'node:crypto'
import { until } from './credentials/dids.ts'
import type { Reply, World } from './world.ts'

export const WEBHOOKS = '/v1/webhooks'

export interface WebhookAnswer {
  id: string
  url: string
  events: string[]
  disabled: boolean
  hasSecret: boolean
  secret?: string
  createdAt: string
  updatedAt: string
}

export interface AttemptAnswer {
  at: string
  durationMs: number
  responseCode?: number
  code?: string
  reason?: string
  headers?: { name: string; value: string }[]
  response?: { contentType?: string; body?: string; truncated: boolean }
}

export interface DeliveryAnswer {
  id: string
  webhookId: string
  eventId: string
  eventType: string
  status: 'PENDING' | 'DELIVERED' | 'FAILED' | 'STOPPED'
  attempts: AttemptAnswer[]
  request?: { method: string; url: string; headers: { name: string; value: string }[]; body?: string }
  responseCode?: number
  error?: string
  createdAt: string
  nextAttemptAt?: string
  endedAt?: string
  redelivery?: { id: string; status: DeliveryAnswer['status']; endedAt?: string }
  workflowUrl?: string
}

/** A URL that nobody in the world answers at. */
export const newWebhookUrl = () => `https://w${randomBytes(6).toString('hex')}.example/hooks`

/** The webhook operations of one tenant. */
export const webhooksOf = (world: Pick<World, 'ask'>, token: string) => ({
  create: (body: object): Promise<Reply> => world.ask(WEBHOOKS, { token, body }),
  async created(body: object): Promise<WebhookAnswer> {
    const reply = await this.create(body)
    if (reply.status !== 201) throw new Error(`no webhook: ${reply.text}`)
    return reply.json<WebhookAnswer>()
  },
  read: (id: string) => world.ask(`${WEBHOOKS}/${id}`, { token }),
  async list(query = '') {
    const reply = await world.ask(`${WEBHOOKS}${query}`, { token })
    return reply.json<{ webhooks: WebhookAnswer[]; limit: number; totalCount: number; totalPages: number }>()
  },
  update: (id: string, body: object) => world.ask(`${WEBHOOKS}/${id}`, { method: 'PUT', token, body }),
  remove: (id: string) => world.ask(`${WEBHOOKS}/${id}`, { method: 'DELETE', token }),
  test: (id: string) => world.ask(`${WEBHOOKS}/${id}/test`, { method: 'POST', token }),
  redeliverFailed: (id: string, since: string) => world.ask(`${WEBHOOKS}/${id}/redeliver`, { token, body: { since } }),
  redeliver: (deliveryId: string) =>
    world.ask(`${WEBHOOKS}/deliveries/${deliveryId}/redeliver`, { method: 'POST', token }),
  delivery: async (id: string) => (await world.ask(`${WEBHOOKS}/deliveries/${id}`, { token })).json<DeliveryAnswer>(),
  async deliveries(query = '') {
    const reply = await world.ask(`${WEBHOOKS}/deliveries${query}`, { token })
    return reply.json<{ deliveries: DeliveryAnswer[]; limit: number; totalCount: number; totalPages: number }>()
  },
  ended(id: string): Promise<DeliveryAnswer> {
    return until('the end of the delivery', async () => {
      const delivery = await this.delivery(id)
      return delivery.status !== 'PENDING' && delivery
    })
  },
})

export const createWebhook = (world: Pick<World, 'ask'>, token: string): Promise<WebhookAnswer> =>
  webhooksOf(world, token).created({ url: newWebhookUrl(), events: ['OpenIdCredentialIssued'] })

/** Deliveries of so many events to a webhook, all of which failed. */
export const addFailed = (world: Pick<World, 'dependencies'>, webhookId: string, count: number) =>
  world.dependencies.systemSql.query({
    text: `with event as (
        insert into webhook_events (id, tenant_id, type) select gen_random_uuid(), tenant_id, 'WebhookTest'
        from webhooks, generate_series(1, $2::int) where id = $1 returning id, tenant_id)
      insert into webhook_deliveries (id, tenant_id, webhook_id, event_id, event_type, state, ended_at)
      select gen_random_uuid(), tenant_id, $1, id, 'WebhookTest', 'FAILED', now() from event`,
    values: [webhookId, count],
  })

/** What the examples of requests speak of. */
export async function makeWebhookSample(world: World, token: string) {
  const [webhook, spare] = [await createWebhook(world, token), await createWebhook(world, token)]
  const delivery = await webhooksOf(world, token).test(webhook.id)
  const { id: deliveryId, eventId } = delivery.json<DeliveryAnswer>()
  return { webhookId: webhook.id, spareWebhookId: spare.id, deliveryId, eventId }
}
