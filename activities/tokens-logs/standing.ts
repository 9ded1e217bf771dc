import { LRUCache } from 'lru-cache'
import { Refusal } from '../../protocol/errors.ts'
import type { Scope } from '../../protocol/tokens-logs/index.ts'
import { isUuid } from '../../protocol/uuid.ts'
import type { Dependencies } from '../dependencies.ts'
import { singleFlight } from '../frame/caches.ts'

/** Greatest time in which a process takes tokens of a tenant or a client that was deleted, or scopes that were taken away. */
const KNOWN_MS = 3_000

const STANDS = `select exists (select from tenants where id = $1 and deleted_at is null)
  and not exists (select from oauth2_clients where id = $2 and deleted_at is not null) as stands,
  (select scopes from oauth2_clients where id = $2) as scopes`

/** Whom a token speaks for. */
interface Holder {
  tenantId: string
  clientId: string
  scopes: readonly Scope[]
}

interface Row {
  stands: boolean
  /** Of the client; null for a person. */
  scopes: readonly string[] | null
}

interface Known extends Row {
  atMs: number
}

/**
 * Whether tenant and client of a token still are there, and what the client still may do: a deleted one's tokens, and
 * scopes that were taken away, end within seconds, in every process, though the tokens are signed and have not expired.
 */
export function createStanding({ systemSql, now }: Pick<Dependencies, 'systemSql' | 'now'>) {
  const known = new LRUCache<string, Known>({ max: 10_000 })
  const once = singleFlight<Known>()

  async function look(name: string, { tenantId, clientId }: Omit<Holder, 'scopes'>): Promise<Known> {
    const values = [tenantId, isUuid(clientId) ? clientId : null]
    const { rows } = await systemSql.query<Row>({ name: 'caller-stands', text: STANDS, values })
    const found = { stands: rows[0]?.stands ?? false, scopes: rows[0]?.scopes ?? null, atMs: now().getTime() }
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
     * Returns the caller with those of its scopes that its client still has. Throws `Refusal('token.invalid')` where its
     * tenant or its client was deleted.
     */
    async assertStands<Caller extends Holder>(caller: Caller): Promise<Caller> {
      const { stands, scopes } = await current(`${caller.tenantId} ${caller.clientId}`, caller)
      if (stands && caller.scopes.every((scope) => scopes?.includes(scope) ?? true)) return caller
      if (stands) return { ...caller, scopes: caller.scopes.filter((scope) => scopes?.includes(scope)) }
      throw new Refusal('token.invalid', 'The access token is of a client or a tenant that was deleted.')
    },
  }
}
