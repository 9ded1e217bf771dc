import type { MailKind, MailStep, MailSubject } from '../../../protocol/administration/accounts/mails.ts'
import type { Dependencies } from '../../dependencies.ts'
import { mailPlace, mailSealer } from './queue.ts'
import { createResets } from './resets.ts'
import { type MailContent, textOf } from './texts.ts'
import { createMailTransport, type MailTransport } from './transport.ts'

interface Row {
  kind: MailKind
  recipientIndex: Buffer
  content: Buffer | null
  attempts: number
  remaining: number | null
}

const FIND = `select kind, recipient_index as "recipientIndex", content, attempts, (extract(epoch from next_attempt_at - now()) * 1000)::float8 as remaining
from account_mails where id = $1 and state = 'PENDING'`

const AGAIN = `update account_mails set attempts = $2, next_attempt_at = now() + make_interval(secs => $3)
where id = $1 and state = 'PENDING' and attempts < $2`

/** The content goes with the end: nobody reads the mail, or its link, here any more. */
const END = `update account_mails set state = $3, attempts = $2, content = null, next_attempt_at = null, ended_at = now()
where id = $1 and state = 'PENDING'`

/** What the other side says, as a code; of its text nothing is kept, which may repeat the address. */
function faultOf(error: unknown): { code: string; isFinal: boolean } {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'responseCode') : undefined
  if (typeof code === 'number') return { code: `smtp.${code}`, isFinal: code >= 500 && code !== 535 }
  const name: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
  return { code: `smtp.${typeof name === 'string' && /^E[A-Z]{2,20}$/.test(name) ? name : 'unknown'}`, isFinal: false }
}

/** Activities of the workflow that sends a mail. `transport`: in place of the configured one. */
export function createMailDelivery({
  config,
  systemSql,
  log,
  transport = config.mail && createMailTransport(config.mail),
}: Pick<Dependencies, 'config' | 'systemSql' | 'log'> & { transport?: MailTransport | undefined }) {
  const sealer = mailSealer(config.masterKey)
  const resets = createResets({ config, systemSql })
  const place = { origin: config.publicUrl.origin }

  const end = (id: string, nth: number, state: 'SENT' | 'FAILED') =>
    systemSql.query({ text: END, values: [id, nth, state] })

  /** What the text needs besides; undefined: there is nothing to send. */
  async function complete(
    id: string,
    { kind, recipientIndex }: Row,
    content: MailContent,
  ): Promise<MailContent | undefined> {
    if (kind !== 'RESET_PASSWORD') return content
    const token = await resets.grant(id, recipientIndex)
    return token === undefined ? undefined : { ...content, token }
  }

  return {
    /**
     * Makes attempt `nth` (from 1). What the mail server refuses is a result, which the workflow counts. Safe to retry: an
     * attempt that was recorded is not made again, and a repeated mail has the same Message-ID.
     */
    async attemptMail({ mailId: id, nth }: MailSubject & { nth: number }): Promise<MailStep> {
      const { rows } = await systemSql.query<Row>({ text: FIND, values: [id] })
      const [row] = rows
      if (!row?.content) return { state: 'OVER' }
      if (row.attempts >= nth) return { state: 'PENDING', nextInMs: Math.max(0, Math.round(row.remaining ?? 0)) }
      const content = await complete(
        id,
        row,
        JSON.parse(sealer.open(row.content, mailPlace(id)).toString()) as MailContent,
      )
      if (!content) {
        await end(id, nth, 'SENT')
        return { state: 'OVER' }
      }
      try {
        if (!transport) throw new Error('no mail server is configured')
        await transport.send({ id, to: content.to, ...textOf(row.kind, content, place) })
      } catch (error) {
        const { code, isFinal } = faultOf(error)
        log.warn({ mailId: id, nth, code }, 'a mail was not sent')
        const wait = isFinal ? undefined : config.accounts.mailRetrySeconds[nth - 1]
        if (wait === undefined) {
          await end(id, nth, 'FAILED')
          return { state: 'FAILED', code }
        }
        await systemSql.query({ text: AGAIN, values: [id, nth, wait] })
        return { state: 'PENDING', code, nextInMs: Math.round(wait * 1000) }
      }
      await end(id, nth, 'SENT')
      return { state: 'SENT' }
    },
  }
}

export type MailDelivery = ReturnType<typeof createMailDelivery>
