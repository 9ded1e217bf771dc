import { randomBytes, randomUUID } from 'node:crypto'
import { hashClientSecret } from '../../../activities/tokens-logs/clients.ts'
import type { Sql } from '../../../entities/orm.ts'
import { SCOPES } from '../../../protocol/tokens-logs/index.ts'

/** Another tenant, with a client that may do everything. `sql` is the system role's. */
export async function addTenant(sql: Sql, subdomain = `t${randomUUID().slice(0, 8)}`) {
  const client = {
    tenantId: randomUUID(),
    clientId: randomUUID(),
    clientSecret: randomBytes(32).toString('base64url'),
  }
  await sql.query({
    text: `insert into tenants (id, environment_id, name, subdomain) select $1, id, $2, $2 from environments limit 1`,
    values: [client.tenantId, subdomain],
  })
  await sql.query({
    text: `insert into oauth2_clients (id, tenant_id, name, description, secret_hash, scopes) values ($1, $2, 'test', '', $3, $4)`,
    values: [client.clientId, client.tenantId, hashClientSecret(client.clientSecret), [...SCOPES]],
  })
  return { ...client, subdomain }
}
