import type { Sql } from '../../../entities/orm.ts'
import { isDatabaseAway } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { TemplateRef } from '../format.ts'
import { isRolledBack } from '../record.ts'
import type { SubjectIndex } from '../subjects.ts'
import { UNFORESEEN } from './attempt.ts'
import { type Chunk, type Recorded, type RowOutcomes, recordChunk } from './chunk.ts'

/** PostgreSQL's faults of the data: a value that a column or an index cannot take (PostgreSQL, Appendix A). */
const OF_DATA = /^(22|54)/

const isOfData = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && OF_DATA.test(error.code)

interface Parts extends Pick<Dependencies, 'log'> {
  sql: Sql
  subjectIndex: SubjectIndex
}

/**
 * Records the outcomes of a slice. Where PostgreSQL refuses the rows together, each is tried alone: one whose data it cannot
 * take is refused, since no repeat would help it, and with any other fault the rest is recorded before the fault is thrown.
 */
export async function recordSlice(
  { sql, subjectIndex, log }: Parts,
  chunk: Chunk,
  outcomes: RowOutcomes,
  template: TemplateRef | undefined,
): Promise<Recorded> {
  const record = (part: Pick<RowOutcomes, 'signed' | 'failed'>) =>
    recordChunk(sql, subjectIndex, chunk, { gone: new Set(), ...part }, template)
  try {
    return await record(outcomes)
  } catch (error) {
    if (outcomes.signed.length === 0 || isDatabaseAway(error) || !isRolledBack(error)) throw error
  }
  const failed = [...outcomes.failed]
  let isIssuerGone = false
  let fault: unknown
  for (const one of outcomes.signed) {
    try {
      const recorded = await record({ signed: [one], failed: [] })
      if (recorded.outcome === 'cancelled' || recorded.outcome === 'template_gone') return recorded
      isIssuerGone ||= recorded.outcome === 'issuer_gone'
    } catch (error) {
      if (isDatabaseAway(error) || !isRolledBack(error)) throw error
      if (isOfData(error)) {
        const { tenantId, batchId } = chunk
        log.error({ err: error, batchId, tenantId, row: one.row }, 'a row of a batch was refused by the database')
        failed.push({ row: one.row, problem: UNFORESEEN })
      } else fault ??= error
    }
  }
  const recorded = await record({ signed: [], failed })
  if (fault !== undefined) throw fault
  return isIssuerGone && recorded.outcome === 'recorded' ? { ...recorded, outcome: 'issuer_gone' } : recorded
}
