import { LRUCache } from 'lru-cache'
import { Refusal } from '../../protocol/errors.ts'
import type { Scope } from '../../protocol/tokens-logs/index.ts'
import { isUuid } from '../../protocol/uuid.ts'
import type { Dependencies } from '../dependencies.ts'
import { singleFlight } from '../frame/caches.ts'

/**
 * Greatest time in which a process takes tokens of a tenant or a client that was deleted, or of a session that has ended,
 * or scopes that were taken away.
 */
const KNOWN_MS = 3_000

const STANDS = `select exists (select from tenants where id = $1 and deleted_at is null)
  and not exists (select from oauth2_clients where id = $2 and deleted_at is not null) as stands,
  (select scopes from oauth2_clients where id = $2) as scopes`

/** Whom a token speaks for. */
interface Holder {
  tenantId: string
  clientId: string
  /** Of a person who has logged in. */
  sessionId?: string
  scopes: readonly Scope[]
}

/** The scopes that a person's session has in a tenant now; undefined once it has ended. */
export type SessionScopes = (session: { sessionId: string; tenantId: string }) => Promise<readonly Scope[] | undefined>

interface Row {
  stands: boolean
  /** Of the client; null where no row of a client is left. */
  scopes: readonly string[] | null
}

interface Known extends Row {
  hasEnded: boolean
  atMs: number
}

/**
 * Whether tenant and client or session of a token still are there, and what the client or the person still may do: the
 * tokens of what was deleted or has ended, and scopes that were taken away, end within seconds, in every process, though
 * the tokens are signed and have not expired.
 */
export function createStanding({
  systemSql,
  now,
  sessionScopes,
}: Pick<Dependencies, 'systemSql' | 'now'> & { sessionScopes: SessionScopes }) {
  const known = new LRUCache<string, Known>({ max: 10_000 })
  const once = singleFlight<Known>()

  async function look(name: string, { tenantId, clientId, sessionId }: Omit<Holder, 'scopes'>): Promise<Known> {
    const values = [tenantId, isUuid(clientId) ? clientId : null]
    const [{ rows }, ofSession] = await Promise.all([
      systemSql.query<Row>({ name: 'caller-stands', text: STANDS, values }),
      sessionId === undefined ? undefined : sessionScopes({ sessionId, tenantId }),
    ])
    const scopes = ofSession ?? rows[0]?.scopes ?? null
    const hasEnded = sessionId !== undefined && ofSession === undefined
    const found = { stands: rows[0]?.stands ?? false, scopes, hasEnded, atMs: now().getTime() }
    known.set(name, found)
    return found
  }

  /** While the database is unavailable, what was known last counts. */
  async function current(name: string, caller: Holder): Promise<Known> {
    const last = known.get(name)
    if (last && now().getTime() - last.atMs < KNOWN_MS) return last
    return once(name, () => look(name, caller)).catch((error: unknown) => {
      if (last) return last
      throw error
    })
  }

  return {
    /**
     * Returns the caller with those of its scopes that its client or its session still has. Throws
     * `Refusal('token.invalid')` where its tenant or its client was deleted, `session.invalid` where its session has
     * ended.
     */
    async assertStands<Caller extends Holder>(caller: Caller): Promise<Caller> {
      const holder = caller.sessionId ?? caller.clientId
      const { stands, scopes, hasEnded } = await current(`${caller.tenantId} ${holder}`, caller)
      if (hasEnded) throw new Refusal('session.invalid', 'The session of the access token has ended: log in again.')
      if (stands && caller.scopes.every((scope) => scopes?.includes(scope) ?? true)) return caller
      if (stands) return { ...caller, scopes: caller.scopes.filter((scope) => scopes?.includes(scope)) }
      throw new Refusal('token.invalid', 'The access token is of a client or a tenant that was deleted.')
    },
  }
}
