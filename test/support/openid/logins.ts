import { randomUUID } from 'node:crypto'
import { createPlatform } from '../../../activities/index.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { openWorld } from '../world.ts'
import { openProviders } from './provider.ts'

export const PROVIDERS = '/v1/users/authentication-providers'

export const refusalOf = async (work: Promise<unknown>): Promise<Refusal> => {
  try {
    await work
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  throw new Error('it was not refused')
}

/** A platform, the providers of a test web, and what holders do between the two. */
export async function openLogins() {
  const base = 'https://issuer.test'
  const providers = await openProviders(`${base}/v1/oauth/authentication/callback`)
  const world = await openWorld({ env: { ...providers.env, PUBLIC_URL: base } }).catch(async (error: unknown) => {
    await providers.close()
    throw error
  })
  const platform = createPlatform(world.dependencies)
  const { tenantId } = world.first
  const call = () => ({ ...world.first, requestId: randomUUID() })
  return {
    providers,
    world,
    platform,
    call,
    async created(more: object): Promise<{ id: string; client_jwks?: { keys: object[] } }> {
      const claims = { claims_to_persist: ['email', 'address'], scope: ['openid', 'profile', 'email', 'address'] }
      const body = { url: providers.issuer, ...claims, ...more }
      const reply = await world.ask(PROVIDERS, { token: world.token, body })
      if (reply.status !== 200) throw new Error(`no provider: ${reply.text}`)
      return reply.json()
    },
    update: (id: string, body: object) => world.ask(`${PROVIDERS}/${id}`, { method: 'PUT', token: world.token, body }),
    begin: async (providerId: string, parameters = {}, context = {}) =>
      (await platform.authentication.beginAuthentication(call(), { providerId, parameters, context })).url,
    finish: (parameters: URLSearchParams, tenant = tenantId) =>
      platform.authentication.finishAuthentication(tenant, parameters),
    /** What the log says of logins at a provider. */
    logOf: async (name: string, providerId: string) => {
      const { rows } = await world.dependencies.systemSql.query<{ metadata: Record<string, string> }>({
        text: `select metadata from logs where type = $1 and metadata ->> 'providerId' = $2`,
        values: [name, providerId],
      })
      return rows.map(({ metadata }) => metadata)
    },
    async close() {
      await world.close()
      await providers.close()
    },
  }
}

export type Logins = Awaited<ReturnType<typeof openLogins>>
