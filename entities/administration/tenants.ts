import { defineEntity, p } from '@mikro-orm/core'
import type { DeletionStep } from '../../protocol/administration/tenants/deletion.ts'
import type { WantedOfTenant } from '../../protocol/administration/tenants/provisioning.ts'
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
    updatedAt: p.datetime().onCreate(() => new Date()),
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
    envelopedStatusLists: p.boolean().default(false),
    /** The ecosystem whose policy it is under, and the participant that it verifies as; operators write both. */
    ecosystemId: p.uuid().nullable(),
    ecosystemParticipantId: p.uuid().nullable(),
    /** Days that entries of the log stay; null: without end. */
    logRetentionDays: p.integer().nullable(),
    /** Whether what was asked for with the tenant is made. */
    status: p.text().$type<'provisioning' | 'ready' | 'failed'>().default('ready'),
    wanted: p.json<WantedOfTenant>().onCreate(() => ({})),
    /** Why it is not ready yet, or failed. */
    statusCode: p.text().nullable(),
    statusReason: p.text().nullable(),
    lookedAt: p.datetime().nullable(),
    nextLookAt: p.datetime().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
    updatedAt: p.datetime().onCreate(() => new Date()),
    /** Since when it is being deleted: nobody finds it any more. */
    deletedAt: p.datetime().nullable(),
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
    /** Of the secret before, which is right as well until it ends. */
    formerSecretHash: p.blob().nullable(),
    formerSecretEndsAt: p.datetime().nullable(),
    scopes: p.array(),
    updatedAt: p.datetime().onCreate(() => new Date()),
    /** The row stays until the client's last token has ended. */
    deletedAt: p.datetime().nullable(),
  },
})
export class OAuth2Client extends OAuth2ClientSchema.class {}
OAuth2ClientSchema.setClass(OAuth2Client)

/** Belongs to no tenant: it is what stays of one. */
const DeletedTenantSchema = defineEntity({
  name: 'DeletedTenant',
  tableName: 'deleted_tenants',
  properties: {
    id: p.uuid().primary(),
    subdomain: p.text(),
    name: p.text(),
    /** Who asked for it, and in which request. */
    clientId: p.text(),
    requestId: p.uuid(),
    requestedAt: p.datetime(),
    /** When the last key and the last row were gone. */
    erasedAt: p.datetime().nullable(),
    step: p.text().$type<DeletionStep>().default('refused'),
    keysDestroyed: p.integer().default(0),
    rowsDeleted: p.bigint('number').default(0),
    workflowsEnded: p.integer().default(0),
    /** Why the step is not done yet. */
    reason: p.text().nullable(),
    lookedAt: p.datetime().nullable(),
    nextLookAt: p.datetime().nullable(),
  },
})
export class DeletedTenant extends DeletedTenantSchema.class {}
DeletedTenantSchema.setClass(DeletedTenant)

export const RIGHTS = {
  environments: { app: 'select', system: EVERYTHING },
  tenants: {
    app: 'select, update (fetch_unknown_contexts, vc_api, require_challenge, require_domain, enveloped_status_lists, log_retention_days)',
    system: EVERYTHING,
  },
  oauth2_clients: { app: EVERYTHING, system: EVERYTHING },
  deleted_tenants: { system: 'select, insert, update' },
  migrations: { system: 'select' },
  platform_epoch: { app: 'select', system: 'select, update' },
  idempotency_keys: { app: EVERYTHING, system: EVERYTHING },
  rate_limits: { app: EVERYTHING },
} satisfies Rights
