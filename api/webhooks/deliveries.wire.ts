import type { DeliveryRecord } from '../../activities/webhooks/records.ts'
import { momentOf } from '../../protocol/dates.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { PageQuery } from '../frame/pagination.ts'
import type { Count, DateTime, Uuid } from '../frame/wire.ts'

export type DeliveryStatus = 'PENDING' | 'DELIVERED' | 'FAILED' | 'STOPPED'

/** A header of HTTP. */
export interface DeliveryHeaderOut {
  name: string
  value: string
}

/** What the receiver answered: the text of a stranger. Controls besides tab and line feed, and marks of direction, are U+FFFD. */
export interface DeliveryResponseOut {
  contentType?: string
  /** The first 1,024 characters; absent where the answer had no body, or one that is not text. */
  body?: string
  /** Whether there was more. */
  truncated: boolean
}

export interface DeliveryRequestOut {
  method: 'POST'
  url: string
  /** Without `webhook-timestamp` and `webhook-signature`, and without those of the connection. */
  headers: DeliveryHeaderOut[]
  /** As it was sent, to the byte; absent where the payload of the event is not kept any more. */
  body?: string
}

export interface DeliveryAttemptOut {
  at: DateTime
  /** Milliseconds until the answer was read, or the attempt failed. */
  durationMs: Count
  /** HTTP status of the answer; absent where there was none. */
  responseCode?: Count
  /**
   * Stable; absent where the event was delivered. answer: another status than 2xx. timeout: no whole answer in time.
   * connection: no connection, or a broken one. not_called: the host has no public address. outbound.tls: the
   * certificate or the handshake failed. outbound.bad_answer: no valid HTTP.
   */
  code?: string
  /** For people. */
  reason?: string
  /**
   * Headers of the request that are this attempt's own: digest and signature. Only where one delivery is read, like
   * response. Attempts of earlier releases, and those about an erased credential, have neither signature nor response.
   */
  headers?: DeliveryHeaderOut[]
  /** Absent where there was no whole answer. */
  response?: DeliveryResponseOut
}

/** A delivery that was made after another one. */
export interface LaterDeliveryOut {
  id: Uuid
  status: DeliveryStatus
  endedAt?: DateTime
}

export interface DeliveryOut {
  /** The deliveryId in the body of the delivery. */
  id: Uuid
  webhookId: Uuid
  /** Receivers know an event that comes twice by this. */
  eventId: Uuid
  eventType: string
  status: DeliveryStatus
  attempts: DeliveryAttemptOut[]
  /**
   * As the last attempt sent it; the bodies of the others differ only in deliveryTimestamp, which is the time of the
   * attempt (at). Only where one delivery is read, and has been tried.
   */
  request?: DeliveryRequestOut
  /** Code of the last answer. */
  responseCode?: Count
  /** Why the last attempt failed. */
  error?: string
  createdAt: DateTime
  /** Of a delivery that is PENDING and has been tried. */
  nextAttemptAt?: DateTime
  endedAt?: DateTime
  /** The last delivery of the same event to the same webhook, where the event was delivered again after this one. */
  redelivery?: LaterDeliveryOut
  /** The workflow of the delivery in the Temporal UI, for operators; absent unless TEMPORAL_UI_PUBLIC_URL is set. */
  workflowUrl?: string
}

