import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Sql } from '../../entities/orm.ts'
import { SCOPES, type Scope } from '../../protocol/tokens-logs/index.ts'
import { isUuid } from '../../protocol/uuid.ts'

/** A client, authenticated by its secret. */
export interface Client {
  id: string
  tenantId: string
  scopes: Scope[]
}

export interface ClientCredentials {
  clientId: string
  clientSecret: string
}

/** Of an unknown client too, with placeholders: PostgreSQL and the driver then do the same work for both. */
interface ClientRow {
  id: string
  known: boolean
  tenant_id: string
  secret_hash: Buffer
  /** Of the secret before, while it is right as well. */
  former_hash: Buffer
  /** Separated by spaces. */
  scopes: string
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()

/** Secrets are 256 random bits that we made: one SHA-256 keeps them, where a password would need argon2 (D-009). */
export const hashClientSecret = (secret: string): Buffer => sha256(secret)

/** Looked up in place of a malformed id, so that it takes the same time. */
const NO_CLIENT = '00000000-0000-0000-0000-000000000000'
/** Compared for an unknown client, and where there is no former secret: the hash of no text that anybody knows. */
const NO_HASH = randomBytes(32)
/** For each id a row; an unknown client has as much in it as one with most scopes. */
const FIND = `select wanted.id, c.id is not null as known, coalesce(c.tenant_id, wanted.id) as tenant_id,
  coalesce(c.secret_hash, $2) as secret_hash,
  coalesce(case when c.former_secret_ends_at > clock_timestamp() then c.former_secret_hash end, $2) as former_hash,
  array_to_string(coalesce(c.scopes, $3::text[]), ' ') as scopes
from unnest($1::uuid[]) as wanted(id)
  left join (oauth2_clients c join tenants t on t.id = c.tenant_id and t.deleted_at is null)
    on c.id = wanted.id and c.deleted_at is null`

/** Ours have 43 characters. */
const LONGEST_SECRET = 1_024

interface Waiting {
  id: string
  resolve(row: ClientRow): void
  reject(error: unknown): void
}

/**
 * Finds clients by their ids, those requested at the same time in one statement: however many strangers guess ids, they
 * take no more than one connection.
 */
function createClientRows(sql: Sql) {
  let waiting: Waiting[] = []
  let running = false

  async function findAll(): Promise<void> {
    if (running) return
    running = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        const { rows } = await sql.query<ClientRow>({
          name: 'find-clients',
          text: FIND,
          values: [[...new Set(batch.map(({ id }) => id))], NO_HASH, SCOPES],
        })
        const rowsById = new Map(rows.map((row) => [row.id, row]))
        for (const { id, resolve, reject } of batch) {
          const row = rowsById.get(id)
          if (row) resolve(row)
          else reject(new Error('find-clients returned no row for a client'))
        }
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    running = false
  }

  return (id: string): Promise<ClientRow> =>
    new Promise((resolve, reject) => {
      waiting.push({ id, resolve, reject })
      void findAll()
    })
}

/**
 * Clients and their secrets (RFC 6749, section 2.3). `systemSql`: the system role's pool, because the tenant is not
 * known yet.
 */
export function createClients({ systemSql }: { systemSql: Sql }) {
  const find = createClientRows(systemSql)
  return {
    /**
     * Returns the client if the secret is right. An unknown client takes as long as a wrong secret. `whenKnown` is
     * called with a wrong secret too, so that its tenant's log has every attempt.
     */
    async authenticate(
      { clientId, clientSecret }: ClientCredentials,
      whenKnown: (client: { tenantId: string; clientId: string }) => void,
    ): Promise<Client | undefined> {
      if (clientSecret.length > LONGEST_SECRET) return undefined
      const row = await find(isUuid(clientId) ? clientId : NO_CLIENT)
      const hash = sha256(clientSecret)
      // both are compared, whichever is right
      const [isCurrent, isFormer] = [row.secret_hash, row.former_hash].map((known) => timingSafeEqual(hash, known))
      if (!row.known) return undefined
      const { id, tenant_id: tenantId, scopes } = row
      whenKnown({ tenantId, clientId: id })
      return isCurrent || isFormer ? { id, tenantId, scopes: scopes.split(' ').filter(Boolean) as Scope[] } : undefined
    },
  }
}

export type Clients = ReturnType<typeof createClients>
