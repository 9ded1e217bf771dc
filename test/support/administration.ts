import { randomBytes } from 'node:crypto'
import type { Scope } from '../../protocol/tokens-logs/index.ts'
import { addClient } from './frame/tenants.ts'
import type { Reply, World } from './world.ts'

export const TENANTS = '/v1/tenants'
export const ENVIRONMENTS = '/v1/environments'
export const CLIENTS = '/v1/oauth2/clients'

export interface TenantAnswer {
  id: string
  environment: { id: string; name: string }
  organizationId: string | null
  name: string
  subdomain: string
  baseUrl: string
  isFirst: boolean
  status: string
  reason: { code: string; message: string } | null
  lookedAt: string | null
  nextLookAt: string | null
  client: { clientId: string; clientSecret: string }
}

export interface DeletionAnswer {
  id: string
  step: string
  erasedAt: string | null
  workflowsEnded: number
  keysDestroyed: number
  rowsDeleted: number
  reason: string | null
  nextLookAt: string | null
  subdomainFreeAt: string
}

export interface ClientAnswer {
  id: string
  clientId: string
  clientSecret: string
  name: string
  description: string
  scopes: string[]
  createdAt: string
  updatedAt: string
  formerSecretEndsAt: string | null
}

/** One that no tenant has. */
export const newSubdomain = (): string => `t-${randomBytes(6).toString('hex')}`

type Asks = Pick<World, 'ask'>

const made = <Answer>(what: string, reply: Reply): Answer => {
  if (reply.status !== 201) throw new Error(`no ${what}: ${reply.text}`)
  return reply.json<Answer>()
}

/** Tenants as an operator manages them; `token` is the operator's. */
export const tenantsOf = (world: Asks, token: string) => ({
  async environmentId(): Promise<string> {
    const { data } = (await world.ask(ENVIRONMENTS, { token })).json<{ data: { id: string }[] }>()
    if (!data[0]) throw new Error('the platform has no environment')
    return data[0].id
  },
  create: (body: object): Promise<Reply> => world.ask(TENANTS, { token, body }),
  async created(more: object = {}): Promise<TenantAnswer> {
    const body = { environmentId: await this.environmentId(), subdomain: newSubdomain(), ...more }
    return made('tenant', await this.create(body))
  },
  read: (id: string) => world.ask(`${TENANTS}/${id}`, { token }),
  update: (id: string, body: object) => world.ask(`${TENANTS}/${id}`, { method: 'PUT', token, body }),
  remove: (id: string) => world.ask(`${TENANTS}/${id}`, { method: 'DELETE', token }),
  async deletion(id: string): Promise<DeletionAnswer> {
    return (await world.ask(`${TENANTS}/${id}/deletion`, { token })).json<DeletionAnswer>()
  },
  async list(query = '') {
    const reply = await world.ask(`${TENANTS}${query}`, { token })
    return reply.json<{ inboxes: TenantAnswer[]; limit: number; totalCount: number; totalPages: number }>()
  },
})

/** The clients of one tenant. */
export const clientsOf = (world: Asks, token: string) => ({
  create: (body: object): Promise<Reply> => world.ask(CLIENTS, { token, body }),
  async created(more: object = {}): Promise<ClientAnswer> {
    return made('client', await this.create({ name: 'A client', description: 'Of a test', ...more }))
  },
  read: (id: string) => world.ask(`${CLIENTS}/${id}`, { token }),
  update: (id: string, body: object) => world.ask(`${CLIENTS}/${id}`, { method: 'PUT', token, body }),
  remove: (id: string) => world.ask(`${CLIENTS}/${id}`, { method: 'DELETE', token }),
  async list(query = '') {
    const reply = await world.ask(`${CLIENTS}${query}`, { token })
    return reply.json<{ data: ClientAnswer[]; limit: number; totalCount: number; totalPages: number }>()
  },
})

/** What the examples of requests speak of. */
export interface AdministrationSample {
  environmentId: string
  /** A tenant that an operator administers. */
  administeredId: string
  /** For the operation that deletes it. */
  spareAdministeredId: string
  /** One whose deletion is under way. */
  deletedTenantId: string
  oauth2ClientId: string
  /** For the operation that deletes it. */
  spareOAuth2ClientId: string
}

export async function makeAdministrationSample(
  world: World,
  { token, operatorToken }: { token: string; operatorToken: string },
): Promise<AdministrationSample> {
  const [tenants, clients] = [tenantsOf(world, operatorToken), clientsOf(world, token)]
  const { id: deletedTenantId } = await tenants.created()
  await tenants.remove(deletedTenantId)
  return {
    deletedTenantId,
    environmentId: await tenants.environmentId(),
    administeredId: (await tenants.created()).id,
    spareAdministeredId: (await tenants.created()).id,
    oauth2ClientId: (await clients.created({ scopes: [] })).id,
    spareOAuth2ClientId: (await clients.created()).id,
  }
}

/** Status and code of a refusal, and where and why it is refused first. */
export const refusalOf = (reply: Reply) => {
  const { type, errors } = reply.json<{ type: string; errors?: { path: string; code: string }[] }>()
  return [reply.status, type, errors?.[0]?.path, errors?.[0]?.code]
}

/** A token of a client of the first tenant with these scopes. */
export const tokenWith = async ({ dependencies, first, tokenOf }: World, scopes: readonly Scope[]): Promise<string> =>
  tokenOf(await addClient(dependencies.systemSql, { tenantId: first.tenantId, scopes }))
