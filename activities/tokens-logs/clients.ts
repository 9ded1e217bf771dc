import { createHash, timingSafeEqual } from 'node:crypto'
import type { Sql } from '../../entities/orm.ts'
import type { Scope } from '../../protocol/tokens-logs/index.ts'
import { isUuid } from '../../protocol/uuid.ts'

/** Who has shown that it is a client, by its secret. */
export interface Client {
  id: string
  tenantId: string
  scopes: Scope[]
}

export interface ClientCredentials {
  clientId: string
  clientSecret: string
}

interface ClientRow {
  id: string
  tenant_id: string
  secret_hash: Buffer
  scopes: Scope[]
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()

/** Secrets are 256 random bits that we made: one SHA-256 keeps them, where a password would need argon2 (D-009). */
export const hashClientSecret = (secret: string): Buffer => sha256(secret)

/** Asked for in place of an id that is none, so that it costs what others cost. */
const NO_CLIENT = '00000000-0000-0000-0000-000000000000'
/** Compared with in place of the hash of an unknown client. */
const NO_HASH = sha256('')
/** Ours have 43 characters. */
const LONGEST_SECRET = 1_024

interface Waiting {
  id: string
  resolve(row: ClientRow | undefined): void
  reject(error: unknown): void
}

/**
 * Finds clients by their ids, all that are asked for meanwhile in one statement: however many strangers guess, one
 * connection is enough for them and for those who know their secret.
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
          text: 'select id, tenant_id, secret_hash, scopes from oauth2_clients where id = any($1::uuid[])',
          values: [[...new Set(batch.map(({ id }) => id))]],
        })
        const rowsById = new Map(rows.map((row) => [row.id, row]))
        for (const { id, resolve } of batch) resolve(rowsById.get(id))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    running = false
  }

  return (id: string): Promise<ClientRow | undefined> =>
    new Promise((resolve, reject) => {
      waiting.push({ id, resolve, reject })
      void findAll()
    })
}

/** Clients and their secrets (RFC 6749, section 2.3). `sql` is the system role's: who asks has no tenant yet. */
export function createClients({ systemSql }: { systemSql: Sql }) {
  const find = createClientRows(systemSql)
  return {
    /**
     * The client, when the secret is its own. An unknown client takes as long as a wrong secret. `whenKnown` hears of the
     * client before its secret is looked at: for its tenant's log, whatever comes of it.
     */
    async authenticate(
      { clientId, clientSecret }: ClientCredentials,
      whenKnown: (client: { tenantId: string; clientId: string }) => void,
    ): Promise<Client | undefined> {
      if (clientSecret.length > LONGEST_SECRET) return undefined
      const row = await find(isUuid(clientId) ? clientId : NO_CLIENT)
      if (row) whenKnown({ tenantId: row.tenant_id, clientId: row.id })
      const isRight = timingSafeEqual(sha256(clientSecret), row?.secret_hash ?? NO_HASH)
      return row && isRight ? { id: row.id, tenantId: row.tenant_id, scopes: row.scopes } : undefined
    },
  }
}

export type Clients = ReturnType<typeof createClients>
