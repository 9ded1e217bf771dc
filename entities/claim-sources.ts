import { defineEntity, p } from '@mikro-orm/core'
import type { Authorization } from '../protocol/claim-sources/authorization.ts'
import type { RequestParameters } from '../protocol/claim-sources/parameters.ts'
import { EVERYTHING, owned, ownedByTenant, type Rights } from './base.ts'

const ClaimSourceSchema = defineEntity({
  name: 'ClaimSource',
  tableName: 'claim_sources',
  filters: ownedByTenant,
  properties: {
    ...owned,
    name: p.text(),
    /** As the platform calls it: host in ASCII, no port. */
    url: p.text(),
    requestMethod: p.text().$type<'GET' | 'POST'>().default('GET'),
    requestParameters: p.json<RequestParameters>(),
    /** Without its secret; null: the platform proves nothing to the source. */
    auth: p.json<Authorization>().nullable(),
    /** Of the authorization, encrypted, and bound to the servers that get it. */
    secret: p.blob().nullable(),
    updatedAt: p.datetime().onCreate(() => new Date()),
  },
})
export class ClaimSource extends ClaimSourceSchema.class {}
ClaimSourceSchema.setClass(ClaimSource)

export const RIGHTS = {
  claim_sources: { app: EVERYTHING, system: 'select, delete' },
} satisfies Rights
