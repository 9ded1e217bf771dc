import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Webhook, WebhookDelivery, WebhookEvent } from '../../entities/webhooks.ts'
import type { KeptAnswer } from '../../protocol/webhooks/answers.ts'
import { deliveryBody } from '../../protocol/webhooks/events.ts'
import { contentDigest } from '../../protocol/webhooks/signature.ts'
import type { Sealer } from '../frame/sealing.ts'
import { payloadBoundTo } from './events.ts'

/** What an attempt sent besides what follows from its delivery, and what was answered. The answer is a stranger's text. */
export interface Exchange {
  url: string
  /** `signature-input` and `signature`; no HMAC, by which whoever reads deliveries could try out secrets. */
  signatures: Record<string, string>
  answer?: KeptAnswer
}

export interface SentRequest {
  url: string
  /** Without an HMAC. */
  headers: Record<string, string>
  /** Undefined where the payload is not kept any more. */
  body?: string
}

export interface AttemptDetails {
  /** Headers of the request that are this attempt's own. */
  headers: Record<string, string>
  answer?: KeptAnswer
}

/** One delivery as it was sent, by attempts in their order. */
export interface DeliveryDetails {
  /** Of the last attempt; undefined before the first. */
  request?: SentRequest
  attempts: AttemptDetails[]
}

/** Binds it to its attempt, from 1: in another one it does not open. */
const boundTo = ({ tenantId, id }: Pick<WebhookDelivery, 'tenantId' | 'id'>, nth: number) =>
  `${tenantId}/webhook-deliveries/${id}/${nth}`

export const sealExchange = (
  sealer: Sealer,
  delivery: Pick<WebhookDelivery, 'tenantId' | 'id'>,
  nth: number,
  exchange: Exchange,
): string => sealer.seal(Buffer.from(JSON.stringify(exchange)), boundTo(delivery, nth)).toString('base64')

/** The headers that follow from a delivery and its body. */
export const ownHeaders = (of: { eventId: string; webhookId: string; type: string }, body: string) => ({
  'content-type': 'application/json',
  'content-digest': contentDigest(body),
  'webhook-id': of.eventId,
  'x-webhook-id': of.webhookId,
  'x-event-type': of.type,
})

/** Reads what was sent and answered. Attempts of earlier releases, and those of erased persons, have no signature and no answer. The row has its exchanges. */
export function readExchanges(
  sealer: Sealer,
  row: WebhookDelivery,
  webhook: Webhook | null,
  event: WebhookEvent | null,
): DeliveryDetails {
  const { tenantId, id, webhookId, eventId, eventType: type, attempts, exchanges } = row
  const sealed = event?.payload
  const payload = sealed ? sealer.open(sealed, payloadBoundTo(tenantId, eventId)).toString('utf8') : undefined
  const bodyAt = (at: string): string | undefined =>
    event && payload !== undefined
      ? deliveryBody(
          { deliveryId: id, webhookId, at: new Date(at) },
          { id: eventId, type, payload, timestamp: event.createdAt },
        )
      : undefined
  const openedOf = (nth: number): Exchange | undefined => {
    const exchange = exchanges?.[nth]
    return exchange === undefined
      ? undefined
      : (JSON.parse(sealer.open(Buffer.from(exchange, 'base64'), boundTo(row, nth)).toString('utf8')) as Exchange)
  }
  const opened = attempts.map((_attempt, at) => openedOf(at + 1))
  const details = attempts.map(({ at }, place): AttemptDetails => {
    const body = bodyAt(at)
    const { signatures, answer } = opened[place] ?? {}
    const digest: Record<string, string> = body === undefined ? {} : { 'content-digest': contentDigest(body) }
    return { headers: { ...digest, ...signatures }, ...(answer && { answer }) }
  })
  const last = attempts.at(-1)
  const url = opened.at(-1)?.url ?? webhook?.url
  if (!last || url === undefined) return { attempts: details }
  const body = bodyAt(last.at)
  const { 'content-digest': _ofBody, ...headers } = ownHeaders({ eventId, webhookId, type }, body ?? '')
  const request = { url, headers: { ...headers, ...details.at(-1)?.headers }, ...(body !== undefined && { body }) }
  return { request, attempts: details }
}

/** Of a tenant's events; the deliveries stay, with the time and the status of each attempt. */
const FORGET = `update webhook_deliveries set exchanges = null
  where tenant_id = ? and event_id = any (string_to_array(?, ' ')::uuid[]) and exchanges is not null`

/**
 * Erases what receivers answered to events, in the caller's transaction; later attempts and deliveries of these events keep
 * no answer either. Safe to repeat.
 */
export async function forgetAnswers(
  em: SqlEntityManager,
  tenantId: string,
  eventIds: readonly string[],
): Promise<void> {
  if (eventIds.length > 0) await em.execute(FORGET, [tenantId, eventIds.join(' ')])
}
