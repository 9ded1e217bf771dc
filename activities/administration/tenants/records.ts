import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Environment, Tenant } from '../../../entities/administration/tenants.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import { type EnvironmentRecord, toEnvironment } from '../environments.ts'

export interface TenantRecord {
  id: string
  name: string
  environment: EnvironmentRecord
  /** Whose people may work in it. */
  organizationId: string | null
  /** The host of its public addresses. */
  subdomain: string
  /** Absolute base of its public addresses, without a trailing slash. */
  baseUrl: string
  isFirst: boolean
  status: Tenant['status']
  /** Why it is not ready yet, or failed. */
  reason: { code: string; message: string } | null
  lookedAt: string | null
  nextLookAt: string | null
  createdAt: string
}

export const tenantNotFound = () => new Refusal('tenant.not_found', 'There is no such tenant.')

/** The tenant whose log has what operators do. */
export async function firstTenantId(em: SqlEntityManager): Promise<string> {
  const [first] = await em.execute<{ id: string }[]>('select id from tenants where is_first')
  if (!first) throw new Error('there is no first tenant')
  return first.id
}

const iso = (date: Date | null | undefined) => date?.toISOString() ?? null

export function toTenantRecord(
  { publicUrl }: Pick<Dependencies['config'], 'publicUrl'>,
  tenant: Tenant,
  environment: Environment,
): TenantRecord {
  const below = tenant.isFirst ? '' : `${tenant.subdomain}.`
  return {
    id: tenant.id,
    name: tenant.name,
    environment: toEnvironment(environment),
    organizationId: tenant.organizationId ?? null,
    subdomain: `${below}${publicUrl.hostname}`,
    baseUrl: `${publicUrl.protocol}//${below}${publicUrl.host}`,
    isFirst: tenant.isFirst,
    status: tenant.status,
    reason: tenant.statusCode ? { code: tenant.statusCode, message: tenant.statusReason ?? '' } : null,
    lookedAt: iso(tenant.lookedAt),
    nextLookAt: iso(tenant.nextLookAt),
    createdAt: tenant.createdAt.toISOString(),
  }
}
