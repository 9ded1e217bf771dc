import { LRUCache } from 'lru-cache'
import { hostNameOf } from '../../../protocol/hosts/names.ts'
import type { Dependencies } from '../../dependencies.ts'
import { byClock } from '../caches.ts'

export interface KnownTenant {
  id: string
  subdomain: string
  isFirst: boolean
  /** Absolute base of this tenant's public addresses, without a trailing slash. */
  baseUrl: string
}

interface TenantRow {
  id: string
  subdomain: string
  is_first: boolean
}

const FOUND_BY_HOST = `select t.id, t.subdomain, t.is_first from tenants t
where t.deleted_at is null and (($1 and t.is_first) or t.subdomain = $2
  or t.id = (select d.tenant_id from domains d where d.domain = $3 and d.is_verified))
order by t.is_first limit 1`

export interface HostTenant extends KnownTenant {
  /** The origin of the requested address: the tenant's base URL, or its verified domain. */
  origin: string
}

/** Finds tenants by host name, because public addresses need no token. */
export function createTenants({ systemSql, config, now }: Pick<Dependencies, 'systemSql' | 'config' | 'now'>) {
  const { publicUrl } = config
  const byHost = new LRUCache<string, HostTenant | 'nobody'>({ max: 5_000, ttl: 10_000, ...byClock(now) })
  const byId = new LRUCache<string, KnownTenant>({ max: 5_000, ttl: 60_000, ...byClock(now) })

  /** It never changes. */
  let firstId: string | undefined

  const toTenant = (row: TenantRow): KnownTenant => ({
    id: row.id,
    subdomain: row.subdomain,
    isFirst: row.is_first,
    baseUrl: row.is_first ? publicUrl.origin : `${publicUrl.protocol}//${row.subdomain}.${publicUrl.host}`,
  })

  return {
    /**
     * `host` as in the Host header; its port does not count. The bare host is the first tenant. `fresh`: asks the
     * database, for a decision that outlives the request.
     */
    async byHost(host: string, { fresh = false } = {}): Promise<HostTenant | undefined> {
      const name = hostNameOf(host)
      const cached = fresh ? undefined : byHost.get(name)
      if (cached) return cached === 'nobody' ? undefined : cached
      const suffix = `.${publicUrl.hostname}`
      const subdomain = name.endsWith(suffix) ? name.slice(0, -suffix.length) : ''
      const { rows } = await systemSql.query<TenantRow>({
        name: 'tenant-by-host',
        text: FOUND_BY_HOST,
        values: [name === publicUrl.hostname, subdomain, name],
      })
      const ours = name === publicUrl.hostname || subdomain !== ''
      const owner = rows[0] && toTenant(rows[0])
      const tenant = owner && { ...owner, origin: ours ? owner.baseUrl : `https://${name}` }
      byHost.set(name, tenant ?? 'nobody')
      return tenant
    },

    /** This process asks for the tenant of a host anew; others within 10 s. */
    forgetHost(host: string): void {
      byHost.delete(hostNameOf(host))
    },

    /** The tenant that answers at the bare host: operators belong to it, and its log has what people do with accounts. */
    async first(): Promise<Pick<KnownTenant, 'id'>> {
      if (firstId === undefined) {
        const text = 'select id from tenants where is_first'
        const { rows } = await systemSql.query<{ id: string }>({ text, values: [] })
        firstId = rows[0]?.id
      }
      if (firstId === undefined) throw new Error('there is no first tenant')
      return { id: firstId }
    },

    async byId(id: string): Promise<KnownTenant> {
      const cached = byId.get(id)
      if (cached) return cached
      const { rows } = await systemSql.query<TenantRow>({
        name: 'tenant-by-id',
        text: 'select id, subdomain, is_first from tenants where id = $1',
        values: [id],
      })
      if (!rows[0]) throw new Error(`there is no tenant ${id}`)
      const tenant = toTenant(rows[0])
      byId.set(id, tenant)
      return tenant
    },
  }
}

export type Tenants = ReturnType<typeof createTenants>
