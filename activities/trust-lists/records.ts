import type { RefreshFailure, TrustList } from '../../entities/trust-lists/lists.ts'
import { type FormatSlug, slugOf } from '../../protocol/credentials/formats.ts'
import type { Attested } from '../../protocol/credentials/trust.ts'
import { hasCome } from '../../protocol/time.ts'
import type { HeldEntry } from '../../protocol/trust-lists/lists.ts'
import type { ListFacts, TrustSource } from '../../protocol/trust-lists/sources.ts'

/** `stale`: its entries count no more. `failing`: they count, and the list could not be read again. */
export type TrustListState = 'current' | 'failing' | 'stale'

/** A list without its entries. */
export interface TrustListSummary {
  id: string
  name: string
  formats: FormatSlug[]
  attests: readonly Attested[]
  enforced: boolean
  state: TrustListState
  entryCount: number
  source: TrustSource | null
  facts: ListFacts | null
  fetchedAt: string | null
  /** When its URL is read again by itself; null: it has none. */
  nextRefreshAt: string | null
  staleAt: string | null
  failure: RefreshFailure | null
  createdAt: string
  updatedAt: string
}

export interface TrustListRecord extends TrustListSummary {
  entries: readonly HeldEntry[]
}

/** Of a row without its entries. */
type Row = Pick<
  TrustList,
  | ('id' | 'name' | 'formats' | 'attests' | 'enforced' | 'source' | 'facts')
  | ('fetchedAt' | 'staleAt' | 'dueAt' | 'failure' | 'createdAt' | 'updatedAt')
>

const stateOf = ({ staleAt, failure }: Pick<Row, 'staleAt' | 'failure'>, now: Date): TrustListState => {
  if (staleAt && hasCome(staleAt, { now })) return 'stale'
  return failure ? 'failing' : 'current'
}

export const toSummary = (row: Row, entryCount: number, now: Date): TrustListSummary => ({
  id: row.id,
  name: row.name,
  formats: row.formats.map(slugOf),
  attests: row.attests,
  enforced: row.enforced,
  state: stateOf(row, now),
  entryCount,
  source: row.source ?? null,
  facts: row.facts ?? null,
  fetchedAt: row.fetchedAt?.toISOString() ?? null,
  nextRefreshAt: (row.source?.url !== undefined && row.dueAt?.toISOString()) || null,
  staleAt: row.staleAt?.toISOString() ?? null,
  failure: row.failure ?? null,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

export const toRecord = (row: TrustList, now: Date): TrustListRecord => ({
  ...toSummary(row, row.entries.length, now),
  entries: row.entries,
})
