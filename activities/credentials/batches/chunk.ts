import type { Sql } from '../../../entities/orm.ts'
import type { Refusal, Unavailable } from '../../../protocol/errors.ts'
import type { TemplateRef } from '../format.ts'
import { type SignedRow, toColumns } from '../record.ts'

/** References alone: rows are personal data, and Temporal's history is no place for it. */
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

/** What became of the rows of a chunk. */
export interface RowOutcomes {
  signed: { row: number; credential: SignedRow }[]
  failed: { row: number; problem: string }[]
  gone: Set<string>
  away?: Unavailable
  /** This process cannot sign documents any more: no row's fault either. */
  broken?: unknown
  /** A key that cannot be used as it is: no row's fault, and nothing that passes by itself. */
  fault?: Refusal
}

const RECORD = 'select * from record_batch_chunk($1, $2, $3, $4, $5, $6, $7, $8, $9)'

export interface Recorded {
  outcome: 'recorded' | 'issuer_gone' | 'template_gone' | 'cancelled'
  all_signed: number
  all_failed: number
}

/**
 * In one transaction with the states of the rows and the counts of the batch; what is recorded already is left alone.
 * `template`: the version that all were signed by; once it is deleted, nothing is recorded.
 */
export async function recordChunk(
  sql: Sql,
  { tenantId, batchId }: Chunk,
  { signed, failed }: RowOutcomes,
  template: TemplateRef | undefined,
): Promise<Recorded> {
  const from = { tenantId, templateId: template?.id ?? null, templateVersion: template?.version ?? null }
  const { rows } = await sql.query<Recorded>({
    name: 'record-batch-chunk',
    text: RECORD,
    values: [
      tenantId,
      batchId,
      signed.map(({ row }) => row),
      signed.map(({ credential }) => credential.id),
      signed.map(({ credential }) => credential.didId),
      signed.map(({ credential }) => toColumns({ ...credential, ...from })).join('\n'),
      template?.id ?? null,
      failed.map(({ row }) => row),
      failed.map(({ problem }) => problem),
    ],
  })
  if (!rows[0]) throw new Error('record_batch_chunk returned no row')
  return rows[0]
}
