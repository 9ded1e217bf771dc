import { defineEntity, p } from '@mikro-orm/core'
import { EVERYTHING, owned, ownedByTenant, type Rights } from '../base.ts'

const EnvironmentSchema = defineEntity({
  name: 'Environment',
  tableName: 'environments',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    domain: p.text(),
    authorizationServerDomain: p.text(),
    deploymentModel: p.text(),
    region: p.json<{ id: string; name: string; displayName: string }>(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
})
export class Environment extends EnvironmentSchema.class {}
EnvironmentSchema.setClass(Environment)

const TenantSchema = defineEntity({
  name: 'Tenant',
  tableName: 'tenants',
  properties: {
    id: p.uuid().primary(),
    environmentId: p.uuid(),
    /** Whose members may act in the tenant; null: nobody's. */
    organizationId: p.uuid().nullable(),
    name: p.text(),
    subdomain: p.text(),
    /** The tenant that answers at the bare host. */
    isFirst: p.boolean().default(false),
    /** See activities/frame/tenants/settings.ts. */
    fetchUnknownContexts: p.boolean().default(true),
    vcApi: p.boolean().default(false),
    requireChallenge: p.boolean().default(false),
    requireDomain: p.boolean().default(false),
    /** The ecosystem whose policy it is under, and the participant that it verifies as; operators write both. */
    ecosystemId: p.uuid().nullable(),
    ecosystemParticipantId: p.uuid().nullable(),
    /** Days that entries of the log stay; null: without end. */
    logRetentionDays: p.integer().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
})
export class Tenant extends TenantSchema.class {}
TenantSchema.setClass(Tenant)

const OAuth2ClientSchema = defineEntity({
  name: 'OAuth2Client',
  tableName: 'oauth2_clients',
  filters: ownedByTenant,
  properties: {
    ...owned,
    name: p.text(),
    description: p.text(),
    /** SHA-256 of the secret, which we made from 256 random bits. */
    secretHash: p.blob(),
    scopes: p.array(),
  },
})
export class OAuth2Client extends OAuth2ClientSchema.class {}
OAuth2ClientSchema.setClass(OAuth2Client)

export const RIGHTS = {
  environments: { app: 'select', system: EVERYTHING },
  tenants: {
    app: 'select, update (fetch_unknown_contexts, vc_api, require_challenge, require_domain, log_retention_days)',
    system: EVERYTHING,
  },
  oauth2_clients: { app: EVERYTHING, system: EVERYTHING },
  migrations: { system: 'select' },
  platform_epoch: { app: 'select', system: 'select, update' },
  idempotency_keys: { app: EVERYTHING, system: EVERYTHING },
  rate_limits: { app: EVERYTHING },
} satisfies Rights
