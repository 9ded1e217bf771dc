import { randomBytes, randomUUID } from 'node:crypto'
import { hashClientSecret } from '../../../activities/tokens-logs/clients.ts'
import type { Sql } from '../../../entities/orm.ts'
import { SCOPES, type Scope } from '../../../protocol/tokens-logs/index.ts'

/** Another client of a tenant. `sql` is the system role's. */
export async function addClient(sql: Sql, { tenantId, scopes }: { tenantId: string; scopes: readonly Scope[] }) {
  const client = { tenantId, clientId: randomUUID(), clientSecret: randomBytes(32).toString('base64url') }
  await sql.query({
    text: `insert into oauth2_clients (id, tenant_id, name, description, secret_hash, scopes) values ($1, $2, 'test', '', $3, $4)`,
    values: [client.clientId, tenantId, hashClientSecret(client.clientSecret), [...scopes]],
  })
  return client
}

/** Another tenant, with a client that may do everything. `sql` is the system role's. */
export async function addTenant(sql: Sql, subdomain = `t${randomUUID().slice(0, 8)}`) {
  const tenantId = randomUUID()
  await sql.query({
    text: `insert into tenants (id, environment_id, name, subdomain) select $1, id, $2, $2 from environments limit 1`,
    values: [tenantId, subdomain],
  })
  return { ...(await addClient(sql, { tenantId, scopes: SCOPES })), subdomain }
}
