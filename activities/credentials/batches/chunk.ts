import type { Sql } from '../../../entities/orm.ts'
import type { Refusal, Unavailable } from '../../../protocol/errors.ts'
import type { TemplateRef } from '../format.ts'
import { linesOf, type SignedRow } from '../record.ts'
import type { SubjectIndex } from '../subjects.ts'

/** References only: rows are personal data, which must not be stored in Temporal's history. */
export interface Chunk {
  tenantId: string
  batchId: string
  /** First and last row. */
  from: number
  to: number
}

export interface ChunkOutcome {
  state: 'signed' | 'PAUSED' | 'CANCELLED'
  /** Of the whole batch, so far. */
  signed: number
  failed: number
}

/** Outcomes of the rows of a chunk. */
export interface RowOutcomes {
  signed: { row: number; credential: SignedRow }[]
  failed: { row: number; problem: string }[]
  gone: Set<string>
  away?: Unavailable
  /** This process cannot sign documents any more; not the fault of a row. */
  broken?: unknown
  /** A key that cannot be used: not the fault of a row, and an operator must repair it. */
  fault?: Refusal
}

const RECORD = 'select * from record_batch_chunk($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)'

export interface Recorded {
  outcome: 'recorded' | 'issuer_gone' | 'template_gone' | 'cancelled'
  all_signed: number
  all_failed: number
}

/**
 * Records credentials, states of the rows and counts of the batch in one transaction; rows recorded before do not
 * change. `template`: the version that all rows were signed by; once it is deleted, nothing is recorded.
 */
export async function recordChunk(
  sql: Sql,
  subjectIndex: SubjectIndex,
  { tenantId, batchId }: Chunk,
  { signed, failed }: RowOutcomes,
  template: TemplateRef | undefined,
): Promise<Recorded> {
  const from = { templateId: template?.id ?? null, templateVersion: template?.version ?? null }
  const { columns, documents } = linesOf(
    signed.map(({ row, credential }) => {
      const subjects = subjectIndex.ofAll(tenantId, credential.format, credential.document)
      return { ...credential, ...from, tenantId, subjects, batch: { id: batchId, row } }
    }),
  )
  const { rows } = await sql.query<Recorded>({
    name: 'record-batch-chunk',
    text: RECORD,
    values: [
      tenantId,
      batchId,
      signed.map(({ row }) => row),
      signed.map(({ credential }) => credential.id),
      signed.map(({ credential }) => credential.didId ?? credential.documentSignerId),
      Buffer.from(columns),
      template?.id ?? null,
      failed.map(({ row }) => row),
      failed.map(({ problem }) => problem),
      Buffer.from(documents),
    ],
  })
  if (!rows[0]) throw new Error('record_batch_chunk returned no row')
  return rows[0]
}
