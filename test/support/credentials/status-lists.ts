import { randomBytes, randomUUID } from 'node:crypto'
import type { Sql } from '../../../entities/orm.ts'
import type { World } from '../world.ts'
import { sign } from './credentials.ts'
import { until } from './dids.ts'

interface Owner {
  tenantId: string
  did: string
  proofType?: string
}

/** Lists of an issuer that were published when they were empty. Their ids. */
export async function addPublishedLists(
  sql: Sql,
  count: number,
  { tenantId, did, proofType = 'eddsa-rdfc-2022' }: Owner,
) {
  const { rows } = await sql.query<{ id: string }>({
    text: `insert into status_lists (id, tenant_id, did_id, kind, purpose, proof_type, size, permutation_key, signed, etag,
        signed_at, valid_until)
      select list, $1, d.id, 'BitstringStatusList', 'revocation', $3, 131072, $4, '{}', '""', now(), now() + interval '24 hours'
      from unnest($5::uuid[]) as list join dids d on d.tenant_id = $1 and d.did = $2 returning id`,
    values: [tenantId, did, proofType, randomBytes(32), Array.from({ length: count }, () => randomUUID())],
  })
  return rows.map(({ id }) => id)
}

/** As a change of status marks its list. */
export const markChanged = (sql: Sql, ids: string[]) =>
  sql.query({ text: 'update status_lists set changes = changes + 1 where id = any($1)', values: [ids] })

export interface ListState {
  changes: number
  published_changes: number
  changed_since: Date | null
  publish_failures: number
  /** From now; negative when it may be tried. */
  pause_seconds: number
}

export async function listState(sql: Sql, id: string): Promise<ListState> {
  const { rows } = await sql.query<ListState>({
    text: `select changes, published_changes, changed_since, publish_failures,
      extract(epoch from greatest(publish_after, '1970-01-01') - clock_timestamp())::float8 as pause_seconds
      from status_lists where id = $1`,
    values: [id],
  })
  if (!rows[0]) throw new Error(`there is no list ${id}`)
  return rows[0]
}

/** Revokes a fresh credential of the issuer, and waits until its list, which was read before, is signed anew. */
export async function publishesAnew(world: World, issuer: string): Promise<boolean> {
  const { ask, token, dependencies } = world
  const { id } = await sign(world, issuer, { revocable: true })
  const of = 'select status_list_id as list from credentials where id = $1'
  const { rows } = await dependencies.systemSql.query<{ list: string }>({ text: of, values: [id] })
  const listId = rows[0]?.list ?? ''
  await ask(`/v1/revocation-lists/${listId}`)
  const path = `/v1/credentials/web-semantic/${id}/revocation-status`
  const revoked = await ask(path, { token, body: { is_revoked: true } })
  if (revoked.status >= 300) throw new Error(`not revoked: ${revoked.text}`)
  return until('the list is signed', async () => {
    const text = 'select 1 from status_lists where id = $1 and changed_since is null and changes = published_changes'
    return (await dependencies.systemSql.query({ text, values: [listId] })).rows.length === 1
  })
}
