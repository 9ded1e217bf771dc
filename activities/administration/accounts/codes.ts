import { randomBytes } from 'node:crypto'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { generateSecret, generateURI, verifySync } from 'otplib'
import { asSystem } from '../../../entities/orm.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Operations } from '../../frame/operations.ts'
import type { Sealer } from '../../frame/sealing.ts'
import { digestOf } from '../../frame/secrets.ts'
import type { Attempts } from './attempts.ts'
import { accountOf } from './calls.ts'
import type { OwnPassword } from './own-password.ts'
import { accountPlace, type People } from './people.ts'
import { lockOwnAccount } from './standing.ts'

const RECOVERY_CODES = 10
/** Of a code that was typed while the next one came, and of a clock that is not exact (RFC 6238, section 5.2). */
const TOLERANCE_SECONDS = 30
const ISSUER = 'Countersign'
const CODE = /^\d{6}$/

interface Authenticator {
  secret: Buffer
  lastStep: number | null
  isConfirmed: boolean
}

const FIND = `select secret, last_step::float8 as "lastStep", confirmed_at is not null as "isConfirmed"
from account_authenticators where account_id = ? for update`

const placeOf = (accountId: string) => `authenticator/${accountId}`

const wrongCode = () =>
  new Refusal('account.code_wrong', 'The code is not right, or was used before.', [
    { path: 'totp', code: 'totp', message: 'expected the 6 digits that the authenticator shows now' },
  ])

const notEnrolled = () => new Refusal('account.totp_not_enrolled', 'The account has no authenticator.')

/** As people type it: without case, spaces and hyphens. */
const recoveryDigest = (accountId: string, code: string): Buffer =>
  digestOf(`${accountId} ${code.toUpperCase().replace(/[^A-Z2-7]/g, '')}`)

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** 80 random bits in four groups: nobody finds them from a digest. */
const newRecoveryCode = (): string =>
  Array.from(randomBytes(16), (byte) => LETTERS[byte % 32])
    .join('')
    .replace(/(.{4})(?=.)/g, '$1-')

interface Parts extends Pick<Dependencies, 'database' | 'now'> {
  operations: Operations
  people: People
  attempts: Attempts
  ownPassword: OwnPassword
  codeSealer: Sealer
}

/** One-time codes of authenticators (RFC 6238), and the codes in their place. Each is good once. */
export function createCodes({ database, now, operations, people, attempts, ownPassword, codeSealer }: Parts) {
  /** Uses up a code, in the caller's transaction; false: it is not good. */
  async function useCode(
    em: SqlEntityManager,
    accountId: string,
    { secret, lastStep }: Authenticator,
    code: string,
  ): Promise<boolean> {
    if (!CODE.test(code)) return false
    const result = verifySync({
      secret: codeSealer.open(secret, placeOf(accountId)).toString(),
      token: code,
      epoch: Math.floor(now().getTime() / 1000),
      epochTolerance: TOLERANCE_SECONDS,
      ...(lastStep !== null && { afterTimeStep: lastStep }),
    })
    if (!result.valid || !('timeStep' in result)) return false
    await em.execute('update account_authenticators set last_step = ? where account_id = ?', [
      result.timeStep,
      accountId,
    ])
    return true
  }

  async function useRecoveryCode(em: SqlEntityManager, accountId: string, code: string): Promise<boolean> {
    const statement = 'delete from account_recovery_codes where account_id = ? and digest = ? returning account_id'
    return (await em.execute(statement, [accountId, recoveryDigest(accountId, code)])).length > 0
  }

  return {
    /**
     * In the transaction that begins a session: the code of an account that has an authenticator, or a recovery code in
     * its place. Throws `login.code_required` without one, `login.code_wrong` for one that is not good: the password was
     * right, which the caller knows.
     */
    async assertCode(em: SqlEntityManager, accountId: string, totp: string | null | undefined): Promise<void> {
      const [authenticator] = await em.execute<Authenticator[]>(FIND, [accountId])
      if (!authenticator?.isConfirmed) return
      if (!totp) throw new Refusal('login.code_required', 'The account has an authenticator: send its code as totp.')
      if (await useCode(em, accountId, authenticator, totp)) return
      if (await useRecoveryCode(em, accountId, totp)) return
      throw new Refusal('login.code_wrong', 'The code of the authenticator is not right, or was used before.')
    },

    /** Makes a secret, which counts once it is confirmed. Throws `account.password_wrong`, `account.totp_enrolled`. */
    async enrol(call: Call, password: string): Promise<{ secret: string; uri: string }> {
      const id = accountOf(call)
      const account = await ownPassword.assertOwn(id, password)
      const { email } = people.open(account.content, accountPlace(id))
      const secret = generateSecret()
      await operations.changePlatform(call, 'enrolAuthenticator', { id }, async (em) => {
        await lockOwnAccount(em, call, account)
        const statement = `insert into account_authenticators as a (account_id, secret) values (?, ?)
          on conflict (account_id) do update set secret = excluded.secret, last_step = null where a.confirmed_at is null
          returning account_id`
        const sealed = codeSealer.seal(Buffer.from(secret), placeOf(id))
        if ((await em.execute(statement, [id, sealed])).length === 0)
          throw new Refusal('account.totp_enrolled', 'The account has an authenticator already: remove it first.')
      })
      return { secret, uri: generateURI({ issuer: ISSUER, label: email, secret }) }
    },

    /** From here on a login needs a code. Returns recovery codes, this once. Throws `account.code_wrong`. */
    async confirm(call: Call, totp: string): Promise<string[]> {
      const id = accountOf(call)
      const key = attempts.keyOf(Buffer.from(id), 'authenticator')
      await attempts.reserve(key)
      const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode)
      await operations.changePlatform(call, 'confirmAuthenticator', { id }, async (em) => {
        await lockOwnAccount(em, call)
        const [authenticator] = await em.execute<Authenticator[]>(FIND, [id])
        if (!authenticator) throw notEnrolled()
        if (authenticator.isConfirmed)
          throw new Refusal('account.totp_enrolled', 'The account has an authenticator already: remove it first.')
        if (!(await useCode(em, id, authenticator, totp))) throw wrongCode()
        await em.execute('update account_authenticators set confirmed_at = now() where account_id = ?', [id])
        for (const code of codes)
          await em.execute('insert into account_recovery_codes (account_id, digest) values (?, ?)', [
            id,
            recoveryDigest(id, code),
          ])
      })
      await attempts.forget(key)
      return codes
    },

    /** Throws `account.password_wrong`, `account.totp_not_enrolled`. */
    async remove(call: Call, password: string): Promise<void> {
      const id = accountOf(call)
      const account = await ownPassword.assertOwn(id, password)
      await operations.changePlatform(call, 'removeAuthenticator', { id }, async (em) => {
        await lockOwnAccount(em, call, account)
        const removed = await em.execute(
          'delete from account_authenticators where account_id = ? returning account_id',
          [id],
        )
        if (removed.length === 0) throw notEnrolled()
      })
    },

    /** Whether a login of the account needs a code. */
    isEnrolled: (accountId: string): Promise<boolean> =>
      asSystem(database.system, async (em) => {
        const statement = 'select 1 from account_authenticators where account_id = ? and confirmed_at is not null'
        return (await em.execute(statement, [accountId])).length > 0
      }),
  }
}

export type Codes = ReturnType<typeof createCodes>
