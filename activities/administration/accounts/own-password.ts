import { Refusal } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Attempts } from './attempts.ts'
import type { Passwords } from './passwords.ts'

interface Found {
  id: string
  content: Buffer
  emailIndex: Buffer
  passwordHash: string | null
}

const FIND = `select id, content, email_index as "emailIndex", password_hash as "passwordHash" from accounts where id = $1`

interface Parts extends Pick<Dependencies, 'systemSql'> {
  attempts: Attempts
  passwords: Passwords
}

/** Asks once more who somebody is, before what a stolen access token must not be enough for. */
export function createOwnPassword({ systemSql, attempts, passwords }: Parts) {
  return {
    /** Attempts are counted for the account. Throws `account.password_wrong`, `account.not_found`, `login.too_many`. */
    async assertOwn(accountId: string, password: string): Promise<Found> {
      const { rows } = await systemSql.query<Found>({ text: FIND, values: [accountId] })
      const [account] = rows
      if (!account) throw new Refusal('account.not_found', 'The account was deleted.')
      const key = attempts.keyOf(account.emailIndex, 'session')
      await attempts.reserve(key)
      const isRight = await passwords.isPassword(password, account.passwordHash).catch(async (error: unknown) => {
        await attempts.giveBack(key)
        throw error
      })
      if (!isRight)
        throw new Refusal('account.password_wrong', 'The password is not that of the account.', [
          { path: 'password', code: 'password', message: 'expected the password of the account' },
        ])
      await attempts.forget(key)
      return account
    },
  }
}

export type OwnPassword = ReturnType<typeof createOwnPassword>
