import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { takeTurn } from '../../../entities/orm.ts'
import type { MailKind } from '../../../protocol/administration/accounts/mails.ts'
import { Unavailable } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import { createSealer, type Sealer } from '../../frame/sealing.ts'
import type { MailContent } from './texts.ts'

/** Of one kind to one recipient: strangers cause them, and must use up no other kind. What only the owner causes is always sent. */
const PER_HOUR = 5
/** Mails of one kind to one recipient have one cause within this time, e.g. a form that was sent twice. */
const ONE_CAUSE_SECONDS = 60

/** How long until the fifth newest mail is an hour old, and until the last of the kind is a minute old. */
const PAUSE = `select ceil(extract(epoch from greatest(
  (select created_at + interval '1 hour' from account_mails where recipient_index = ? and kind = ? order by created_at desc offset ${PER_HOUR - 1} limit 1),
  (select max(created_at) + interval '${ONE_CAUSE_SECONDS} seconds' from account_mails where recipient_index = ? and kind = ?)
) - now()))::int as seconds`

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

    /** Where the recipient got enough mails, nothing is done, and the seconds until it gets one again are returned. */
    async enqueue(
      em: SqlEntityManager,
      { kind, recipientIndex, content, tenantId, requestId }: NewMail,
    ): Promise<number | undefined> {
      const isOwners = kind === 'PASSWORD_CHANGED'
      await takeTurn(em, `mails ${recipientIndex.toString('hex')}`)
      const [pause] = await em.execute<{ seconds: number | null }[]>(PAUSE, [
        recipientIndex,
        kind,
        recipientIndex,
        kind,
      ])
      if (!isOwners && pause?.seconds && pause.seconds > 0) return pause.seconds
      const id = uuid()
      const sealed = sealer.seal(Buffer.from(JSON.stringify(content)), mailPlace(id))
      await em.execute(INSERT, [id, recipientIndex, kind, sealed, requestId])
      await outbox.start(em, 'deliverMail', { tenantId, mailId: id })
      return undefined
    },
  }
}

export type MailQueue = ReturnType<typeof createMailQueue>
