import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { TrustList } from '../../entities/trust-lists/lists.ts'
import type { Refusal } from '../../protocol/errors.ts'
import { OPERATIONS } from '../../protocol/operations.ts'
import type { Dependencies } from '../dependencies.ts'
import { addLogEntry } from '../frame/log-entries.ts'
import { beforeStale, RETRY_MS } from './rows.ts'

/** Entries of the log on what became of readings, besides those of requests: of readings that change how a list stands. */
export const createReadingNotes =
  ({ now, uuid }: Pick<Dependencies, 'now' | 'uuid'>) =>
  (
    em: SqlEntityManager,
    { id, tenantId }: TrustList,
    outcome: 'SUCCESS' | 'FAIL',
    more: Record<string, string | number>,
  ): void => {
    const { name, category } = OPERATIONS.refreshTrustList
    addLogEntry(em, { now, uuid }, { tenantId, requestId: uuid(), name, category, outcome, metadata: { id, ...more } })
  }

/** The last list that was read stays. Returns whether it could be read before, or failed for another reason. */
export function applyFailure(row: TrustList, { code, message }: Refusal, now: Date): boolean {
  const isNew = row.failure?.code !== code
  row.failure = { code, message, since: row.failure?.since ?? now.toISOString() }
  row.dueAt = beforeStale(row, new Date(now.getTime() + RETRY_MS), now)
  return isNew
}
