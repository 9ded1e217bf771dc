import { defineEntity, p } from '@mikro-orm/core'
import { ownedByTenant, type Rights } from './base.ts'

const RevocationSchema = defineEntity({
  name: 'Revocation',
  tableName: 'credential_revocations',
  filters: ownedByTenant,
  properties: {
    id: p.uuid().primary(),
    tenantId: p.uuid(),
    scope: p.text().$type<'template' | 'batch' | 'issuer'>(),
    /** Id of the template or batch; the issuer's DID. */
    subject: p.text(),
    state: p.text().$type<'REVOKING' | 'REVOKED'>().default('REVOKING'),
    /** Checked credentials, with and without a status. */
    checked: p.integer().default(0),
    revoked: p.integer().default(0),
    requestId: p.uuid(),
    clientId: p.text(),
    createdAt: p.datetime().defaultRaw('clock_timestamp()'),
    endedAt: p.datetime().nullable(),
  },
})
export class Revocation extends RevocationSchema.class {}
RevocationSchema.setClass(Revocation)

export const RIGHTS = {
  credential_revocations: { app: 'select, insert, update', system: 'select' },
} satisfies Rights
