import { isDeepStrictEqual } from 'node:util'
import type { TrustList } from '../../entities/trust-lists/lists.ts'
import { earliest, HOUR_MS, hasCome } from '../../protocol/time.ts'
import { nextUpdatesOf } from '../../protocol/trust-lists/standing.ts'
import type { ImportedList } from './imports.ts'

/** A list that cannot be read, or whose next one is due, is tried again after this time. */
export const RETRY_MS = 15 * 60_000

/** Not after it becomes stale, which the log says. */
export const beforeStale = ({ staleAt, staleNoted }: TrustList, at: Date, now: Date): Date =>
  earliest(at, staleNoted || !staleAt || hasCome(staleAt, { now }) ? undefined : staleAt)

/** When the clock looks at a list again: to read its URL, or to say that it is stale. null: never. */
export function dueAfter(
  row: TrustList,
  now: Date,
  { wasRead = true, startsAt = null }: Partial<Pick<ImportedList, 'wasRead' | 'startsAt'>> = {},
): Date | null {
  const { source, facts, staleAt, staleNoted } = row
  if (!source) return null
  if (source.url === undefined) return staleNoted ? null : (staleAt ?? null)
  const usual = new Date(now.getTime() + source.refreshHours * HOUR_MS)
  const soon = new Date(now.getTime() + RETRY_MS)
  // its next update is not waited for where nobody is named who could sign it
  const nexts = facts && wasRead ? nextUpdatesOf(facts).map((next) => (hasCome(next, { now }) ? soon : next)) : []
  return beforeStale(row, earliest(usual, startsAt, ...nexts), now)
}

/** Writes what was read into the row; returns whether it has other entries now. */
export function applyImport(row: TrustList, imported: ImportedList, now: Date): boolean {
  const { entries, facts, staleAt, startsAt, emptied, wasRead } = imported
  const changed = !isDeepStrictEqual(row.entries, entries)
  const { code, message } = emptied ?? {}
  const since = row.failure?.code === code ? row.failure?.since : now.toISOString()
  const failure = emptied ? { code, message, since } : null
  const fetchedAt = wasRead ? now : row.fetchedAt
  Object.assign(row, { entries, facts, staleAt, fetchedAt, failure, staleNoted: false })
  Object.assign(row, {
    dueAt: dueAfter(row, now, { wasRead, startsAt }),
    revision: row.revision + 1,
    updatedAt: changed ? now : row.updatedAt,
  })
  return changed
}
