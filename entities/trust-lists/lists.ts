import { defineEntity, p } from '@mikro-orm/core'
import type { FormatName } from '../../protocol/credentials/formats.ts'
import type { HeldEntry } from '../../protocol/trust-lists/lists.ts'
import { EVERYTHING, owned, ownedByTenant, type Rights } from '../base.ts'

/** Issuers that a tenant trusts. */
const TrustListSchema = defineEntity({
  name: 'TrustList',
  tableName: 'trust_lists',
  filters: ownedByTenant,
  properties: {
    ...owned,
    name: p.text(),
    formats: p.array().$type<FormatName[]>(),
    enforced: p.boolean(),
    entries: p.json<HeldEntry[]>(),
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
