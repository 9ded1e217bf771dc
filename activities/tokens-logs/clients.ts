import { createHash, timingSafeEqual } from 'node:crypto'
import type { Sql } from '../../entities/orm.ts'
import type { Scope } from '../../protocol/tokens-logs/index.ts'
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

interface ClientRow {
  id: string
  tenant_id: string
  secret_hash: Buffer
  scopes: Scope[]
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()

/** Secrets are 256 random bits that we made: one SHA-256 keeps them, where a password would need argon2 (D-009). */
export const hashClientSecret = (secret: string): Buffer => sha256(secret)

/** Looked up in place of a malformed id, so that it takes the same time. */
const NO_CLIENT = '00000000-0000-0000-0000-000000000000'
/** Compared in place of the hash of an unknown client. */
const NO_HASH = sha256('')
/** Ours have 43 characters. */
const LONGEST_SECRET = 1_024

interface Waiting {
  id: string
  resolve(row: ClientRow | undefined): void
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

/**
 * Clients and their secrets (RFC 6749, section 2.3). `systemSql`: the system role's pool, because the tenant is not
 * known yet.
 */
export function createClients({ systemSql }: { systemSql: Sql }) {
  const find = createClientRows(systemSql)
  return {
    /**
     * Returns the client if the secret is right. An unknown client takes as long as a wrong secret. `whenKnown` is
     * called before the secret is checked, so that its tenant's log has every attempt.
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
