import { isDeepStrictEqual } from 'node:util'
import type { TrustList } from '../../entities/trust-lists/lists.ts'
import { HOUR_MS, hasCome } from '../../protocol/time.ts'
import type { ImportedList } from './imports.ts'

/** When the clock looks at a list again: to read its URL, or to say that it is stale. null: never. */
export function dueAfter({ source, facts, staleAt, staleNoted }: TrustList, now: Date): Date | null {
  if (!source) return null
  if (source.url === undefined) return staleNoted ? null : (staleAt ?? null)
  const usual = new Date(now.getTime() + source.refreshHours * HOUR_MS)
  const next = facts?.nextUpdate ? new Date(facts.nextUpdate) : undefined
  return next && !hasCome(next, { now }) && next < usual ? next : usual
}

/** Writes what was read into the row; returns whether it has other entries now. */
export function applyImport(row: TrustList, { entries, facts, staleAt }: ImportedList, now: Date): boolean {
  const changed = !isDeepStrictEqual(row.entries, entries)
  Object.assign(row, { entries, facts, staleAt, fetchedAt: now, failure: null, staleNoted: false })
  Object.assign(row, {
    dueAt: dueAfter(row, now),
    revision: row.revision + 1,
    updatedAt: changed ? now : row.updatedAt,
  })
  return changed
}
