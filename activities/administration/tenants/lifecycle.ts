import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { Environment, Tenant } from '../../../entities/administration/tenants.ts'
import { asSystem } from '../../../entities/orm.ts'
import type { WantedOfTenant } from '../../../protocol/administration/tenants/provisioning.ts'
import { checkSubdomain } from '../../../protocol/administration/tenants/subdomains.ts'
import { Refusal, withPaths } from '../../../protocol/errors.ts'
import { isLabel, LABEL_EXPECTED } from '../../../protocol/names.ts'
import { SCOPES } from '../../../protocol/tokens-logs/index.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Operations } from '../../frame/operations.ts'
import { newSecret } from '../../frame/secrets.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import { checkIacaSubject } from '../../mobile-credentials/iacas.ts'
import { addClientRow } from '../clients/records.ts'
import { environmentNotFound } from '../environments.ts'
import { type TenantRecord, tenantNotFound, toTenantRecord } from './records.ts'

/** Days in which nobody gets the subdomain of a deleted tenant: what it issued names its addresses (D-606). */
export const SUBDOMAIN_KEPT_DAYS = 365

const KEPT = `select 1 from deleted_tenants
where subdomain = ? and requested_at > now() - make_interval(days => ${SUBDOMAIN_KEPT_DAYS}) limit 1`

export interface NewTenant {
  environmentId: string
  /** Default: the subdomain. */
  name?: string | null
  subdomain: string
  /** The organization whose people may work in it. */
  organizationId?: string | null
  wanted: WantedOfTenant
}

/** The secret is shown once. */
export interface CreatedTenant extends TenantRecord {
  client: { clientId: string; clientSecret: string }
}

export function checkTenantName(name: string): string {
  if (isLabel(name)) return name
  throw new Refusal('tenant.invalid_name', 'The name of the tenant cannot be used; see errors.', [
    { path: 'name', code: 'text', message: LABEL_EXPECTED },
  ])
}

/** Throws `Refusal('request.invalid')` for what an IACA cannot have: it would come too late from the workflow. */
function checkWanted({ iaca }: WantedOfTenant, host: string): void {
  try {
    if (iaca) checkIacaSubject(iaca, host)
  } catch (error) {
    throw withPaths(error, (path) => `iaca.${path}`)
  }
}

/** Locked, so that it is there until the commit. Throws `organization.not_found`. */
export async function findOrganization(em: SqlEntityManager, id: string | null | undefined): Promise<string | null> {
  if (!id) return null
  const found = await em.execute<object[]>('select 1 from organizations where id = ? for key share', [id])
  if (found.length > 0) return id
  throw new Refusal('organization.not_found', 'There is no such organization.')
}

const taken = () =>
  new Refusal('tenant.subdomain_taken', 'A tenant has this subdomain, or had it lately.', [
    {
      path: 'subdomain',
      code: 'unique',
      message: 'expected a subdomain that no tenant has, and none had within a year',
    },
  ])

/** Throws `tenant.subdomain_taken` also for one that a tenant had lately. */
export async function assertSubdomainFree(em: SqlEntityManager, subdomain: string): Promise<void> {
  const here = await em.execute<object[]>('select 1 from tenants where subdomain = ?', [subdomain])
  if (here.length > 0 || (await em.execute<object[]>(KEPT, [subdomain])).length > 0) throw taken()
}

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'now' | 'uuid' | 'outbox'> {
  operations: Operations
  tenants: Pick<Tenants, 'first'>
}

