import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { CredentialBatch } from '../../../entities/credentials.batches.ts'
import { inTenant } from '../../../entities/orm.ts'
import type { RowInput } from '../../../protocol/credentials/batches.ts'
import type { TemplateDefinition } from '../../../protocol/semantic-credentials/templates.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { CredentialTemplate } from '../../semantic-credentials/templates.ts'
import type { Chunk } from './chunk.ts'

export interface PendingRow {
  row_number: number
  input: RowInput
}

/** The version that rows are claims for, also when the template was changed or deleted since. */
export interface BatchTemplate extends CredentialTemplate {
  deleted: boolean
}

export interface BatchSlice {
  /** Null: there is none any more. */
  batch: CredentialBatch | null
  /** Those that are neither signed nor refused; none unless the batch is PROCESSING. */
  rows: PendingRow[]
  template?: BatchTemplate
}

const ROWS = `select row_number, input from credential_batch_rows
where batch_id = ? and row_number between ? and ? and state = 'pending' order by row_number`

const TEMPLATE = `select v.definition, t.deleted_at is not null as deleted
from semantic_templates t join semantic_template_versions v on v.tenant_id = t.tenant_id and v.template_id = t.id
where t.id = ? and v.version = ?`

async function templateOf(em: SqlEntityManager, { templateId: id, templateVersion: version }: CredentialBatch) {
  if (!id || !version) return undefined
  const [found] = await em.execute<{ definition: TemplateDefinition; deleted: boolean }[]>(TEMPLATE, [id, version])
  if (!found) throw new Error(`template ${id} has no version ${version}`)
  return { id, version, ...found }
}

/** What signing the rows of a chunk takes, as it is now. */
export const loadSlice = (
  database: Dependencies['database'],
  { tenantId, batchId, from, to }: Chunk,
): Promise<BatchSlice> =>
  inTenant(database.tenants, tenantId, async (em) => {
    const batch = await em.findOne(CredentialBatch, { id: batchId })
    if (batch?.state !== 'PROCESSING') return { batch, rows: [] }
    const rows = await em.execute<PendingRow[]>(ROWS, [batchId, from, to])
    return { batch, rows, template: rows.length > 0 ? await templateOf(em, batch) : undefined }
  })
