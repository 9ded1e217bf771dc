import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { asSystem } from '../../../entities/orm.ts'
import { type Role, scopesOfSession } from '../../../protocol/administration/accounts/roles.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Scope } from '../../../protocol/tokens-logs/index.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Operations } from '../../frame/operations.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import type { Tokens } from '../../tokens-logs/tokens.ts'
import { accountOf } from './calls.ts'
import type { RefreshTokens } from './refresh-tokens.ts'
import { IS_OPEN, lockOwnAccount, roleIn } from './standing.ts'

const LONGEST_DAYS = 30
/** Of one account; the oldest ends when there is one more. */
const MOST_SESSIONS = 20
/** Requests of one browser at once have one refresh token: what comes this late is no attack (D-627). */
const AT_ONCE_SECONDS = 10

/** What a login or a refresh gives. */
export interface Opened {
  accountId: string
  accessToken: string
  expiresIn: number
  scopes: readonly Scope[]
  /** The tenant that the session is for; null: for none. */
  tenantId: string | null
  refreshToken: string
  refreshSeconds: number
}

export interface SessionRecord {
  id: string
  createdAt: Date
  lastUsedAt: Date
  expiresAt: Date
  tenantId: string | null
  isCurrent: boolean
}

const ROLE = roleIn('?', '?')

const LOCKED = `select s.account_id as "accountId", s.generation, s.for_tenant as "tenantId", a.is_operator as "isOperator",
  (${IS_OPEN}) as "isOpen", s.rotated_at > now() - interval '${AT_ONCE_SECONDS} seconds' as "isFresh",
  extract(epoch from s.expires_at - now())::float8 as seconds
from account_sessions s join accounts a on a.id = s.account_id where s.id = ? for update of s`

interface LockedSession {
  accountId: string
  generation: number
  tenantId: string | null
  isOperator: boolean
  isOpen: boolean
  isFresh: boolean
  seconds: number
}

const END_OLDEST = `update account_sessions set ended_at = now() where id in (select id from account_sessions
  where account_id = ? and ${IS_OPEN} order by rotated_at desc offset ${MOST_SESSIONS - 1})`

const LIST = `select id, created_at as "createdAt", rotated_at as "lastUsedAt", expires_at as "expiresAt", for_tenant as "tenantId"
from account_sessions where account_id = ? and ${IS_OPEN} order by created_at desc, id limit ? offset ?`

/** Times as PostgreSQL writes them. */
interface SessionRow {
  id: string
  createdAt: string
  lastUsedAt: string
  expiresAt: string
  tenantId: string | null
}

const toRecord = (row: SessionRow, { sessionId }: Call): SessionRecord => ({
  id: row.id,
  createdAt: new Date(row.createdAt),
  lastUsedAt: new Date(row.lastUsedAt),
  expiresAt: new Date(row.expiresAt),
  tenantId: row.tenantId,
  isCurrent: row.id === sessionId,
})

/** What the access token of a session says, and how long the session lasts. */
interface Standing {
  accountId: string
  isOperator: boolean
  tenantId: string | null
  role: Role | undefined
  sessionId: string
  generation: number
  seconds: number
}

const isSame = (one: Pick<Standing, 'isOperator' | 'tenantId' | 'role'>, other: typeof one): boolean =>
  one.isOperator === other.isOperator && one.tenantId === other.tenantId && one.role === other.role

/** What a login must pass in the transaction that begins its session. */
export interface LoginChecks {
  /** Locks the account; returns whether it is an operator's. */
  lock(em: SqlEntityManager): Promise<{ isOperator: boolean }>
  allow(em: SqlEntityManager): Promise<void>
}

const refused = () => new Refusal('session.invalid', 'The session has ended: log in again.')

const refusedTenant = () =>
  new Refusal('session.tenant_refused', 'The account is no member of an organization with this tenant.', [
    { path: 'tenantId', code: 'tenant', message: 'expected the id of a tenant of an organization of the account' },
  ])

interface Parts extends Pick<Dependencies, 'database' | 'uuid'> {
  operations: Operations
  tenants: Tenants
  tokens: Pick<Tokens, 'issueSessionToken'>
  refreshTokens: RefreshTokens
}

