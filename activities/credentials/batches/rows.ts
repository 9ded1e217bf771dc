import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { CredentialBatch } from '../../../entities/credentials/batches.ts'
import { inTenant } from '../../../entities/orm.ts'
import type { RowInput } from '../../../protocol/credentials/batches.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Formats, TemplateVersion } from '../format.ts'
import type { Chunk } from './chunk.ts'

export interface PendingRow {
  row_number: number
  input: RowInput
}

export interface BatchSlice {
  /** Null where it no longer exists. */
  batch: CredentialBatch | null
  /** Pending rows; none unless the batch is PROCESSING. */
  rows: PendingRow[]
  /** The version that rows are claims for, even if the template was changed or deleted since. */
  template?: TemplateVersion
}

const ROWS = `select row_number, input from credential_batch_rows
where batch_id = ? and row_number between ? and ? and state = 'pending' order by row_number`

async function templateOf(em: SqlEntityManager, formats: Formats, batch: CredentialBatch) {
  const { templateId: id, templateVersion: version, format } = batch
  if (!id || !version) return undefined
  const template = await formats.of(format).readTemplate?.(em, id, version)
  if (!template) throw new Error(`template ${id} has no version ${version}`)
  return template
}

/** Loads the batch, its pending rows of a chunk, and their template. */
export const loadSlice = (
  { database, formats }: Pick<Dependencies, 'database'> & { formats: Formats },
  { tenantId, batchId, from, to }: Chunk,
): Promise<BatchSlice> =>
  inTenant(database.tenants, tenantId, async (em) => {
    const batch = await em.findOne(CredentialBatch, { id: batchId })
    if (batch?.state !== 'PROCESSING') return { batch, rows: [] }
    const rows = await em.execute<PendingRow[]>(ROWS, [batchId, from, to])
    return { batch, rows, template: rows.length > 0 ? await templateOf(em, formats, batch) : undefined }
  })
