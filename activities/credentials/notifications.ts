import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { Notification } from '../../entities/credentials/credentials.ts'
import { Did } from '../../entities/dids.ts'
import { inTenant } from '../../entities/orm.ts'
import type { FormatName } from '../../protocol/credentials/formats.ts'
import { type NamedEntry, statusMessage } from '../../protocol/credentials/notifications.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Signers } from '../dids/signers.ts'
import type { Call, Operations } from '../frame/operations.ts'
import type { Formats } from './format.ts'
import { messageSigner } from './notifications.deliver.ts'
import { assertWithinLimits, recipientHost, takeTurns } from './notifications.limits.ts'
import { findCredential } from './read.ts'
import { credentialNotFound, notRevocable } from './refusals.ts'

const invalid = (path: string, message: string) =>
  new Refusal('request.invalid', `The member ${path} of the notification is not valid; see errors.`, [
    { path, code: 'did', message },
  ])

/** Recipients of one request. */
const MAX_RECIPIENTS = 100

interface CurrentStatus {
  revoked: boolean
  /** Number of the last change, 0 for none. */
  change: string
}

/**
 * The status and its last change, read in one statement. The row is locked against an erasure until the end of the
 * transaction: what is added after one would stay.
 */
const STATUS = `select c.revoked, coalesce((select max(h.id) from credential_status_changes h
    where h.credential_id = c.id and h.purpose = 'revocation'), 0)::text as change
  from credentials c where c.id = ? and c.erased_at is null for share of c`

const ADD = `insert into credential_notifications (id, tenant_id, credential_id, recipient, recipient_host, status_change, sender,
    message, request_id, client_id, created_at)
  values (?, ?, ?, ?, ?, ?, ?, ?::json, ?, ?, ?)
  on conflict (tenant_id, credential_id, md5(recipient), status_change) do nothing returning id`

interface StatusNotice {
  credentialId: string
  statusEntry: NamedEntry
  sender: string
  status: CurrentStatus
}

/** Runs `work` for one item after the other, because a transaction takes one statement at a time. */
async function inTurn<T, Result>(items: T[], work: (item: T) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  for (const item of items) results.push(await work(item))
  return results
}

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'outbox' | 'now' | 'uuid'> {
  operations: Operations
  signers: Signers
  formats: Formats
}

/** Sends holders the status of their credential, as a signed message to the message endpoint of their DID (D-113). */
export function createNotifications(parts: Parts) {
  const { config, database, outbox, now, uuid, operations, signers, formats } = parts

  async function senderOf(tenantId: string, from: string | undefined, didId?: string | null): Promise<string> {
    const senderDid = from ?? (didId ? await ownDid(tenantId, didId) : '')
    await messageSigner(signers, tenantId, senderDid).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error
      throw invalid('from', 'expected a DID of /v1/dids with an Ed25519 or P-256 key')
    })
    return senderDid
  }

  const ownDid = async (tenantId: string, id: string): Promise<string> => {
    const row = await inTenant(database.tenants, tenantId, (em) => em.findOne(Did, { id }))
    return row?.did ?? ''
  }

  /** Returns false where a notification of this status to the recipient exists already. */
  async function enqueue(em: SqlEntityManager, call: Call, recipient: string, notice: StatusNotice): Promise<boolean> {
    const { tenantId, requestId, clientId } = call
    const { credentialId, statusEntry, sender, status } = notice
    const id = uuid()
    const about = { id, from: sender, to: recipient, now: now(), isRevoked: status.revoked }
    const message = JSON.stringify(statusMessage(statusEntry, about))
    const host = recipientHost(recipient)
    const row = [
      id,
      tenantId,
      credentialId,
      recipient,
      host,
      status.change,
      sender,
      message,
      requestId,
      clientId,
      now(),
    ]
    const newRows = await em.execute<{ id: string }[]>(ADD, row)
    if (newRows.length === 0) return false
    await outbox.start(em, 'notifyStatus', { tenantId, notificationId: id }, { credentialId })
    return true
  }

  return {
    /**
     * `from`: by default the credential's issuer; `to`: by default all its subjects. A recipient is notified of each
     * status once: a repeat changes nothing (D-171). Throws `credential.not_found`, `credential.not_revocable`,
     * `request.invalid`, `TooMany('notification.too_many')`.
     */
    async notifyStatus(
      call: Call,
      id: string,
      { from, to }: { from?: string; to?: string[] },
      format?: FormatName,
    ): Promise<void> {
      const { tenantId } = call
      const credential = await inTenant(database.tenants, tenantId, (em) => findCredential(em, id, format))
      if (!credential.statusListId) throw notRevocable()
      const { subjects, statusEntry } = formats.of(credential.format).show(credential)
      if (!statusEntry) throw notRevocable()
      if (to?.some((did) => !subjects.includes(did))) throw invalid('to', 'expected DIDs of the credential’s subjects')
      const sender = await senderOf(tenantId, from, credential.didId)
      const recipients = [...new Set(to ?? subjects)]
      if (recipients.length > MAX_RECIPIENTS) throw invalid('to', `expected at most ${MAX_RECIPIENTS} of the subjects`)
      const metadata = { id, from: sender, recipients: recipients.length, repeated: 0 }
      await operations.change(call, 'webSemanticRevocationStatusNotification', metadata, async (em) => {
        await takeTurns(em, tenantId, recipients)
        const [status] = await em.execute<CurrentStatus[]>(STATUS, [id])
        if (!status) throw credentialNotFound()
        const notice = { credentialId: id, statusEntry, sender, status }
        const isNew = await inTurn(recipients, (recipient) => enqueue(em, call, recipient, notice))
        const newRecipients = recipients.filter((_, index) => isNew[index])
        metadata.repeated = recipients.length - newRecipients.length
        if (newRecipients.length > 0) await assertWithinLimits(em, newRecipients, config.notificationLimitPerHour)
        return null
      })
    },

    /** Newest first, each with its outcome. Throws `credential.not_found`. */
    async listNotifications(
      tenantId: string,
      id: string,
      { limit, offset }: { limit: number; offset: number },
      format?: FormatName,
    ) {
      return inTenant(database.tenants, tenantId, async (em) => {
        await findCredential(em, id, format)
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        const [notifications, total] = await em.findAndCount(
          Notification,
          { credentialId: id },
          { orderBy, limit, offset },
        )
        return { notifications, total }
      })
    },
  }
}

export type Notifications = ReturnType<typeof createNotifications>
