import { randomBytes, randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { endOperatorAccount, makeOperatorAccount } from '../activities/administration/accounts/operators.ts'
import { hashClientSecret } from '../activities/tokens-logs/clients.ts'
import type { Config } from '../config.ts'
import { connect, type Sql, sqlOf } from '../entities/orm.ts'
import { roleUrl } from '../entities/roles.ts'
import { OPERATOR_SCOPES, parseScopes, SCOPES, type Scope } from '../protocol/tokens-logs/index.ts'
import { asCommand } from './command.ts'
import { LOCAL, withInstallation } from './local/installation.ts'

const USAGE = `Use one of:
  add <subdomain> [name]                    creates a tenant, and a client with all scopes
  client <subdomain> <name> [scope …]       creates a client of a tenant; without scopes: all of them
  operator <name> [scope …]                 creates a client of an operator, in the first tenant
  operator-account <e-mail>                 makes a person an operator; prints a link to set a password, once
  remove-operator-account <e-mail>          takes that from a person
  remove-client <client id>                 removes a client
  list                                      lists tenants and clients, without secrets`

/** A label of DNS (RFC 1035, section 2.3.1), because the tenant lives at `<subdomain>.<host>`. */
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** Tenant and client are one statement: neither is there without the other. */
const ADD_TENANT = `with added as (
  insert into tenants (id, environment_id, name, subdomain)
  select $6, id, $7, $2 from environments order by created_at limit 1
  on conflict (subdomain) do nothing returning id)
insert into oauth2_clients (id, tenant_id, name, description, secret_hash, scopes)
select $1, id, $3, '', $4, $5 from added returning tenant_id as "tenantId"`

const ADD_CLIENT = `insert into oauth2_clients (id, tenant_id, name, description, secret_hash, scopes)
select $1, id, $3, '', $4, $5 from tenants where subdomain = $2 returning tenant_id as "tenantId"`

const FIRST_SUBDOMAIN = 'select subdomain from tenants where is_first'

const REMOVE_CLIENT = 'delete from oauth2_clients where id::text = $1 returning id'

const LIST = `select t.subdomain, t.name as tenant, c.id as "clientId", c.name as client, array_to_string(c.scopes, ' ') as scopes
from tenants t left join oauth2_clients c on c.tenant_id = t.id order by t.created_at, c.created_at, c.id`

/** The base URL of a tenant, as activities/frame/tenants/index.ts gives it. */
const baseUrlOf = (sql: Sql, { publicUrl }: Config, tenantId: string) =>
  sql
    .query<{ subdomain: string; first: boolean }>({
      text: 'select subdomain, is_first as first from tenants where id = $1',
      values: [tenantId],
    })
    .then(({ rows: [row] }) =>
      !row || row.first ? publicUrl.origin : `${publicUrl.protocol}//${row.subdomain}.${publicUrl.host}`,
    )

interface NewClient {
  subdomain: string
  name: string
  scopes: readonly Scope[]
}

/** Runs a statement that adds a client; undefined: it added none. */
async function insertClient(
  sql: Sql,
  config: Config,
  { text, more = [] }: { text: string; more?: unknown[] },
  { subdomain, name, scopes }: NewClient,
) {
  const [clientId, clientSecret] = [randomUUID(), randomBytes(32).toString('base64url')]
  const values = [clientId, subdomain, name, hashClientSecret(clientSecret), scopes, ...more]
  const [row] = (await sql.query<{ tenantId: string }>({ text, values })).rows
  if (!row) return undefined
  const { tenantId } = row
  return { tenantId, clientId, clientSecret, baseUrl: await baseUrlOf(sql, config, tenantId), scopes: scopes.join(' ') }
}

/** The wanted scopes, or all that there are to grant. */
function scopesIn(wanted: readonly string[], grantable: readonly Scope[]): readonly Scope[] {
  const scopes = parseScopes(wanted.join(' '))
  if (!scopes?.every((scope) => grantable.includes(scope)))
    throw new Error(`A scope is not known here. The scopes are: ${grantable.join(' ')}`)
  return scopes.length > 0 ? scopes : grantable
}

async function addClient(sql: Sql, config: Config, subdomain: string, name: string, scopes: readonly Scope[]) {
  const added = await insertClient(sql, config, { text: ADD_CLIENT }, { subdomain, name, scopes })
  if (!added) throw new Error(`There is no tenant with the subdomain ${subdomain}.`)
  return added
}

/** A client with scopes of the platform, of the first tenant: its log records what operators do (D-590). */
async function addOperator(sql: Sql, config: Config, name: string, scopes: readonly Scope[]) {
  const [first] = (await sql.query<{ subdomain: string }>({ text: FIRST_SUBDOMAIN, values: [] })).rows
  if (!first) throw new Error('The platform was not started with this database yet.')
  return addClient(sql, config, first.subdomain, name, scopes)
}

async function addTenant(sql: Sql, config: Config, subdomain: string, name = subdomain) {
  if (!LABEL.test(subdomain))
    throw new Error('The subdomain must be a label of DNS: 1 to 63 of a-z, 0-9 and -, with no - at either end.')
  const client = { subdomain, name: 'First client', scopes: SCOPES }
  const added = await insertClient(sql, config, { text: ADD_TENANT, more: [randomUUID(), name] }, client)
  if (!added)
    throw new Error(`The subdomain ${subdomain} is taken, or the platform was not started with this database yet.`)
  return added
}

async function removeClient(sql: Sql, clientId: string) {
  const { rows } = await sql.query({ text: REMOVE_CLIENT, values: [clientId] })
  if (rows.length === 0) throw new Error(`There is no client ${clientId}.`)
  return { removed: clientId }
}

async function run(sql: Sql, config: Config, [verb, first, second, ...rest]: string[]): Promise<unknown> {
  if (verb === 'list' && first === undefined) return (await sql.query({ text: LIST, values: [] })).rows
  if (verb === 'add' && first && rest.length === 0) return addTenant(sql, config, first, second)
  if (verb === 'client' && first && second) return addClient(sql, config, first, second, scopesIn(rest, SCOPES))
  if (verb === 'operator' && first) {
    const wanted = second === undefined ? [] : [second, ...rest]
    return addOperator(sql, config, first, scopesIn(wanted, OPERATOR_SCOPES))
  }
  if (verb === 'operator-account' && first && second === undefined) return makeOperatorAccount(sql, config, first)
  if (verb === 'remove-operator-account' && first && second === undefined)
    return { removed: await endOperatorAccount(sql, config, first) }
  if (verb === 'remove-client' && first && second === undefined) return removeClient(sql, first)
  throw new Error(USAGE)
}

/** For an operator, until the API administers tenants (D-261). Prints JSON; a secret is shown this once. */
await asCommand(async () => {
  const { values, positionals } = parseArgs({
    options: { local: { type: 'string', default: LOCAL } },
    allowPositionals: true,
  })
  await withInstallation(process.env, { local: resolve(values.local) }, async (config) => {
    const orm = await connect(roleUrl(config.database.url, config.masterKey, 'system'), 1)
    try {
      const result = await run(await sqlOf(orm), config, positionals)
      process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
    } finally {
      await orm.close()
    }
  })
})