export interface DeliveryPageOut {
  deliveries: DeliveryOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

export interface DeliveryQuery extends PageQuery {
  /** Returns only deliveries to this webhook. */
  webhookId?: Uuid
  /** Returns only deliveries of this event. */
  eventId?: Uuid
  /** Returns only deliveries with this status. */
  status?: DeliveryStatus
  /**
   * false: returns only deliveries whose event was not delivered to the webhook again after them; true: only those whose
   * event was, however that ended.
   */
  redelivered?: boolean
  /** Returns only deliveries that were created at this time or later. */
  since?: DateTime
  /** Returns only deliveries that were created before this time, which is after `since`. */
  until?: DateTime
}

export interface RedeliverFailedIn {
  /** Delivers again what failed at this time or later. */
  since: DateTime
  /** Delivers again only what failed before this time, which is after `since`. Default: whatever failed since then. */
  until?: DateTime | null
}

export interface RedeliveredOut {
  /** Number of new deliveries. */
  redelivered: Count
  /** true: one request takes 500 deliveries, and there are more; repeat it. */
  more: boolean
}

/** Throws `Refusal('request.invalid')`. */
export function timeOf(text: string, path: string): Date {
  const moment = momentOf(text, { zoneRequired: true })
  if (moment) return moment
  throw new Refusal('request.invalid', `${path} is not a date and time.`, [
    { path, code: 'date_time', message: 'expected the form 2027-01-31T12:00:00Z' },
  ])
}

/** The times from `since`, with it, to `until`, without it. Throws `Refusal('request.invalid')`. */
export function spanOf(query: { since?: string; until?: string | null }): { since?: Date; until?: Date } {
  const since = query.since === undefined ? undefined : timeOf(query.since, 'since')
  const until = typeof query.until === 'string' ? timeOf(query.until, 'until') : undefined
  if (since && until && until <= since)
    throw new Refusal('request.invalid', 'until is not after since.', [
      { path: 'until', code: 'order', message: 'expected a time after since' },
    ])
  return { ...(since && { since }), ...(until && { until }) }
}

const headersToWire = (headers: Record<string, string>): DeliveryHeaderOut[] =>
  Object.entries(headers).map(([name, value]) => ({ name, value }))

function attemptToWire({ headers, answer, ...attempt }: DeliveryRecord['attempts'][number]): DeliveryAttemptOut {
  return {
    ...attempt,
    ...(headers && { headers: headersToWire(headers) }),
    ...(answer && {
      response: {
        ...(answer.contentType !== undefined && { contentType: answer.contentType }),
        ...(answer.text !== undefined && { body: answer.text }),
        truncated: answer.isCut ?? false,
      },
    }),
  }
}

export function deliveryToWire(record: DeliveryRecord): DeliveryOut {
  const { id, webhookId, eventId, eventType, state, attempts, createdAt, nextAttemptAt, endedAt, workflowUrl } = record
  const { request, redelivery } = record
  const last = attempts.at(-1)
  return {
    id,
    webhookId,
    eventId,
    eventType,
    status: state,
    attempts: attempts.map(attemptToWire),
    ...(request && { request: { method: 'POST' as const, ...request, headers: headersToWire(request.headers) } }),
    ...(last?.responseCode !== undefined && { responseCode: last.responseCode }),
    ...(last?.reason !== undefined && { error: last.reason }),
    createdAt,
    ...(nextAttemptAt !== null && { nextAttemptAt }),
    ...(endedAt !== null && { endedAt }),
    ...(redelivery && {
      redelivery: {
        id: redelivery.id,
        status: redelivery.state,
        ...(redelivery.endedAt !== null && { endedAt: redelivery.endedAt }),
      },
    }),
    ...(workflowUrl !== null && { workflowUrl }),
  }
}

export const NEW_DELIVERY: DeliveryOut = {
  id: '8a4f1c1e-9b5d-4f0a-8d8e-2b7c6a5d4e3f',
  webhookId: '0b1c8a8e-4f1e-4a57-9d0a-1f8f5d6f2c31',
  eventId: '5d3b2a1c-7e6f-4a5b-9c8d-1e2f3a4b5c6d',
  eventType: 'OpenIdCredentialIssued',
  status: 'PENDING',
  attempts: [],
  createdAt: '2027-01-15T12:30:00.000Z',
}

export const TEST_DELIVERY: DeliveryOut = {
  id: '8a4f1c1e-9b5d-4f0a-8d8e-2b7c6a5d4e3f',
  webhookId: '0b1c8a8e-4f1e-4a57-9d0a-1f8f5d6f2c31',
  eventId: '5d3b2a1c-7e6f-4a5b-9c8d-1e2f3a4b5c6d',
  eventType: 'WebhookTest',
  status: 'PENDING',
  attempts: [],
  createdAt: '2027-01-15T12:30:00.000Z',
}

export const RETRIED_DELIVERY: DeliveryOut = {
  id: '8a4f1c1e-9b5d-4f0a-8d8e-2b7c6a5d4e3f',
  webhookId: '0b1c8a8e-4f1e-4a57-9d0a-1f8f5d6f2c31',
  eventId: '5d3b2a1c-7e6f-4a5b-9c8d-1e2f3a4b5c6d',
  eventType: 'OpenIdCredentialIssued',
  status: 'PENDING',
  attempts: [
    { at: '2027-01-15T12:30:00.100Z', durationMs: 42, responseCode: 503, code: 'answer', reason: 'answered 503' },
  ],
  responseCode: 503,
  error: 'answered 503',
  createdAt: '2027-01-15T12:30:00.000Z',
  nextAttemptAt: '2027-01-15T12:30:10.142Z',
}

const DIGEST = { name: 'content-digest', value: 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:' }

/** As one that is read by itself. */
export const READ_DELIVERY: DeliveryOut = {
  id: '8a4f1c1e-9b5d-4f0a-8d8e-2b7c6a5d4e3f',
  webhookId: '0b1c8a8e-4f1e-4a57-9d0a-1f8f5d6f2c31',
  eventId: '5d3b2a1c-7e6f-4a5b-9c8d-1e2f3a4b5c6d',
  eventType: 'OpenIdCredentialIssued',
  status: 'PENDING',
  attempts: [
    {
      at: '2027-01-15T12:30:00.100Z',
      durationMs: 42,
      responseCode: 503,
      code: 'answer',
      reason: 'answered 503',
      headers: [DIGEST],
      response: { contentType: 'text/plain', body: 'No room at the moment.', truncated: false },
    },
  ],
  request: {
    method: 'POST',
    url: 'https://receiver.university.example/webhooks',
    headers: [
      { name: 'content-type', value: 'application/json' },
      { name: 'webhook-id', value: '5d3b2a1c-7e6f-4a5b-9c8d-1e2f3a4b5c6d' },
      DIGEST,
    ],
    body: '{"deliveryId":"8a4f1c1e-9b5d-4f0a-8d8e-2b7c6a5d4e3f","deliveryTimestamp":"2027-01-15T12:30:00.100Z"}',
  },
  responseCode: 503,
  error: 'answered 503',
  createdAt: '2027-01-15T12:30:00.000Z',
  nextAttemptAt: '2027-01-15T12:30:10.142Z',
}