/** Sessions of people: a short access token, and a refresh token that is good once. */
export function createSessions({ database, uuid, operations, tenants, tokens, refreshTokens }: Parts) {
  const roleOf = async (em: SqlEntityManager, accountId: string, tenantId: string): Promise<Role | undefined> =>
    (await em.execute<{ role: Role }[]>(ROLE, [tenantId, accountId]))[0]?.role

  /** The role in the tenant that a person asks for. Throws `session.tenant_refused`. */
  async function wantedRole(em: SqlEntityManager, accountId: string, tenantId: string): Promise<Role> {
    const role = await roleOf(em, accountId, tenantId)
    if (!role) throw refusedTenant()
    return role
  }

  async function tokensOf({ sessionId, generation, seconds, ...standing }: Standing): Promise<Opened> {
    const { accountId, tenantId } = standing
    const scopes = scopesOfSession(standing)
    const { accessToken, expiresIn } = await tokens.issueSessionToken({
      accountId,
      sessionId,
      tenantId: tenantId ?? (await tenants.first()).id,
      scopes,
    })
    const refreshToken = refreshTokens.write({ sessionId, generation })
    return { accountId, accessToken, expiresIn, scopes, tenantId, refreshToken, refreshSeconds: Math.floor(seconds) }
  }

  const end = (em: SqlEntityManager, sessionId: string) =>
    em.execute('update account_sessions set ended_at = now() where id = ? and ended_at is null', [sessionId])

  type Rotated = { standing: Standing } | { refusal: Refusal } | { isDone: true }

  /**
   * Refusals are results: that a session ends because its token was used twice must be committed. The token is used up only
   * where the session still comes to what was `signed`; otherwise what it comes to now is the result.
   */
  async function rotate(
    em: SqlEntityManager,
    token: string | undefined,
    wanted: string | null | undefined,
    signed: Standing | undefined,
  ): Promise<Rotated> {
    const presented = refreshTokens.read(token)
    if (!presented) return { refusal: refused() }
    const { sessionId, generation } = presented
    const [session] = await em.execute<LockedSession[]>(LOCKED, [sessionId])
    if (!session?.isOpen) return { refusal: refused() }
    const { accountId, isOperator, seconds } = session
    if (generation !== session.generation) {
      const isLate = generation === session.generation - 1 && session.isFresh
      if (isLate)
        return {
          refusal: new Refusal('session.refreshed', 'Another request has refreshed the session at the same time.'),
        }
      await end(em, sessionId)
      return { refusal: new Refusal('session.reused', 'The refresh token was used before, so the session was ended.') }
    }
    const tenantId = wanted === undefined ? session.tenantId : wanted
    const role =
      tenantId === null
        ? undefined
        : await (wanted === undefined ? roleOf(em, accountId, tenantId) : wantedRole(em, accountId, tenantId))
    const next = generation + 1
    // a member who was removed goes on without the tenant
    const kept = role ? tenantId : null
    const standing = { accountId, isOperator, tenantId: kept, role, sessionId, generation: next, seconds }
    if (!signed || !isSame(signed, standing)) return { standing }
    const statement = 'update account_sessions set generation = ?, rotated_at = now(), for_tenant = ? where id = ?'
    await em.execute(statement, [next, kept, sessionId])
    return { isDone: true }
  }

  interface Beginning {
    accountId: string
    tenantId: string | null
    /** The refresh token of the session that the browser had, which ends. */
    former: string | undefined
  }

  /** False where the session would come to something else than what was signed: nothing has begun. */
  async function begin(
    em: SqlEntityManager,
    { sessionId, seconds, ...signed }: Standing,
    { accountId, tenantId, former }: Beginning,
    { lock, allow }: LoginChecks,
  ): Promise<boolean> {
    const { isOperator } = await lock(em)
    const role = tenantId === null ? undefined : await roleOf(em, accountId, tenantId)
    if (!isSame(signed, { isOperator, tenantId, role })) return false
    await allow(em)
    if (tenantId !== null && !role) throw refusedTenant()
    await em.execute(END_OLDEST, [accountId])
    const before = refreshTokens.read(former)
    if (before) await end(em, before.sessionId)
    await em.execute(
      'insert into account_sessions (id, account_id, for_tenant, expires_at) values (?, ?, ?, now() + make_interval(secs => ?))',
      [sessionId, accountId, tenantId, seconds],
    )
    return true
  }

  /** What the token of a login says, unless the account changes before the session begins. */
  const lookAhead = ({ accountId, tenantId }: Beginning): Promise<Standing> =>
    asSystem(database.system, async (em) => {
      const statement = 'select is_operator as "isOperator" from accounts where id = ?'
      const [account] = await em.execute<{ isOperator: boolean }[]>(statement, [accountId])
      const role = tenantId === null ? undefined : await roleOf(em, accountId, tenantId)
      const session = { sessionId: uuid(), generation: 0, seconds: LONGEST_DAYS * 86_400 }
      return { accountId, isOperator: account?.isOperator ?? false, tenantId, role, ...session }
    })

  return {
    /**
     * Begins a session, and ends the one that the browser had. Its access token is signed before: while the key store is
     * away nothing begins, and no code is used up. Each further round follows a change of the account. Throws
     * `session.tenant_refused`, `Unavailable('keys')`, and what `checks` throw.
     */
    async open(beginning: Beginning, checks: LoginChecks): Promise<Opened> {
      for (;;) {
        const standing = await lookAhead(beginning)
        const opened = await tokensOf(standing)
        if (await asSystem(database.system, (em) => begin(em, standing, beginning, checks))) return opened
      }
    },

    /**
     * A new pair of tokens for a refresh token, which is used up. The access token is signed before, and outside of the
     * transaction: while the key store is away no token is used up, and no connection waits for it. Each further round
     * follows a change of the account. `wanted`: another tenant, or null for none. Throws `session.invalid`,
     * `session.reused`, `session.refreshed`, `session.tenant_refused`, `Unavailable('keys')`.
     */
    async refresh(token: string | undefined, wanted: string | null | undefined): Promise<Opened> {
      for (let signed: { standing: Standing; opened: Opened } | undefined; ; ) {
        const rotated = await asSystem(database.system, (em) => rotate(em, token, wanted, signed?.standing))
        if ('refusal' in rotated) throw rotated.refusal
        if ('isDone' in rotated && signed) return signed.opened
        if ('standing' in rotated) signed = { ...rotated, opened: await tokensOf(rotated.standing) }
      }
    },

    /** The account of a session that was ended; undefined where there was none. */
    async logout(token: string | undefined): Promise<string | undefined> {
      const presented = refreshTokens.read(token)
      if (!presented) return undefined
      return asSystem(database.system, async (em) => {
        const statement = `update account_sessions set ended_at = now() where id = ? and ended_at is null returning account_id as "accountId"`
        const [row] = await em.execute<{ accountId: string }[]>(statement, [presented.sessionId])
        return row?.accountId
      })
    },

    /** Newest first. */
    listSessions: (call: Call, { limit, offset }: { limit: number; offset: number }) => {
      const accountId = accountOf(call)
      return asSystem(database.system, async (em) => {
        const rows = await em.execute<SessionRow[]>(LIST, [accountId, limit, offset])
        const counted = `select count(*)::int as total from account_sessions where account_id = ? and ${IS_OPEN}`
        const [count] = await em.execute<{ total: number }[]>(counted, [accountId])
        const sessions = rows.map((row) => toRecord(row, call))
        return { sessions, total: count?.total ?? 0 }
      })
    },

    /** Throws `session.not_found`, `session.invalid`. */
    async endSession(call: Call, id: string): Promise<void> {
      await operations.changePlatform(call, 'endOwnSession', { id }, async (em) => {
        const accountId = await lockOwnAccount(em, call)
        const statement = `update account_sessions set ended_at = now() where id = ? and account_id = ? and ${IS_OPEN} returning id`
        const ended = await em.execute(statement, [id, accountId])
        if (ended.length === 0) throw new Refusal('session.not_found', 'The account has no such session.')
      })
    },
  }
}

export type Sessions = ReturnType<typeof createSessions>
