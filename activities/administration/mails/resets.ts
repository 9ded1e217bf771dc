import { createHmac } from 'node:crypto'
import type { Dependencies } from '../../dependencies.ts'
import { digestOf, keyFor } from '../../frame/secrets.ts'

export const RESET_SECONDS = 3600

/**
 * The row of the token is there before the mail can be; another attempt has the same token. None for an account whose
 * password was set since: its token may have been used.
 */
const GRANT = `insert into account_tokens (digest, account_id, expires_at)
select $1, a.id, now() + make_interval(secs => ${RESET_SECONDS}) from accounts a join account_mails m on m.id = $3
where a.email_index = $2 and a.password_set_at <= m.created_at
on conflict (digest) do nothing`

/** Links by which the owner of an account sets a new password. */
export function createResets({ config, systemSql }: Pick<Dependencies, 'config' | 'systemSql'>) {
  const key = keyFor(config.masterKey, 'account-reset-tokens')
  return {
    /** The token for a mail; undefined where the recipient has no account, or has used the token. */
    async grant(mailId: string, recipientIndex: Buffer): Promise<string | undefined> {
      const token = createHmac('sha256', key).update(mailId).digest('base64url')
      const digest = digestOf(token)
      await systemSql.query({ text: GRANT, values: [digest, recipientIndex, mailId] })
      const { rows } = await systemSql.query({
        text: 'select 1 from account_tokens where digest = $1',
        values: [digest],
      })
      return rows.length > 0 ? token : undefined
    },
  }
}

export type Resets = ReturnType<typeof createResets>
