import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { endOperatorAccount, makeOperatorAccount } from '../activities/administration/accounts/operators.ts'
import { createOAuth2Clients } from '../activities/administration/clients/lifecycle.ts'
import { createEnvironments } from '../activities/administration/environments.ts'
import { createTenantLifecycle } from '../activities/administration/tenants/lifecycle.ts'
import type { Dependencies } from '../activities/dependencies.ts'
import { composeFrame } from '../activities/frame/index.ts'
import type { Call } from '../activities/frame/operations.ts'
import { openDependencies } from '../activities/index.ts'
import { Refusal } from '../protocol/errors.ts'
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

/** Who does it, in the log. */
const COMMAND = 'tenants-command'

const TENANTS = `select t.id, t.is_first as "isFirst", t.subdomain from tenants t
where t.deleted_at is null and (t.is_first or t.subdomain = $1) order by t.is_first`

const CLIENT = `select c.tenant_id as "tenantId" from oauth2_clients c where c.id::text = $1 and c.deleted_at is null`

const LIST = `select t.subdomain, t.name as tenant, c.id as "clientId", c.name as client, array_to_string(c.scopes, ' ') as scopes
from tenants t left join oauth2_clients c on c.tenant_id = t.id and c.deleted_at is null
where t.deleted_at is null order by t.created_at, c.created_at, c.id`

/** The wanted scopes, or all that there are to grant. */
function scopesIn(wanted: readonly string[], grantable: readonly Scope[]): readonly Scope[] {
  const scopes = parseScopes(wanted.join(' '))
  if (!scopes?.every((scope) => grantable.includes(scope)))
    throw new Error(`A scope is not known here. The scopes are: ${grantable.join(' ')}`)
  return scopes.length > 0 ? scopes : grantable
}

/** The verbs of the API, for who has no token of an operator yet. */
function createCommands(dependencies: Dependencies) {
  const { systemSql } = dependencies
  const frame = { ...dependencies, ...composeFrame(dependencies) }
  const [environments, tenantLifecycle] = [createEnvironments(frame), createTenantLifecycle(frame)]
  const clients = createOAuth2Clients({ ...frame, withOperators: true })

  const callOf = (tenantId: string): Call => ({ tenantId, clientId: COMMAND, requestId: randomUUID() })

  async function tenantsWith(subdomain: string) {
    const query = { text: TENANTS, values: [subdomain] }
    const { rows } = await systemSql.query<{ id: string; isFirst: boolean; subdomain: string }>(query)
    const first = rows.find(({ isFirst }) => isFirst)
    if (!first) throw new Error('The platform was not started with this database yet.')
    return { first, named: rows.find((row) => row.subdomain === subdomain) }
  }

  async function addClient(tenantId: string, name: string, scopes: readonly Scope[]) {
    const created = await clients.createOAuth2Client(callOf(tenantId), { name, description: '' }, scopes)
    const { baseUrl } = await frame.tenants.byId(tenantId)
    const { id: clientId, clientSecret } = created
    return { tenantId, clientId, clientSecret, baseUrl, scopes: created.scopes.join(' ') }
  }

  return {
    list: async () => (await systemSql.query({ text: LIST, values: [] })).rows,

    async add(subdomain: string, name?: string) {
      const { first } = await tenantsWith(subdomain)
      const [environment] = (await environments.listEnvironments({ limit: 1, offset: 0 })).environments
      if (!environment) throw new Error('The platform was not started with this database yet.')
      const tenant = { environmentId: environment.id, subdomain, name: name ?? null, wanted: {} }
      const { id, baseUrl, client } = await tenantLifecycle.createTenant(callOf(first.id), tenant)
      return { tenantId: id, ...client, baseUrl, scopes: SCOPES.join(' ') }
    },

    async client(subdomain: string, name: string, scopes: readonly Scope[]) {
      const { named } = await tenantsWith(subdomain)
      if (!named) throw new Error(`There is no tenant with the subdomain ${subdomain}.`)
      return addClient(named.id, name, scopes)
    },

    /** Of the first tenant: its log records what operators do (D-590). */
    operator: async (name: string, scopes: readonly Scope[]) =>
      addClient((await tenantsWith('')).first.id, name, scopes),

    operatorAccount: async (email: string) =>
      makeOperatorAccount(dependencies, callOf((await tenantsWith('')).first.id), email),

    async removeOperatorAccount(email: string) {
      return { removed: await endOperatorAccount(dependencies, callOf((await tenantsWith('')).first.id), email) }
    },

    async removeClient(clientId: string) {
      const [found] = (await systemSql.query<{ tenantId: string }>({ text: CLIENT, values: [clientId] })).rows
      if (!found) throw new Error(`There is no client ${clientId}.`)
      await clients.deleteOAuth2Client(callOf(found.tenantId), clientId)
      return { removed: clientId }
    },
  }
}

async function run(dependencies: Dependencies, [verb, first, second, ...rest]: string[]): Promise<unknown> {
  const commands = createCommands(dependencies)
  if (verb === 'list' && first === undefined) return commands.list()
  if (verb === 'add' && first && rest.length === 0) return commands.add(first, second)
  if (verb === 'client' && first && second) return commands.client(first, second, scopesIn(rest, SCOPES))
  if (verb === 'operator' && first) {
    const wanted = second === undefined ? [] : [second, ...rest]
    return commands.operator(first, scopesIn(wanted, OPERATOR_SCOPES))
  }
  if (verb === 'operator-account' && first && second === undefined) return commands.operatorAccount(first)
  if (verb === 'remove-operator-account' && first && second === undefined) return commands.removeOperatorAccount(first)
  if (verb === 'remove-client' && first && second === undefined) return commands.removeClient(first)
  throw new Error(USAGE)
}

/** A refusal with the rules that it names, for a line on the terminal. */
const readable = (error: unknown): unknown =>
  error instanceof Refusal
    ? new Error([error.message, ...error.errors.map(({ path, message }) => `${path}: ${message}`)].join(' '))
    : error

/** For an operator, beside the API (D-261). Prints JSON; a secret is shown this once. */
await asCommand(async () => {
  const { values, positionals } = parseArgs({
    options: { local: { type: 'string', default: LOCAL } },
    allowPositionals: true,
  })
  await withInstallation(process.env, { local: resolve(values.local) }, async (config) => {
    const dependencies = await openDependencies(config)
    try {
      const result = await run(dependencies, positionals).catch((error: unknown) => {
        throw readable(error)
      })
      process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
    } finally {
      await dependencies.close()
    }
  })
})
