import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { inTenant } from '../../entities/orm.ts'
import type { DeliveryAttempt, WebhookDelivery } from '../../entities/webhooks.ts'
import { keptAnswer } from '../../protocol/webhooks/answers.ts'
import type { DeliveryStep, DeliverySubject } from '../../protocol/webhooks/delivery.ts'
import { DELIVERY_ENTRY } from '../../protocol/webhooks/entries.ts'
import { deliveryBody } from '../../protocol/webhooks/events.ts'
import { standardHeaders } from '../../protocol/webhooks/secrets.ts'
import { COVERED, signPost, TAG } from '../../protocol/webhooks/signature.ts'
import type { Dependencies } from '../dependencies.ts'
import { addLogEntry } from '../frame/log-entries.ts'
import type { Outbound } from '../frame/outbound/index.ts'
import { type Posted, postMessage } from '../frame/outbound/post.ts'
import { NoTurn, type Turns } from '../frame/outbound/turns.ts'
import type { Sealer } from '../frame/sealing.ts'
import { payloadBoundTo } from './events.ts'
import { type Exchange, ownHeaders, sealExchange } from './exchanges.ts'
import type { WebhookKeys } from './keys.ts'
import { secretBoundTo } from './lifecycle.ts'

/** Results of attempts, for the counter. */
export type AttemptResult = 'delivered' | 'answer' | 'timeout' | 'connection' | 'not_called' | 'refused' | 'stopped'

interface Loaded {
  state: WebhookDelivery['state']
  attempts: DeliveryAttempt[]
  /** Milliseconds since 1970. */
  nextAttemptAt: number | null
  url: string
  disabled: boolean
  secret: Uint8Array | null
  type: string
  payload: Uint8Array | null
  /** Of the event, in milliseconds since 1970. */
  timestamp: number
}

const LOAD = `select d.state, d.attempts, (extract(epoch from d.next_attempt_at) * 1000)::float8 as "nextAttemptAt", w.url, w.disabled,
    w.secret, e.type, e.payload, (extract(epoch from e.created_at) * 1000)::float8 as timestamp
  from webhook_deliveries d join webhooks w on w.id = d.webhook_id join webhook_events e on e.id = d.event_id
  where d.id = ?`

/** Records the attempt with this number, unless it was recorded before. */
const RECORD = `update webhook_deliveries
  set attempts = (attempts::jsonb || ?::jsonb)::json, exchanges = (exchanges::jsonb || ?::jsonb)::json, state = ?, next_attempt_at = ?, ended_at = ?
  where id = ? and state = 'PENDING' and json_array_length(attempts) = ? returning id`

const STOP = `update webhook_deliveries set state = 'STOPPED', next_attempt_at = null, ended_at = ?
  where id = ? and state = 'PENDING' returning id`

export interface DeliverParts extends Pick<Dependencies, 'config' | 'database' | 'keys' | 'log' | 'now' | 'uuid'> {
  outbound: Outbound
  webhookKeys: WebhookKeys
  sealer: Sealer
  turns: Turns
  /** Called for each attempt. */
  webhookTried?: ((result: AttemptResult) => void) | undefined
}

const resultOf = (posted: Posted): AttemptResult => {
  if (posted.accepted) return 'delivered'
  const { code } = posted
  return code === 'answer' || code === 'timeout' || code === 'connection' || code === 'not_called' ? code : 'refused'
}

