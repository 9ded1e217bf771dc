import { LRUCache } from 'lru-cache'
import { byClock } from './caches.ts'
import type { Dependencies } from './index.ts'
import type { Call, Operations } from './operations.ts'

export interface TenantSettings {
  /** Whether an unknown JSON-LD context may be fetched and pinned; else it is refused by name. */
  fetchUnknownContexts: boolean
  /** Whether /vc-api answers for this tenant. */
  vcApi: boolean
}

interface SettingsRow {
  fetch_unknown_contexts: boolean
  vc_api: boolean
}

const REMEMBERED_MS = 5_000

/** What a tenant decides about itself. What it allowed is remembered for 5 seconds; what it forbids is looked up each time. */
export function createTenantSettings({
  systemSql,
  now,
  operations,
}: Pick<Dependencies, 'systemSql' | 'now'> & { operations: Operations }) {
  const remembered = new LRUCache<string, TenantSettings>({ max: 5_000, ttl: REMEMBERED_MS, ...byClock(now) })

  async function settingsOf(tenantId: string): Promise<TenantSettings> {
    const { rows } = await systemSql.query<SettingsRow>({
      name: 'tenant-settings',
      text: 'select fetch_unknown_contexts, vc_api from tenants where id = $1',
      values: [tenantId],
    })
    if (!rows[0]) throw new Error(`tenant ${tenantId} is gone`)
    const settings = { fetchUnknownContexts: rows[0].fetch_unknown_contexts, vcApi: rows[0].vc_api }
    remembered.set(tenantId, settings)
    return settings
  }

  return {
    settingsOf,

    /** A permission counts at once in every process, its end within 5 seconds. */
    async allows(tenantId: string, what: keyof TenantSettings): Promise<boolean> {
      return remembered.get(tenantId)?.[what] || (await settingsOf(tenantId))[what]
    },

    async updateSettings(call: Call, settings: TenantSettings): Promise<TenantSettings> {
      const operation = { name: 'TENANT_SETTINGS_UPDATE', category: 'tenant', metadata: { ...settings } }
      const updated = await operations.change(call, operation, async (em) => {
        await em.execute('update tenants set fetch_unknown_contexts = ?, vc_api = ? where id = ?', [
          settings.fetchUnknownContexts,
          settings.vcApi,
          call.tenantId,
        ])
        return settings
      })
      remembered.delete(call.tenantId)
      return updated
    },
  }
}

export type Settings = ReturnType<typeof createTenantSettings>
