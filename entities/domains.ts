import { defineEntity, p } from '@mikro-orm/core'
import { EVERYTHING, owned, ownedByTenant, type Rights } from './base.ts'

const DomainSchema = defineEntity({
  name: 'Domain',
  tableName: 'domains',
  filters: ownedByTenant,
  properties: {
    ...owned,
    name: p.text(),
    /** In ASCII and lower case. */
    domain: p.text(),
    verificationToken: p.text(),
    isVerified: p.boolean().default(false),
    verifiedAt: p.datetime().nullable(),
    /** Number of the verification: each has a workflow of its own. */
    attempt: p.integer().default(1),
    waitingSince: p.datetime().onCreate(() => new Date()),
    /** When the record of a verified domain was first missed. */
    missingSince: p.datetime().nullable(),
    /** The platform looks no more. */
    givenUpAt: p.datetime().nullable(),
    /** Why the last look did not find the record: a stable code, and a sentence for people. */
    lookCode: p.text().nullable(),
    lookReason: p.text().nullable(),
    lookedAt: p.datetime().nullable(),
    nextLookAt: p.datetime().nullable(),
  },
})
export class Domain extends DomainSchema.class {}
DomainSchema.setClass(Domain)

export const RIGHTS = {
  domains: { app: EVERYTHING, system: EVERYTHING },
} satisfies Rights
