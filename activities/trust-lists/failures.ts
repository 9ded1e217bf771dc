import { isDeepStrictEqual } from 'node:util'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { TrustList } from '../../entities/trust-lists/lists.ts'
import type { Refusal } from '../../protocol/errors.ts'
import { OPERATIONS } from '../../protocol/operations.ts'
import type { ListsFacts } from '../../protocol/trust-lists/sources.ts'
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

/** A reading that failed. */
export interface FailedReading {
  refusal: Refusal
  /** Of the list of lists, where that could be read: an older one is not taken any more, whatever the list is. */
  lists?: ListsFacts | undefined
}

/** Keeps what the list of lists said; a reading that began before has no say any more. */
function keepLists(row: TrustList, lists: ListsFacts): void {
  if (!row.facts || isDeepStrictEqual(row.facts.listOfLists, lists)) return
  Object.assign(row, { facts: { ...row.facts, listOfLists: lists }, revision: row.revision + 1 })
}

/** The last list that was read stays. Returns whether it could be read before, or failed for another reason. */
export function applyFailure(row: TrustList, { refusal, lists }: FailedReading, now: Date): boolean {
  const { code, message } = refusal
  const isNew = row.failure?.code !== code
  row.failure = { code, message, since: row.failure?.since ?? now.toISOString() }
  if (lists) keepLists(row, lists)
  row.dueAt = beforeStale(row, new Date(now.getTime() + RETRY_MS), now)
  return isNew
}
