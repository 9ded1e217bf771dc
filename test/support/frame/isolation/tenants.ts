import type { RawAsk, RawReply } from '../../parts/raw.ts'
import { makeSample, type Sample } from '../examples/sample.ts'
import type { Target } from '../hostile.ts'
import { areaOfToken, isPublic, type Operation, operations } from '../openapi.ts'
import { PLATFORM_PATHS } from '../permissions.ts'

const VOLATILE = new Set(['x-request-id', 'date', 'ratelimit', 'ratelimit-policy', 'content-length'])

/** All that an answer tells, but for what names the request itself. */
export const told = ({ status, headers, text }: RawReply) => {
  const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !VOLATILE.has(name)))
  if (!/^application\/(problem\+)?json/.test(headers['content-type'] ?? '')) return { status, headers: kept, text }
  const { instance, ...problem } = JSON.parse(text) as Record<string, unknown>
  return { status, headers: kept, problem, named: typeof instance }
}

/** Two tenants of one platform: what the first one has, the second one asks for. */
export interface Tenants {
  target: Target
  theirs: Sample
  /** The host that names the second one. */
  theirHost: string
}

export async function withSecondTenant(target: Target): Promise<Tenants> {
  const { world } = target
  const { subdomain, ...client } = await world.addTenant()
  const theirs = await makeSample(world, client)
  const settings = { fetchUnknownContexts: true, vcApi: true } // as the first tenant has them
  await world.ask('/v1/settings', { method: 'PUT', token: theirs.token, body: settings })
  return { target, theirs, theirHost: `${subdomain}.${new URL(world.url).host}` }
}

/** Who an operation is for: a tenant, a person with an account, or an operator of the platform. */
export function callerOf(operation: Operation): 'tenant' | 'person' | 'operator' {
  const area = areaOfToken(operation)
  if (area === 'platform' || (!isPublic(operation) && area === undefined && PLATFORM_PATHS.test(operation.path)))
    return 'operator'
  return area === 'accounts' || (isPublic(operation) && /^\/v1\/auth\//.test(operation.path)) ? 'person' : 'tenant'
}

/** Operations that are about what a tenant, or a person, has. */
export const owned: readonly Operation[] = operations.filter(
  (each) => callerOf(each) !== 'operator' && !PLATFORM_PATHS.test(each.path),
)

/** A request as the second tenant’s client, its person or its operator sends it. */
export function askAsTheirs(
  { target, theirs, theirHost }: Tenants,
  operation: Operation,
  ask: Partial<RawAsk> & { path: string },
): Promise<RawReply> {
  const { token, personToken, operatorToken } = theirs
  const caller = { tenant: token, person: personToken, operator: operatorToken }[callerOf(operation)]
  const identity = isPublic(operation) ? { headers: { host: theirHost } } : { token: caller }
  return target.client.ask({
    method: operation.method,
    ...identity,
    ...ask,
    headers: { ...identity.headers, ...ask.headers },
  })
}
