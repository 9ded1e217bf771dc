import { defineEntity, p } from '@mikro-orm/core'
import type { FormatName } from '../../protocol/credentials/formats.ts'
import type { Attested } from '../../protocol/credentials/trust.ts'
import type { HeldEntry } from '../../protocol/trust-lists/lists.ts'
import type { ListFacts, TrustSource } from '../../protocol/trust-lists/sources.ts'
import { EVERYTHING, owned, ownedByTenant, type Rights } from '../base.ts'

/** Why a list could not be read. */
export interface RefreshFailure {
  code: string
  message: string
  since: string
}

/** Issuers that a tenant trusts. */
const TrustListSchema = defineEntity({
  name: 'TrustList',
  tableName: 'trust_lists',
  filters: ownedByTenant,
  properties: {
    ...owned,
    name: p.text(),
    formats: p.array().$type<FormatName[]>(),
    /** What its entries are trusted for as wallet providers. */
    attests: p.array().$type<Attested[]>(),
    enforced: p.boolean(),
    entries: p.json<HeldEntry[]>(),
    /** Where the entries come from; null: the tenant wrote them. */
    source: p.json<TrustSource>().nullable(),
    /** Of the list that was read last. */
    facts: p.json<ListFacts>().nullable(),
    fetchedAt: p.datetime().nullable(),
    /** From then on the entries count no more. */
    staleAt: p.datetime().nullable(),
    /** The log says that they do not. */
    staleNoted: p.boolean().default(false),
    /** When the clock looks at it again. */
    dueAt: p.datetime().nullable(),
    /** Why the last refresh failed, and since when they do. */
    failure: p.json<RefreshFailure>().nullable(),
    /** Another one after each change. */
    revision: p.integer().default(1),
    updatedAt: p.datetime(),
  },
})
export class TrustList extends TrustListSchema.class {}
TrustListSchema.setClass(TrustList)

export const RIGHTS = {
  trust_lists: { app: EVERYTHING, system: 'select, delete' },
} satisfies Rights
