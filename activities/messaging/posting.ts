import { LockMode } from '@mikro-orm/core'
import { SentMessage } from '../../entities/messaging.ts'
import { inTenant } from '../../entities/orm.ts'
import { MEDIA_TYPES } from '../../protocol/messaging/didcomm.message.ts'
import { MESSAGE_DELIVERY_ENTRY } from '../../protocol/messaging/entries.ts'
import type { MessageSubject } from '../../protocol/messaging/outgoing.ts'
import type { Dependencies } from '../dependencies.ts'
import { addLogEntry } from '../frame/log-entries.ts'
import { type Posted, postMessage } from '../frame/outbound/post.ts'
import type { Turns } from '../frame/outbound/turns.ts'
import type { Sealer } from '../frame/sealing.ts'

/** What an attempt to deliver a message led to; `OVER`: its delivery had ended. */
export interface MessageStep {
  state: 'PENDING' | 'DELIVERED' | 'FAILED' | 'OVER'
  /** Why the attempt failed: a stable code. */
  code?: string
  /** Until the next attempt; absent at the end. */
  nextInMs?: number
}

/** The sealed content of a row. */
export interface SentContent {
  url: string
  envelope: string
}

/** Binds a content to its row: in another row it does not open. */
export const sentBoundTo = ({ tenantId, id }: Pick<SentMessage, 'tenantId' | 'id'>) => `sent-message/${tenantId}/${id}`

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'outbound' | 'now' | 'uuid' | 'log'> {
  sentSealer: Sealer
  turns: Pick<Turns, 'run'>
}

/** Activities of the workflow that delivers a message to a service elsewhere. */
export function createMessagePosting({ config, database, outbound, now, uuid, log, sentSealer, turns }: Parts) {
  const { retrySeconds } = config.messages

  const post = ({ content, ...row }: Pick<SentMessage, 'tenantId' | 'id' | 'content'>): Promise<Posted> => {
    const { url, envelope } = JSON.parse(sentSealer.open(content, sentBoundTo(row)).toString()) as SentContent
    const request = { url, headers: { 'content-type': MEDIA_TYPES.encrypted }, body: envelope }
    // the time of an attempt begins with its turn, so that a wait of ours is no failure of the service
    return turns.run(row.tenantId, url, () => postMessage(outbound, request))
  }

  const stepOf = (posted: Posted, nth: number): MessageStep => {
    if (posted.accepted) return { state: 'DELIVERED' }
    const wait = posted.mayPass ? retrySeconds[nth - 1] : undefined
    const { code } = posted
    return wait === undefined
      ? { state: 'FAILED', code }
      : { state: 'PENDING', code, nextInMs: Math.round(wait * 1000) }
  }

  /** What an earlier run of attempt `nth` has led to. */
  const recorded = ({ attempts, nextAttemptAt }: SentMessage, nth: number): MessageStep => {
    const remaining = (nextAttemptAt?.getTime() ?? 0) - now().getTime()
    return { state: 'PENDING', nextInMs: nth < attempts ? 0 : Math.max(0, remaining) }
  }

  /**
   * Records the attempt; at the end the row goes, and the log says what became of the message. The row is locked: of two
   * workers with one attempt the second finds what the first recorded.
   */
  const record = ({ tenantId, sentId }: MessageSubject, nth: number, posted: Posted): Promise<MessageStep> =>
    inTenant(database.tenants, tenantId, async (em) => {
      const step = stepOf(posted, nth)
      const row = await em.findOne(SentMessage, { id: sentId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      if (!row) return { state: 'OVER' }
      if (row.attempts >= nth) return recorded(row, nth)
      if (step.nextInMs !== undefined) {
        em.assign(row, { attempts: nth, nextAttemptAt: new Date(now().getTime() + step.nextInMs) })
        return step
      }
      const { requestId, clientId } = row
      const outcome = step.state === 'DELIVERED' ? 'SUCCESS' : 'FAIL'
      const reason = posted.accepted ? {} : { code: posted.code, ...(posted.status && { responseCode: posted.status }) }
      const metadata = { id: sentId, status: step.state, attempts: nth, ...reason }
      addLogEntry(em, { now, uuid }, { ...MESSAGE_DELIVERY_ENTRY, tenantId, requestId, clientId, outcome, metadata })
      em.remove(row)
      return step
    })

  return {
    /**
     * Makes attempt `nth` (from 1). What the receiver's side does wrong is a result, which the workflow counts; one that
     * has no turn throws `Unavailable`, and comes again. Safe to retry: an attempt that was recorded is not made again,
     * and the recipient recognises a repeated message by its id.
     */
    async attemptMessage({ nth, ...subject }: MessageSubject & { nth: number }): Promise<MessageStep> {
      const { tenantId, sentId: id } = subject
      const row = await inTenant(database.tenants, tenantId, (em) => em.findOne(SentMessage, { id }))
      if (!row) return { state: 'OVER' }
      if (row.attempts >= nth) return recorded(row, nth)
      const posted = await post(row)
      if (!posted.accepted) log.warn({ tenantId, sentId: id, nth, code: posted.code }, 'a message was not delivered')
      return record(subject, nth, posted)
    },
  }
}

export type MessagePosting = ReturnType<typeof createMessagePosting>
