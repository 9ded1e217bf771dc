import { useLoad } from './load.ts'
import { api, type Standing } from './session.ts'

/** More than these are shown by their ids. */
const MOST = 1_000

/** The names of accounts and clients that act in the tenant, by their ids: of those that the role may read. */
export type Actors = ReadonlyMap<string, string>

async function members({ account: { organizations }, tenantId, scopes }: Standing): Promise<[string, string][]> {
  const own = organizations.find(({ tenants }) => tenants.some(({ id }) => id === tenantId))
  if (!own || !scopes.has('accounts:read')) return []
  const params = { path: { id: own.id }, query: { limit: MOST } }
  const { data } = await api.get('/v1/organizations/{id}/members', { params })
  return data.map(({ account_id, email }) => [account_id, email])
}

async function clients({ scopes }: Standing): Promise<[string, string][]> {
  if (!scopes.has('administration:read')) return []
  const { data } = await api.get('/v1/oauth2/clients', { params: { query: { limit: MOST } } })
  return data.map(({ id, name }) => [id, name])
}

/** What was read for a standing is right for so long: every page of it asks. */
const KEPT_MS = 60_000

const kept = new Map<string, { at: number; actors: Promise<Actors> }>()

async function read(standing: Standing): Promise<Actors> {
  const { id, email } = standing.account
  const own: [string, string] = [id, email]
  return new Map([...(await clients(standing)), ...(await members(standing)), own])
}

function actorsOf(standing: Standing): Promise<Actors> {
  const name = `${standing.tenantId} ${standing.account.id}`
  const last = kept.get(name)
  if (last && performance.now() - last.at < KEPT_MS) return last.actors
  const actors = read(standing)
  kept.clear() // of another tenant or person
  kept.set(name, { at: performance.now(), actors })
  actors.catch(() => kept.delete(name))
  return actors
}

/** Where a name cannot be read, its id stands for it. */
export function useActors(standing: Standing): Actors {
  const { account, tenantId } = standing
  const loaded = useLoad(tenantId ?? '', () => actorsOf(standing))
  return loaded.data ?? new Map([[account.id, account.email]])
}
