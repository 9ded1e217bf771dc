import { readEmail } from '../../../protocol/administration/accounts/emails.ts'
import { Refusal, Unavailable } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { AddressLimits, Attempts } from './attempts.ts'
import { loginRefused, type StrangerCall } from './calls.ts'
import type { Codes } from './codes.ts'
import type { DeviceMark, Devices } from './devices.ts'
import type { Passwords } from './passwords.ts'
import type { People } from './people.ts'
import type { LoginChecks, Opened, Sessions } from './sessions.ts'
import { lockAccount } from './standing.ts'

export interface Credentials {
  email: string
  password: string
  /** The code of an authenticator, or a recovery code, of an account that has one. */
  totp?: string | null | undefined
  /** The tenant that the session is for; absent or null: for none. */
  tenantId?: string | null | undefined
}

/** What a browser brings. */
export interface Browser {
  deviceMark: string | undefined
  refreshToken: string | undefined
}

export interface LoggedIn extends Opened {
  /** For a browser that had none. */
  mark: DeviceMark | undefined
}

interface Found {
  id: string
  passwordHash: string | null
}

const FIND = `select id, password_hash as "passwordHash" from accounts where email_index = $1`

interface Parts extends Pick<Dependencies, 'systemSql'> {
  people: People
  passwords: Passwords
  devices: Devices
  attempts: Attempts
  addressLimits: AddressLimits
  sessions: Sessions
  codes: Codes
}

/** Login with address and password. */
export function createLogin(parts: Parts) {
  const { systemSql, people, passwords, devices, attempts, addressLimits, sessions, codes } = parts
  return {
    /**
     * `whenKnown` is called with the account of the address, for the log. Throws `login.refused`, `login.code_required`, `login.code_wrong`,
     * `login.too_many`, `login.too_busy`, `session.tenant_refused`, `Unavailable('keys')`.
     */
    async login(
      { address }: StrangerCall,
      { email, password, totp, tenantId = null }: Credentials,
      { deviceMark, refreshToken }: Browser,
      whenKnown: (accountId: string) => void,
    ): Promise<LoggedIn> {
      await addressLimits.attempt(address)
      const emailIndex = people.indexOf(readEmail(email) ?? email.toLowerCase())
      const device = devices.deviceOf(emailIndex, deviceMark)
      const key = attempts.keyOf(emailIndex, device)
      await attempts.reserve(key)
      const { rows } = await systemSql.query<Found>({ name: 'account-by-email', text: FIND, values: [emailIndex] })
      const [account] = rows
      if (account) whenKnown(account.id)
      const giveBack = async () => {
        await attempts.giveBack(key)
        await addressLimits.succeeded(address)
      }
      const isRight = await passwords.isPassword(password, account?.passwordHash).catch(async (error: unknown) => {
        await giveBack()
        throw error
      })
      if (!account || !isRight) throw loginRefused()
      const { id: accountId } = account
      const checks: LoginChecks = {
        async lock(em) {
          const locked = await lockAccount(em, accountId, account)
          if (!locked?.isUnchanged) throw loginRefused()
          return locked
        },
        allow: (em) => codes.assertCode(em, accountId, totp),
      }
      const beginning = { accountId, tenantId, former: refreshToken }
      const opened = await sessions.open(beginning, checks).catch(async (error: unknown) => {
        if (error instanceof Unavailable && error.part === 'keys') await giveBack()
        // the password was right, and its code is asked for now
        else if (error instanceof Refusal && error.code === 'login.code_required')
          await addressLimits.succeeded(address)
        throw error
      })
      await attempts.forget(key)
      await addressLimits.succeeded(address)
      return { ...opened, mark: device ? undefined : devices.mark(emailIndex) }
    },
  }
}

export type Login = ReturnType<typeof createLogin>
