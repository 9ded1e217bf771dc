import { defineEntity, p } from '@mikro-orm/core'
import { EVERYTHING, owned, ownedByTenant, type Rights } from './base.ts'

const DomainSchema = defineEntity({
  name: 'Domain',
  tableName: 'domains',
  filters: ownedByTenant,
  properties: {
    ...owned,
    name: p.text(),
    domain: p.text(),
    verificationToken: p.text(),
    isVerified: p.boolean().default(false),
    verifiedAt: p.datetime().nullable(),
  },
})
export class Domain extends DomainSchema.class {}
DomainSchema.setClass(Domain)

export const RIGHTS = {
  domains: { app: EVERYTHING, system: EVERYTHING },
} satisfies Rights
