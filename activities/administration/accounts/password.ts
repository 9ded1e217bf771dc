import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { asSystem } from '../../../entities/orm.ts'
import { EMAIL_EXPECTED, readEmail } from '../../../protocol/administration/accounts/emails.ts'
import { type FieldError, Refusal } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Operations } from '../../frame/operations.ts'
import { digestOf } from '../../frame/secrets.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import type { MailQueue } from '../mails/queue.ts'
import type { AddressLimits } from './attempts.ts'
import { accountOf, asCall, type StrangerCall } from './calls.ts'
import type { DeviceMark, Devices } from './devices.ts'
import { endSessions } from './ending.ts'
import type { OwnPassword } from './own-password.ts'
import type { Passwords } from './passwords.ts'
import { accountPlace, type People } from './people.ts'
import { knownOf, passwordErrors } from './registration.ts'
import { lockAccount, lockOwnAccount } from './standing.ts'

interface Account {
  id: string
  content: Buffer
  emailIndex: Buffer
}

const COLUMNS = `a.id, a.content, a.email_index as "emailIndex"`

const BY_TOKEN = `select ${COLUMNS} from account_tokens t join accounts a on a.id = t.account_id
where t.digest = ? and t.expires_at > now()`

/** Of any number of requests with one token, one finds it. */
const TAKE = `with taken as (delete from account_tokens where digest = ? and expires_at > now() returning account_id)
select ${COLUMNS} from taken join accounts a on a.id = taken.account_id`

const badToken = () =>
  new Refusal('account.token_invalid', 'The token is not good: it was used, has expired, or was altered.')

interface Parts extends Pick<Dependencies, 'database'> {
  operations: Operations
  tenants: Tenants
  people: People
  passwords: Passwords
  devices: Devices
  mails: MailQueue
  addressLimits: AddressLimits
  ownPassword: OwnPassword
}

/** New passwords: by a mail where the old one is lost, and by the old one. */
export function createPasswordChanges(parts: Parts) {
  const { database, operations, tenants, people, passwords, devices, mails, addressLimits, ownPassword } = parts

  /** Throws `account.invalid`. */
  function assertFit(password: string, path: string, account: Pick<Account, 'id' | 'content'>): void {
    const errors: FieldError[] = passwordErrors(
      password,
      path,
      knownOf(people.open(account.content, accountPlace(account.id))),
    )
    if (errors.length > 0)
      throw new Refusal('account.invalid', 'The password must not be the account’s; see errors.', errors)
  }

  /** All tokens, and an authenticator that was not confirmed, go with the old password; the owner learns of it. `kept`: a session that goes on. */
  async function setPassword(
    em: SqlEntityManager,
    { id, content, emailIndex }: Account,
    {
      passwordHash,
      kept,
      ...call
    }: { passwordHash: string; kept?: string | undefined; tenantId: string; requestId: string },
  ): Promise<void> {
    const statement = 'update accounts set password_hash = ?, password_set_at = now(), updated_at = now() where id = ?'
    await em.execute(statement, [passwordHash, id])
    await em.execute('delete from account_tokens where account_id = ?', [id])
    // begun by whoever had the old password
    await em.execute('delete from account_authenticators where account_id = ? and confirmed_at is null', [id])
    await endSessions(em, id, kept)
    const { email } = people.open(content, accountPlace(id))
    await mails.enqueue(em, { kind: 'PASSWORD_CHANGED', recipientIndex: emailIndex, content: { to: email }, ...call })
  }

  return {
    /**
     * Whether the address has an account, and what its link is, is found when the mail is sent: the request takes as long
     * for every address. Throws `account.invalid`, `login.too_many`, `Unavailable('mail')`.
     */
    async requestReset(call: StrangerCall, given: string): Promise<void> {
      const email = readEmail(given)
      if (email === undefined)
        throw new Refusal('account.invalid', 'The e-mail address is not valid.', [
          { path: 'email', code: 'email', message: EMAIL_EXPECTED },
        ])
      mails.assertCanSend()
      await addressLimits.request(call.address)
      const { id: tenantId } = await tenants.first()
      await operations.changePlatform(asCall(call, tenantId), 'requestPasswordReset', {}, async (em) => {
        const mail = { kind: 'RESET_PASSWORD', recipientIndex: people.indexOf(email), content: { to: email } } as const
        await mails.enqueue(em, { ...mail, tenantId, requestId: call.requestId })
      })
    },

    /**
     * Sets the password, ends all sessions, and marks the browser as the owner's. Throws `account.token_invalid`,
     * `account.invalid`, `login.too_many`.
     */
    async confirmReset(
      call: StrangerCall,
      { token, password }: { token: string; password: string },
    ): Promise<DeviceMark> {
      await addressLimits.attempt(call.address)
      const { id: tenantId } = await tenants.first()
      const [before] = await asSystem(database.system, (em) => em.execute<Account[]>(BY_TOKEN, [digestOf(token)]))
      if (!before) throw badToken()
      assertFit(password, 'password', before)
      const passwordHash = await passwords.hashPassword(password)
      const { id } = before
      await operations.changePlatform(asCall(call, tenantId), 'resetPassword', { id }, async (em) => {
        await lockAccount(em, id)
        const [account] = await em.execute<Account[]>(TAKE, [digestOf(token)])
        if (!account) throw badToken()
        await setPassword(em, account, { passwordHash, tenantId, requestId: call.requestId })
      })
      await addressLimits.succeeded(call.address)
      return devices.mark(before.emailIndex)
    },

    /** Ends all other sessions. Throws `account.password_wrong`, `account.invalid`, `login.too_many`. */
    async changePassword(
      call: Call,
      { password, newPassword }: { password: string; newPassword: string },
    ): Promise<void> {
      const id = accountOf(call)
      const account = await ownPassword.assertOwn(id, password)
      assertFit(newPassword, 'new_password', account)
      const passwordHash = await passwords.hashPassword(newPassword)
      const { id: tenantId } = await tenants.first()
      await operations.changePlatform(call, 'changePassword', { id }, async (em) => {
        await lockOwnAccount(em, call, account)
        await setPassword(em, account, { passwordHash, kept: call.sessionId, tenantId, requestId: call.requestId })
      })
    },
  }
}

export type PasswordChanges = ReturnType<typeof createPasswordChanges>
