import type { Sql } from '../../../entities/orm.ts'

/** Rows deleted at a time: a million in one statement would exceed its time limit. */
const AT_ONCE = 20_000
const LEFT_BEHIND_MINUTES = 60

const DISCARD = 'select discard_batch_upload($1, $2, $3, $4, $5) as more'

interface Discarded {
  tenantId: string
  id: string
  /** Only if this attempt still fills the upload. */
  attempt?: string
  /** Deletes only the rows. */
  keepBatch?: boolean
}

/** Deletes an unfinished upload, rows first. Safe to repeat. */
export async function discardUpload(sql: Sql, { tenantId, id, attempt, keepBatch = false }: Discarded): Promise<void> {
  for (let more = true; more; ) {
    const values = [tenantId, id, attempt ?? null, AT_ONCE, keepBatch]
    const { rows } = await sql.query<{ more: boolean }>({ text: DISCARD, values })
    more = rows[0]?.more ?? false
  }
}

/** Deletes uploads whose process died. `systemSql` sees every tenant. Safe to retry. */
export async function sweepUploads(systemSql: Sql): Promise<number> {
  const { rows } = await systemSql.query<{ id: string; tenantId: string; attempt: string }>({
    text: `select id, tenant_id as "tenantId", attempt from credential_batches
      where state = 'RECEIVING' and last_progress_at < now() - make_interval(mins => $1) limit 100`,
    values: [LEFT_BEHIND_MINUTES],
  })
  // by its attempt: a later one may have taken over the upload since
  for (const upload of rows) await discardUpload(systemSql, upload)
  return rows.length
}
