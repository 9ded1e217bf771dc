import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { OpenIdSession } from '../../../entities/openid/sessions.ts'
import { OpenIdUser } from '../../../entities/openid/users.ts'
import { OpenIdWalletLogin } from '../../../entities/openid/wallets.ts'
import type { FormatName } from '../../../protocol/credentials/formats.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { forgetHolder } from '../../credentials/holders.ts'
import type { Revocations } from '../../credentials/revocations.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Operations } from '../../frame/operations.ts'
import { endReissuances } from '../reissuances/records.ts'
import type { Reach } from '../sessions/reach.ts'
import { endSession, issuancesOf } from '../sessions/records.ts'

/** What becomes of the status of credentials that a user was issued. */
export type CredentialsOfUser = 'keep' | 'suspend' | 'revoke'

const PURPOSES = { suspend: 'suspension', revoke: 'revocation' } as const

interface Parts extends Pick<Dependencies, 'now'> {
  operations: Operations
  revocations: Pick<Revocations, 'beginHolder'>
  wake: Reach['wake']
}

export const userNotFound = (message = 'There is no such user.') => new Refusal('user.not_found', message)

/**
 * Locks a user against their erasure until the end of the transaction, in which it comes first: an erasure has the user
 * before their logins and sessions. False where the user is gone.
 */
export async function holdUser(em: SqlEntityManager, userId: string): Promise<boolean> {
  const statement = 'select 1 from openid_users where id = ? for key share'
  return (await em.execute<unknown[]>(statement, [userId])).length > 0
}

/** What was under way with the claims of a user, and has ended. */
export interface EndedOfUser {
  logins: number
  sessionIds: string[]
}

/** Ends what is under way with the claims of a user. */
async function endOf(em: SqlEntityManager, userId: string, at: Date): Promise<EndedOfUser> {
  const ofUser = 'select id from openid_sessions where user_id = ?'
  const named = await em.execute<{ id: string }[]>(ofUser, [userId])
  // a login that has given its code names the session alone
  const where = { $or: [{ userId }, { sessionId: { $in: named.map(({ id }) => id) } }] }
  const logins = await em.nativeDelete(OpenIdWalletLogin, where)
  const reissued = await endReissuances(em, { userId }, at)
  const locked = { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } } as const
  const sessions = await em.find(OpenIdSession, { userId, endedAt: null }, locked)
  for (const session of sessions)
    endSession(session, await issuancesOf(em, session.id), at, {
      state: 'CANCELLED',
      code: 'openid_session.user_deleted',
      message: 'The user whose credentials it gave was deleted.',
    })
  await em.flush()
  // its end is known; whose it was is not
  await em.nativeUpdate(OpenIdSession, { userId }, { userId: null })
  return { logins, sessionIds: [...reissued, ...sessions.map(({ id }) => id)] }
}

/**
 * Deletes a user with their claims, and ends what is under way with these, in the caller's transaction; undefined where
 * there is no such user. What they were issued is left to the caller, who wakes the sessions after the commit.
 */
export async function eraseUser(em: SqlEntityManager, id: string, at: Date): Promise<EndedOfUser | undefined> {
  if ((await em.nativeDelete(OpenIdUser, { id })) === 0) return undefined
  return endOf(em, id, at)
}

/** Erases users. */
export const createUserErasure = ({ now, operations, revocations, wake }: Parts) => ({
  /**
   * Deletes a user with their claims, and ends the sessions that have them. `revoke` and `suspend` begin the change of the
   * status of all credentials that the user was issued after a login, whose id is returned; it goes on by itself. The next
   * authentication of the same subject creates another user. Throws `user.not_found`, `token.insufficient_scope`.
   */
  async deleteUser(
    call: Call,
    id: string,
    { credentials, writable }: { credentials: CredentialsOfUser; writable: readonly FormatName[] },
  ): Promise<{ revocationId: string | null }> {
    const { tenantId } = call
    const metadata: Record<string, string> = { id, credentials }
    const { sessionIds, revocationId } = await operations.change(call, 'deleteUser', metadata, async (em) => {
      const ended = await eraseUser(em, id, now())
      if (!ended) throw userNotFound()
      const begun =
        credentials === 'keep'
          ? undefined
          : await revocations.beginHolder(em, call, id, { purpose: PURPOSES[credentials], writable })
      if (begun === undefined) await forgetHolder(em, { tenantId, holderId: id })
      else metadata.revocationId = begun
      return { sessionIds: ended.sessionIds, revocationId: begun ?? null }
    })
    for (const sessionId of sessionIds) await wake(tenantId, sessionId)
    return { revocationId }
  },
})

export type UserErasure = ReturnType<typeof createUserErasure>
