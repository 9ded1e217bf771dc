import type { Sql } from '../entities/orm.ts'

/** Rows that go at a time: a million in one statement would outlast its time limit. */
const AT_ONCE = 20_000
const LEFT_BEHIND_MINUTES = 60

const count = async (sql: Sql, text: string, values: unknown[]): Promise<number> => {
  const { rows } = await sql.query<{ count: number }>({
    text: `with gone as (${text} returning 1) select count(*)::int as count from gone`,
    values,
  })
  return rows[0]?.count ?? 0
}

const DISCARD = 'select discard_semantic_credential_upload($1, $2, $3, $4, $5) as more'

interface Discarded {
  tenantId: string
  id: string
  /** Only if this try still fills it. */
  attempt?: string
  /** The rows alone. */
  keepBatch?: boolean
}

/** Takes an upload away that did not come to its end, rows first. Safe to repeat. */
export async function discardUpload(sql: Sql, { tenantId, id, attempt, keepBatch = false }: Discarded): Promise<void> {
  for (let more = true; more; ) {
    const values = [tenantId, id, attempt ?? null, AT_ONCE, keepBatch]
    const { rows } = await sql.query<{ more: boolean }>({ text: DISCARD, values })
    more = rows[0]?.more ?? false
  }
}

/** Uploads whose process ended with them. `systemSql` sees every tenant. Safe to retry. */
export async function sweepUploads(systemSql: Sql): Promise<number> {
  const { rows } = await systemSql.query<{ id: string }>({
    text: `select id from semantic_credential_batches
      where state = 'RECEIVING' and last_progress_at < now() - make_interval(mins => $1) limit 100`,
    values: [LEFT_BEHIND_MINUTES],
  })
  for (const { id } of rows) {
    const slice = `delete from semantic_credential_batch_rows where ctid = any (array(
      select ctid from semantic_credential_batch_rows where batch_id = $1 limit $2))`
    while ((await count(systemSql, slice, [id, AT_ONCE])) === AT_ONCE);
    await count(systemSql, `delete from semantic_credential_batches where id = $1 and state = 'RECEIVING'`, [id])
  }
  return rows.length
}