/** Delivers events to webhooks, for their workflows. */
export function createDeliverer(parts: DeliverParts) {
  const { config, database, keys, log, now, uuid, outbound, webhookKeys, sealer, turns, webhookTried } = parts
  const { timeoutMs, retrySeconds } = config.webhooks

  const load = (tenantId: string, deliveryId: string): Promise<Loaded | undefined> =>
    inTenant(database.tenants, tenantId, async (em) => (await em.execute<Loaded[]>(LOAD, [deliveryId]))[0])

  const signed = (url: string, headers: Record<string, string>, created: Date): Promise<Record<string, string>> =>
    webhookKeys.signWith(({ signing, kid }) => {
      const key = { kid, sign: (data: Uint8Array) => keys.sign(signing, data) }
      return signPost({ url, headers }, key, { components: COVERED, created, tag: TAG })
    })

  /** Calls the receiver. Every attempt has a time of its own, and the same event. */
  async function post(subject: DeliverySubject, row: Loaded, payload: Uint8Array, at: Date) {
    const { tenantId, webhookId, eventId, deliveryId } = subject
    const text = sealer.open(payload, payloadBoundTo(tenantId, eventId)).toString('utf8')
    const event = { id: eventId, type: row.type, payload: text, timestamp: new Date(row.timestamp) }
    const body = deliveryBody({ deliveryId, webhookId, at }, event)
    const secret = row.secret && sealer.open(row.secret, secretBoundTo(tenantId, webhookId)).toString('utf8')
    const headers = await signed(
      row.url,
      {
        ...ownHeaders({ eventId, webhookId, type: row.type }, body),
        ...(secret && standardHeaders(secret, eventId, at, body)),
      },
      at,
    )
    const { signature = '', 'signature-input': input = '' } = headers
    const exchange: Exchange = { url: row.url, signatures: { 'signature-input': input, signature } }
    const posted = await postMessage(outbound, { url: row.url, headers, body, timeoutMs }, (answer) => {
      exchange.answer = keptAnswer(answer.headers, answer.body)
    })
    return { posted, exchange }
  }

  /** Says in the log what became of a delivery, in the transaction that ends it. */
  function logEnd(em: SqlEntityManager, subject: DeliverySubject, step: DeliveryStep, type: string, attempts: number) {
    const { tenantId, deliveryId: id, webhookId, eventId } = subject
    const outcome = step.state === 'DELIVERED' ? 'SUCCESS' : 'FAIL'
    const metadata = {
      ...{ id, webhookId, eventId, eventType: type, status: step.state, attempts },
      ...(step.code !== undefined && { code: step.code }),
    }
    addLogEntry(em, { now, uuid }, { ...DELIVERY_ENTRY, tenantId, requestId: uuid(), outcome, metadata })
    if (step.state === 'FAILED') log.warn({ tenantId, ...metadata }, 'a webhook delivery failed')
  }

  /** What follows from attempt `nth` (from 1). */
  const stepOf = (attempt: DeliveryAttempt, nth: number): DeliveryStep => {
    if (attempt.code === undefined) return { state: 'DELIVERED' }
    const wait = retrySeconds[nth - 1]
    if (wait === undefined) return { state: 'FAILED', code: attempt.code }
    return { state: 'PENDING', code: attempt.code, nextInMs: Math.round(wait * 1000) }
  }

  /** What an earlier run of the same attempt, or of the workflow, has led to. */
  const recorded = ({ state, attempts, nextAttemptAt }: Loaded, nth: number): DeliveryStep => {
    const code = attempts[nth - 1]?.code
    if (state !== 'PENDING') return { state, ...(code !== undefined && { code }) }
    const nextInMs = nth < attempts.length ? 0 : Math.max(0, Math.ceil((nextAttemptAt ?? 0) - now().getTime()))
    return { state, ...(code !== undefined && { code }), nextInMs }
  }

  async function reload(subject: DeliverySubject, nth: number): Promise<DeliveryStep> {
    const row = await load(subject.tenantId, subject.deliveryId)
    return row ? recorded(row, nth) : { state: 'GONE' }
  }

  const stop = (subject: DeliverySubject, { type, attempts }: Loaded): Promise<DeliveryStep> =>
    inTenant(database.tenants, subject.tenantId, async (em) => {
      const code = attempts.at(-1)?.code
      const step: DeliveryStep = { state: 'STOPPED', ...(code !== undefined && { code }) }
      const rows = await em.execute<object[]>(STOP, [now(), subject.deliveryId])
      if (rows.length > 0) logEnd(em, subject, step, type, attempts.length)
      return { state: 'STOPPED' }
    })

  async function attempt(
    { nth: asked, ...subject }: DeliverySubject & { nth: number },
    runInTurn: Turns['run'],
  ): Promise<DeliveryStep> {
    const row = await load(subject.tenantId, subject.deliveryId)
    if (!row) return { state: 'GONE' }
    // a database that was restored knows of fewer attempts than the workflow: theirs is the count that ends
    const nth = Math.min(asked, row.attempts.length + 1)
    const isEarly = nth < asked && (row.nextAttemptAt ?? 0) > now().getTime()
    if (row.state !== 'PENDING' || row.attempts.length >= nth || isEarly) return recorded(row, asked)
    const { payload } = row
    if (row.disabled || payload === null) {
      webhookTried?.('stopped')
      return stop(subject, row)
    }
    const { posted, exchange, at, durationMs } = await runInTurn(subject.tenantId, row.url, async () => {
      const [started, fromMs] = [now(), performance.now()]
      const result = await post(subject, row, payload, started)
      return { ...result, at: started, durationMs: Math.round(performance.now() - fromMs) }
    })
    webhookTried?.(resultOf(posted))
    const made: DeliveryAttempt = {
      at: at.toISOString(),
      durationMs,
      ...(posted.status !== undefined && { responseCode: posted.status }),
      ...(!posted.accepted && { code: posted.code, reason: posted.reason }),
    }
    const sealed = sealExchange(sealer, { tenantId: subject.tenantId, id: subject.deliveryId }, nth, exchange)
    const step = stepOf(made, nth)
    const ended = step.state === 'PENDING' ? null : now()
    const next = step.nextInMs === undefined ? null : new Date(now().getTime() + step.nextInMs)
    const isRecorded = await inTenant(database.tenants, subject.tenantId, async (em) => {
      const exchanges = JSON.stringify({ [nth]: sealed })
      const values = [JSON.stringify([made]), exchanges, step.state, next, ended, subject.deliveryId, nth - 1]
      const rows = await em.execute<object[]>(RECORD, values)
      if (rows.length > 0 && ended) logEnd(em, subject, step, row.type, nth)
      return rows.length > 0
    })
    return isRecorded ? step : reload(subject, nth)
  }

  return {
    /**
     * Makes attempt `nth` (from 1) of a delivery: loads, signs, posts and records it. Failures of the receiver are
     * results, so that the workflow counts them; an error is ours, and costs the receiver no attempt. Safe to retry: an
     * attempt that was recorded is not made again, and receivers know an event that comes twice by its id.
     */
    attemptDelivery: (subject: DeliverySubject & { nth: number }): Promise<DeliveryStep> => attempt(subject, turns.run),
    /** Makes the first attempt as `attemptDelivery` does. Undefined, and nothing done, when it has no turn at once. */
    async attemptDeliveryAtOnce(subject: DeliverySubject): Promise<DeliveryStep | undefined> {
      try {
        return await attempt({ nth: 1, ...subject }, turns.runAtOnce)
      } catch (error) {
        if (error instanceof NoTurn) return undefined
        throw error
      }
    },
  }
}

export type Deliverer = ReturnType<typeof createDeliverer>
