import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { type Role, scopesOfSession } from '../../../protocol/administration/accounts/roles.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Scope } from '../../../protocol/tokens-logs/index.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call } from '../../frame/operations.ts'
import { accountOf } from './calls.ts'

const IDLE_DAYS = 7

/** A session that is in force. */
export const IS_OPEN = `ended_at is null and expires_at > now() and rotated_at > now() - interval '${IDLE_DAYS} days'`

/** The role of an account in a tenant; both as a statement names them. */
export const roleIn = (tenant: string, account: string): string =>
  `select m.role from tenants t join organization_members m on m.organization_id = t.organization_id
  where t.id = ${tenant} and m.account_id = ${account} and t.deleted_at is null`

const OPEN_SESSION = `select a.is_operator as "isOperator", (${roleIn('$2', 's.account_id')}) as role
  from account_sessions s join accounts a on a.id = s.account_id where s.id = $1 and ${IS_OPEN}`

/** Looks up the scopes that a session has in a tenant now: undefined once it has ended, without the tenant's once its person is no member. */
export const createSessionScopes =
  ({ systemSql }: Pick<Dependencies, 'systemSql'>) =>
  async ({ sessionId, tenantId }: { sessionId: string; tenantId: string }): Promise<readonly Scope[] | undefined> => {
    const { rows } = await systemSql.query<{ isOperator: boolean; role: Role | null }>({
      name: 'session-stands',
      text: OPEN_SESSION,
      values: [sessionId, tenantId],
    })
    const [open] = rows
    return open && scopesOfSession({ isOperator: open.isOperator, role: open.role ?? undefined })
  }

/** What was found when a password was looked at, which takes longer than a row may be locked. */
export interface Verified {
  passwordHash: string | null
}

/**
 * Locks an account in the transaction that changes it, and returns whether its password is still the one that was looked
 * at: of a reset and whoever has the old password only one comes first. Undefined: the account was erased.
 */
export async function lockAccount(
  em: SqlEntityManager,
  id: string,
  verified?: Verified,
): Promise<{ isUnchanged: boolean; isOperator: boolean } | undefined> {
  const statement = `select password_hash as "passwordHash", is_operator as "isOperator" from accounts where id = ?
    for no key update`
  const [row] = await em.execute<{ passwordHash: string | null; isOperator: boolean }[]>(statement, [id])
  if (!row) return undefined
  const isUnchanged = verified === undefined || row.passwordHash === verified.passwordHash
  return { isUnchanged, isOperator: row.isOperator }
}

/**
 * The account of a call, locked, before it is changed: its access token works for some seconds more than its session, and
 * must change nothing after the session's end. Throws `session.invalid`, `account.not_found`, `account.password_wrong`.
 */
export async function lockOwnAccount(em: SqlEntityManager, call: Call, verified?: Verified): Promise<string> {
  const id = accountOf(call)
  const found = await lockAccount(em, id, verified)
  if (!found) throw new Refusal('account.not_found', 'The account was deleted.')
  const statement = `select 1 from account_sessions where id = ? and account_id = ? and ${IS_OPEN}`
  if ((await em.execute(statement, [call.sessionId ?? null, id])).length === 0)
    throw new Refusal('session.invalid', 'The session has ended: log in again.')
  if (!found.isUnchanged)
    throw new Refusal('account.password_wrong', 'The password was changed a moment ago.', [
      { path: 'password', code: 'password', message: 'expected the password of the account' },
    ])
  return id
}
