import type { SqlEntityManager } from '@mikro-orm/postgresql'

/** Rows that an erasure of credentials changed or deleted. */
export interface ErasedCredentials {
  credentials: number
  notifications: number
}

/** In the order of their ids, as bulk revocations lock them. The row stays, because the status lists are made from it. */
const ERASE = `with locked as materialized (
    select c.id from credentials c where c.tenant_id = ? and c.id = any (string_to_array(?, ' ')::uuid[]) and c.erased_at is null
    order by c.id for no key update),
  erased as (
    update credentials c set document = '{}', document_bytes = null, envelope = null, tag = null, subjects = null, erased_at = clock_timestamp()
    from locked where c.id = locked.id returning 1)
select count(*)::int as count from erased`

const FORGET = `with gone as (
    delete from credential_notifications where tenant_id = ? and credential_id = any (string_to_array(?, ' ')::uuid[]) returning 1)
select count(*)::int as count from gone`

async function counted(em: SqlEntityManager, text: string, values: readonly string[]): Promise<number> {
  const [row] = await em.execute<{ count: number }[]>(text, [...values])
  return row?.count ?? 0
}

/**
 * Erases claims, proof, tag and digests of the subjects of credentials, and the messages about them, in the caller's transaction. Afterwards nobody
 * finds them by the API, except their status. Safe to repeat: what was erased counts once.
 */
export async function eraseCredentials(
  em: SqlEntityManager,
  tenantId: string,
  ids: readonly string[],
): Promise<ErasedCredentials> {
  if (ids.length === 0) return { credentials: 0, notifications: 0 }
  const values = [tenantId, ids.join(' ')]
  return { credentials: await counted(em, ERASE, values), notifications: await counted(em, FORGET, values) }
}
