import type { TrustList } from '../../entities/trust-lists/lists.ts'
import { type FormatSlug, slugOf } from '../../protocol/credentials/formats.ts'
import type { HeldEntry } from '../../protocol/trust-lists/lists.ts'

export interface TrustListRecord {
  id: string
  name: string
  formats: FormatSlug[]
  enforced: boolean
  entries: readonly HeldEntry[]
  createdAt: string
  updatedAt: string
}

export const toRecord = (row: TrustList): TrustListRecord => ({
  id: row.id,
  name: row.name,
  formats: row.formats.map(slugOf),
  enforced: row.enforced,
  entries: row.entries,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})
