import { OpenIdWalletLogin } from '../../../entities/openid/wallets.ts'
import { inTenant } from '../../../entities/orm.ts'
import type { Dependencies } from '../../dependencies.ts'
import { lockSession } from '../sessions/records.ts'
import { addLoginStep, lockLogin } from './records.ts'

/** Logins that have come to an end without a code. */
export const createFailedLogins = ({ database, now }: Pick<Dependencies, 'database' | 'now'>) => ({
  /**
   * Forgets a login, and notes why it failed; its offer may be tried again. Returns the id of its session, if it has one. A
   * login that came to a code stays.
   */
  fail: (tenantId: string, id: string, code: string): Promise<string | undefined> =>
    inTenant(database.tenants, tenantId, async (em) => {
      const row = await lockLogin(em, id)
      if (!row || row.state === 'CODE' || row.state === 'USED') return undefined
      const session = row.sessionId ? await lockSession(em, row.sessionId) : null
      if (session && !session.endedAt) addLoginStep(session, now(), { step: 'LOGIN_FAILED', code })
      await em.nativeDelete(OpenIdWalletLogin, { id })
      return session?.id
    }),
})

export type FailedLogins = ReturnType<typeof createFailedLogins>
