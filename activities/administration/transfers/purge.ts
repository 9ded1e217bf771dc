import type { Sql } from '../../../entities/orm.ts'
import { deleteInSlices } from '../../frame/slices.ts'

const LATE = `select id from tenant_imports where expires_at < now() and state in ('CHECKING', 'WRITING') limit 50`

/**
 * Scheduled: files of exports whose time is over go, and so do reports of imports, and uploads that nobody finished. An import
 * that did not end is undone first.
 */
export async function purgeTransfers(systemSql: Sql, abandon: (importId: string) => Promise<void>) {
  const { rows } = await systemSql.query<{ id: string }>({ text: LATE, values: [] })
  for (const { id } of rows) await abandon(id)
  const left = `state = 'RECEIVING' and created_at < now() - interval '1 day'`
  const over = `expires_at < now() and state in ('DONE', 'FAILED')`
  // chunks first: many in one statement with their export would exceed its time
  const chunks = 'export_id in (select id from tenant_exports where expires_at < now())'
  await deleteInSlices(systemSql, 'tenant_export_chunks', chunks, [])
  return {
    exports: await deleteInSlices(systemSql, 'tenant_exports', 'expires_at < now()', []),
    imports: await deleteInSlices(systemSql, 'tenant_imports', `(${left}) or (${over})`, []),
  }
}
