import { isDeepStrictEqual } from 'node:util'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { TrustList } from '../../entities/trust-lists/lists.ts'
import type { Refusal } from '../../protocol/errors.ts'
import { toUsableText } from '../../protocol/json.ts'
import { OPERATIONS } from '../../protocol/operations.ts'
import { earliestOf, HOUR_MS, hasCome } from '../../protocol/time.ts'
import type { ListFacts, TrustSource } from '../../protocol/trust-lists/sources.ts'
import { isSameLists, locationOf, nextUpdatesOf, staleAtOf, standingOf } from '../../protocol/trust-lists/standing.ts'
import type { Dependencies } from '../dependencies.ts'
import { addLogEntry } from '../frame/log-entries.ts'
import { emptiedBy } from './imports.ts'
import type { ReadLists } from './list-of-lists.ts'
import { applyImport, beforeStale, dueAfter, RETRY_MS } from './rows.ts'

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
  error: unknown
  /** What is wrong with one of the lists; undefined: the platform could not read them now. */
  refusal: Refusal | undefined
  retryAfterSeconds?: number
  /** The list of lists, where that could be read: an older one is not taken any more, whatever the list is. */
  lists: ReadLists | undefined
}

/**
 * When a known list counts no more, by a list of lists that was read after it (D-1005). Only one that names the signer of
 * the list can extend its time; where that signer is named no more, its grace begins now.
 */
function staleBy({ keys }: ReadLists, facts: ListFacts, { graceHours }: TrustSource, row: TrustList, now: Date) {
  const staleAt = staleAtOf(nextUpdatesOf(facts), graceHours)
  const standing = standingOf(facts.signedBy, keys)
  if (standing === 'named') return staleAt
  const dropped = standing === 'dropped' ? new Date(now.getTime() + graceHours * HOUR_MS) : null
  return earliestOf(row.staleAt, staleAt, dropped)
}

/** Keeps what the list of lists said; a reading that began before has no say any more. */
function keepLists(row: TrustList, lists: ReadLists, now: Date): void {
  const { source, staleNoted } = row
  if (!row.facts || !source) return
  const facts = { ...row.facts, listOfLists: lists.facts }
  const staleAt = staleBy(lists, facts, source, row, now)
  if (isDeepStrictEqual([row.facts, row.staleAt?.getTime()], [facts, staleAt?.getTime()])) return
  const isStale = staleAt !== null && hasCome(staleAt, { now })
  Object.assign(row, { facts, staleAt, staleNoted: staleNoted && isStale, revision: row.revision + 1 })
}

/** The last list that was read stays. Returns what is wrong with it where the log does not say that yet. */
export function applyFailure(row: TrustList, failed: FailedReading, now: Date): Refusal | undefined {
  const { refusal, lists, retryAfterSeconds } = failed
  const known = row.failure
  if (refusal) {
    const { code, message } = refusal
    row.failure = { code, message: toUsableText(message), since: known?.since ?? now.toISOString() }
  }
  if (lists) keepLists(row, lists, now)
  const waitMs = retryAfterSeconds === undefined ? RETRY_MS : retryAfterSeconds * 1_000
  row.dueAt = beforeStale(row, new Date(now.getTime() + waitMs), now)
  return known?.code === refusal?.code ? undefined : refusal
}

/**
 * Keeps what a list of lists said that was read for an update which was then refused, where the source of the list reads the
 * same one, by the same signers (D-1021). One that is closed ends the trust, as it does when it is read for the list itself.
 * Returns what is wrong with the list where the log does not say that yet.
 */
export function keepUnused(row: TrustList, next: TrustSource, lists: ReadLists, now: Date): Refusal | undefined {
  const { source, facts } = row
  const known = facts?.listOfLists
  if (!source || !known || !isSameLists(source, next)) return undefined
  if (lists.closed) {
    const before = row.failure?.code
    applyImport(row, emptiedBy(lists.closed, facts, lists), now)
    return before === lists.closed.code ? undefined : lists.closed
  }
  const isSameList = locationOf(source) === locationOf(next)
  // of another list it says nothing but its age
  keepLists(
    row,
    isSameList ? lists : { ...lists, keys: undefined, facts: { ...lists.facts, signers: known.signers } },
    now,
  )
  // of one that was sent the clock only says that it is stale, which it may have said before of an earlier time
  if (source.url === undefined) row.dueAt = dueAfter(row, now)
  else if (row.dueAt) row.dueAt = beforeStale(row, row.dueAt, now)
  return undefined
}