/** Tenants, for operators: create, list, read, rename (specification, Environment, tenant). */
export function createTenantLifecycle({ config, database, now, uuid, outbox, operations, tenants }: Parts) {
  const record = async (em: SqlEntityManager, row: Tenant): Promise<TenantRecord> =>
    toTenantRecord(config, row, await em.findOneOrFail(Environment, { id: row.environmentId }))

  return {
    /**
     * Row and first client are one transaction, so that whoever gets the answer can use the tenant. Throws
     * `tenant.invalid_name`, `tenant.invalid_subdomain`, `tenant.subdomain_taken`, `environment.not_found`, `organization.not_found`.
     */
    async createTenant(call: Call, { environmentId, wanted, ...given }: NewTenant): Promise<CreatedTenant> {
      const subdomain = checkSubdomain(given.subdomain)
      const name = checkTenantName(given.name ?? subdomain)
      checkWanted(wanted, `${subdomain}.${config.publicUrl.hostname}`)
      const [id, clientId] = [uuid(), uuid()]
      return operations
        .changePlatform(call, 'createTenant', { id, firstClientId: clientId }, async (em) => {
          const environment = await em.findOne(Environment, { id: environmentId })
          if (!environment) throw environmentNotFound()
          const organizationId = await findOrganization(em, given.organizationId)
          await assertSubdomainFree(em, subdomain)
          const [createdAt, clientSecret] = [now(), newSecret()]
          const isWhole = Object.keys(wanted).length === 0
          const row = em.create(Tenant, {
            ...{ id, environmentId, organizationId, name, subdomain, createdAt, updatedAt: createdAt },
            status: isWhole ? 'ready' : 'provisioning',
            wanted: { ...wanted, requestId: call.requestId },
          })
          await em.flush()
          if (!isWhole)
            await outbox.start(em, 'provisionTenant', { tenantId: (await tenants.first()).id, subjectTenantId: id })
          addClientRow(em, {
            ...{ id: clientId, tenantId: id, name: 'First client', secret: clientSecret, scopes: SCOPES, createdAt },
            description: 'Made with the tenant; may do everything in it',
          })
          await em.flush()
          return { ...toTenantRecord(config, row, environment), client: { clientId, clientSecret } }
        })
        .catch((error: unknown) => {
          // of requests at the same time the unique index lets one pass
          throw error instanceof UniqueConstraintViolationException ? taken() : error
        })
    },

    /** Newest first. */
    listTenants: ({ limit, offset }: { limit: number; offset: number }) =>
      asSystem(database.system, async (em) => {
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        const [rows, total] = await em.findAndCount(Tenant, { deletedAt: null }, { orderBy, limit, offset })
        const ids = [...new Set(rows.map(({ environmentId }) => environmentId))]
        const environments = new Map((await em.find(Environment, { id: { $in: ids } })).map((each) => [each.id, each]))
        const tenants = rows.map((row) => {
          const environment = environments.get(row.environmentId)
          if (!environment) throw new Error(`tenant ${row.id} has no environment`)
          return toTenantRecord(config, row, environment)
        })
        return { tenants, total }
      }),

    readTenant: (id: string): Promise<TenantRecord> =>
      asSystem(database.system, async (em) => {
        const row = await em.findOne(Tenant, { id, deletedAt: null })
        if (!row) throw tenantNotFound()
        return record(em, row)
      }),

    /** What is absent stays. Throws `tenant.invalid_name`, `tenant.not_found`, `organization.not_found`. */
    async updateTenant(
      call: Call,
      id: string,
      given: { name?: string; organizationId?: string | null },
    ): Promise<TenantRecord> {
      const name = given.name === undefined ? undefined : checkTenantName(given.name)
      return operations.changePlatform(call, 'updateTenant', { id }, async (em) => {
        const row = await em.findOne(Tenant, { id, deletedAt: null }, { lockMode: LockMode.PESSIMISTIC_WRITE })
        if (!row) throw tenantNotFound()
        const organizationId =
          given.organizationId === undefined ? row.organizationId : await findOrganization(em, given.organizationId)
        Object.assign(row, { name: name ?? row.name, organizationId, updatedAt: now() })
        await em.flush()
        return record(em, row)
      })
    },
  }
}

export type TenantLifecycle = ReturnType<typeof createTenantLifecycle>
