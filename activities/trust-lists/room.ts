import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { Refusal } from '../../protocol/errors.ts'
import { type HeldEntry, MAX_OF_TENANT } from '../../protocol/trust-lists/lists.ts'

const OTHERS = `select coalesce(sum(json_array_length(entries)), 0)::int as count from trust_lists
where tenant_id = ? and id <> ?`

interface Held {
  tenantId: string
  id: string
  entries: readonly HeldEntry[]
}

/**
 * Why a list of the tenant cannot have so many entries. Lists that change at once may come above it together, but not
 * above what the gate keeps.
 */
export async function fullOf(em: SqlEntityManager, { tenantId, id, entries }: Held): Promise<Refusal | undefined> {
  const [others] = await em.execute<{ count: number }[]>(OTHERS, [tenantId, id])
  if ((others?.count ?? 0) + entries.length <= MAX_OF_TENANT) return undefined
  return new Refusal(
    'trust_list.too_many_entries',
    `The trust lists of a tenant can have ${MAX_OF_TENANT} entries in all. Delete one, or import fewer types of services.`,
  )
}

/** How many entries lists have, which are not loaded for it. */
export async function countsOf(em: SqlEntityManager, lists: readonly { id: string }[]): Promise<Map<string, number>> {
  if (lists.length === 0) return new Map()
  const ids = lists.map(({ id }) => id)
  const text = `select id, json_array_length(entries) as count from trust_lists where id in (${ids.map(() => '?').join(', ')})`
  const rows = await em.execute<{ id: string; count: number }[]>(text, ids)
  return new Map(rows.map(({ id, count }) => [id, count]))
}
