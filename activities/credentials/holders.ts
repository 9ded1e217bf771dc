import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { FormatName } from '../../protocol/credentials/formats.ts'

export interface HolderSubject {
  tenantId: string
  /** Of a user; the credentials know no more of them. */
  holderId: string
}

/** Notes whom credentials were issued to, in the caller's transaction. */
export async function addHolder(
  em: SqlEntityManager,
  { tenantId, holderId }: HolderSubject,
  credentialIds: readonly string[],
): Promise<void> {
  const statement = `insert into credential_holders (tenant_id, holder_id, credential_id)
    select ?, ?, c.id from credentials c where c.id = any (string_to_array(?, ' ')::uuid[]) on conflict do nothing`
  await em.execute(statement, [tenantId, holderId, credentialIds.join(' ')])
}

/** Formats of the credentials that were issued to a holder. */
export async function formatsOfHolder(
  em: SqlEntityManager,
  { tenantId, holderId }: HolderSubject,
): Promise<FormatName[]> {
  const statement = `select distinct c.format from credential_holders h join credentials c on c.id = h.credential_id
    where h.tenant_id = ? and h.holder_id = ? order by c.format`
  const rows = await em.execute<{ format: FormatName }[]>(statement, [tenantId, holderId])
  return rows.map(({ format }) => format)
}

/** A revocation under way finds its credentials by their holder, and forgets them at its end. */
const FORGET = `delete from credential_holders h where h.tenant_id = ? and h.holder_id = ? and not exists (
  select from credential_revocations r where r.tenant_id = h.tenant_id and r.scope = 'holder'
    and r.subject = h.holder_id::text and r.state = 'REVOKING')`

/** From now on, or from the end of a revocation under way, nothing leads from the credentials of a holder to one another. */
export async function forgetHolder(em: SqlEntityManager, { tenantId, holderId }: HolderSubject): Promise<void> {
  await em.execute(FORGET, [tenantId, holderId])
}
