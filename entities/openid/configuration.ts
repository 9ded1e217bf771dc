import { defineEntity, p } from '@mikro-orm/core'
import { EVERYTHING, owned, ownedByTenant, type Rights } from '../base.ts'

/** The tenant's interaction hook. */
const OpenIdConfigurationSchema = defineEntity({
  name: 'OpenIdConfiguration',
  tableName: 'openid_configurations',
  filters: ownedByTenant,
  properties: {
    ...owned,
    url: p.text(),
    claims: p.array(),
    disabled: p.boolean(),
    sessionTimeoutSeconds: p.bigint(),
    /** 32 bytes, encrypted. */
    secret: p.blob(),
    updatedAt: p.datetime(),
  },
})
export class OpenIdConfiguration extends OpenIdConfigurationSchema.class {}
OpenIdConfigurationSchema.setClass(OpenIdConfiguration)

export const RIGHTS = {
  openid_configurations: { app: EVERYTHING, system: 'select, delete' },
} satisfies Rights
