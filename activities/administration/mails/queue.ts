import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { takeTurn } from '../../../entities/orm.ts'
import type { MailKind } from '../../../protocol/administration/accounts/mails.ts'
import { Unavailable } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import { createSealer, type Sealer } from '../../frame/sealing.ts'
import type { MailContent } from './texts.ts'

/** To one recipient, whatever they are about: strangers cause them. What only the owner causes is always sent. */
const PER_HOUR = 5
/** Mails of one kind to one recipient have one cause within this time, e.g. a form that was sent twice. */
const ONE_CAUSE_SECONDS = 60

const SENT_BEFORE = `select count(*) filter (where created_at > now() - interval '1 hour')::int as recent,
  count(*) filter (where kind = ? and created_at > now() - make_interval(secs => ?))::int as same
from account_mails where recipient_index = ?`

const INSERT = `insert into account_mails (id, recipient_index, kind, content, request_id, next_attempt_at) values (?, ?, ?, ?, ?, now())`

export const mailSealer = (masterKey: Uint8Array): Sealer => createSealer(masterKey, 'account-mails')

export const mailPlace = (id: string) => `mail/${id}`

export interface NewMail {
  kind: MailKind
  recipientIndex: Buffer
  content: MailContent
  /** The first tenant. */
  tenantId: string
  requestId: string
}

/** Mails that a workflow sends once the caller's transaction commits. */
export function createMailQueue({ config, outbox, uuid }: Pick<Dependencies, 'config' | 'outbox' | 'uuid'>) {
  const sealer = mailSealer(config.masterKey)
  return {
    /** Throws `Unavailable('mail')` where the platform cannot send any. */
    assertCanSend(): void {
      if (config.mail) return
      throw new Unavailable('mail', 'The platform cannot send mail: its operator has to set SMTP_URL.', 3600)
    },

    /** Returns false, and does nothing, where the recipient got enough mails. */
    async enqueue(
      em: SqlEntityManager,
      { kind, recipientIndex, content, tenantId, requestId }: NewMail,
    ): Promise<boolean> {
      const isOwners = kind === 'PASSWORD_CHANGED'
      await takeTurn(em, `mails ${recipientIndex.toString('hex')}`)
      const values = [kind, ONE_CAUSE_SECONDS, recipientIndex]
      const [before] = await em.execute<{ recent: number; same: number }[]>(SENT_BEFORE, values)
      if (!isOwners && (!before || before.recent >= PER_HOUR || before.same > 0)) return false
      const id = uuid()
      const sealed = sealer.seal(Buffer.from(JSON.stringify(content)), mailPlace(id))
      await em.execute(INSERT, [id, recipientIndex, kind, sealed, requestId])
      await outbox.start(em, 'deliverMail', { tenantId, mailId: id })
      return true
    },
  }
}

export type MailQueue = ReturnType<typeof createMailQueue>
