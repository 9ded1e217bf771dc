import { defineEntity, p } from '@mikro-orm/core'
import { EVERYTHING, owned, ownedByTenant, type Rights } from '../base.ts'

/** A holder as one provider identified them. */
const OpenIdUserSchema = defineEntity({
  name: 'OpenIdUser',
  tableName: 'openid_users',
  filters: ownedByTenant,
  properties: {
    ...owned,
    providerId: p.uuid(),
    /** Keyed digest of the subject. */
    subjectIndex: p.blob(),
    /** JSON, encrypted: the subject, and the claims that are kept. */
    content: p.blob(),
    updatedAt: p.datetime(),
  },
})
export class OpenIdUser extends OpenIdUserSchema.class {}
OpenIdUserSchema.setClass(OpenIdUser)

export const RIGHTS = {
  openid_users: { app: EVERYTHING, system: 'select, delete' },
  openid_user_claims: { app: 'select, insert, delete', system: 'select, delete' },
} satisfies Rights
