import { LRUCache } from 'lru-cache'
import { Refusal } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import { byClock } from '../caches.ts'
import type { Call, Metadata, Operations } from '../operations.ts'
import { chooseDefaultIssuer } from './default-issuer.ts'

/** Settings that are on or off. */
interface Switches {
  /** Whether an unknown JSON-LD context may be fetched and pinned; else it is refused. */
  fetchUnknownContexts: boolean
  /** Whether /vc-api is on for this tenant. */
  vcApi: boolean
  /** Whether a presentation fails where the request names no expected challenge. */
  requireChallenge: boolean
  /** The same for the domain. */
  requireDomain: boolean
  /** Whether new status lists of data model 2.0 are published as vc+jwt. */
  envelopedStatusLists: boolean
}

export interface TenantSettings extends Switches {
  /** The DID that signs for requests that name none; null: the only one that fits does. */
  defaultIssuer: string | null
  /** Days that entries of the log stay; null: without end. */
  logRetentionDays: number | null
  /** The ecosystem whose policy the tenant is under, and the participant that it verifies as; operators set both. */
  ecosystemId: string | null
  ecosystemParticipantId: string | null
}

/** What is left out does not change. */
export type SettingsChange = Partial<TenantSettings>

interface SettingsRow {
  fetch_unknown_contexts: boolean
  vc_api: boolean
  require_challenge: boolean
  require_domain: boolean
  enveloped_status_lists: boolean
  log_retention_days: number | null
  ecosystem_id: string | null
  ecosystem_participant_id: string | null
  default_issuer: string | null
}

const READ = `select fetch_unknown_contexts, vc_api, require_challenge, require_domain,
  enveloped_status_lists, log_retention_days, ecosystem_id, ecosystem_participant_id,
  (select did from dids where tenant_id = t.id and is_default_issuer and deleted_at is null) as default_issuer
from tenants t where id = `

const UPDATE = `update tenants set
  fetch_unknown_contexts = coalesce(?, fetch_unknown_contexts), vc_api = coalesce(?, vc_api),
  require_challenge = coalesce(?, require_challenge), require_domain = coalesce(?, require_domain),
  enveloped_status_lists = coalesce(?, enveloped_status_lists),
  log_retention_days = case when ? then ?::integer else log_retention_days end
  where id = ?`

const settingsIn = (row: SettingsRow): TenantSettings => ({
  fetchUnknownContexts: row.fetch_unknown_contexts,
  vcApi: row.vc_api,
  requireChallenge: row.require_challenge,
  requireDomain: row.require_domain,
  envelopedStatusLists: row.enveloped_status_lists,
  defaultIssuer: row.default_issuer,
  logRetentionDays: row.log_retention_days,
  ecosystemId: row.ecosystem_id,
  ecosystemParticipantId: row.ecosystem_participant_id,
})

const OF_OPERATORS = ['ecosystemId', 'ecosystemParticipantId'] as const

/** Settings that were read may be sent again. Throws `Refusal('settings.of_operators')` for another ecosystem. */
function assertOwn(change: SettingsChange, current: TenantSettings): void {
  const wrong = OF_OPERATORS.filter((name) => {
    const given = change[name]
    return given !== undefined && (given?.toLowerCase() ?? null) !== current[name]
  })
  if (wrong.length === 0) return
  throw new Refusal(
    'settings.of_operators',
    'Operators bind tenants to ecosystems; a tenant does not.',
    wrong.map((path) => ({ path, code: 'of_operators', message: `expected ${current[path]}, or no member` })),
  )
}

const REMEMBERED_MS = 5_000

/** Settings of a tenant. A setting that is on is cached for 5 seconds; one that is off is read each time. */
export function createTenantSettings({
  systemSql,
  now,
  operations,
}: Pick<Dependencies, 'systemSql' | 'now'> & { operations: Operations }) {
  const remembered = new LRUCache<string, TenantSettings>({ max: 5_000, ttl: REMEMBERED_MS, ...byClock(now) })

  async function settingsOf(tenantId: string): Promise<TenantSettings> {
    const { rows } = await systemSql.query<SettingsRow>({
      name: 'tenant-settings',
      text: `${READ}$1`,
      values: [tenantId],
    })
    if (!rows[0]) throw new Error(`there is no tenant ${tenantId}`)
    const settings = settingsIn(rows[0])
    remembered.set(tenantId, settings)
    return settings
  }

  return {
    settingsOf,

    /** Turning a setting on takes effect at once in every process, turning it off within 5 seconds. */
    async isOn(tenantId: string, what: keyof Switches): Promise<boolean> {
      return remembered.get(tenantId)?.[what] || (await settingsOf(tenantId))[what]
    },

    /** As it was at most 5 seconds ago, on or off: for what every signature asks. */
    async wasOn(tenantId: string, what: keyof Switches): Promise<boolean> {
      return (remembered.get(tenantId) ?? (await settingsOf(tenantId)))[what]
    },

    async updateSettings(call: Call, change: SettingsChange): Promise<TenantSettings> {
      const { tenantId } = call
      const { defaultIssuer, logRetentionDays, ecosystemId, ecosystemParticipantId, ...switches } = change
      const { fetchUnknownContexts = null, vcApi = null, requireChallenge = null, requireDomain = null } = switches
      const { envelopedStatusLists = null } = switches
      const retention = [logRetentionDays !== undefined, logRetentionDays ?? null]
      const metadata: Metadata = { ...switches, ...(logRetentionDays !== undefined && { logRetentionDays }) }
      const updated = await operations.change(call, 'updateTenantSettings', metadata, async (em) => {
        await em.execute(UPDATE, [
          ...[fetchUnknownContexts, vcApi, requireChallenge, requireDomain, envelopedStatusLists],
          ...retention,
          tenantId,
        ])
        if (defaultIssuer !== undefined)
          metadata.defaultIssuerId = await chooseDefaultIssuer(em, tenantId, defaultIssuer)
        const [row] = await em.execute<SettingsRow[]>(`${READ}?`, [tenantId])
        if (!row) throw new Error(`there is no tenant ${tenantId}`)
        const settings = settingsIn(row)
        assertOwn({ ecosystemId, ecosystemParticipantId }, settings)
        return settings
      })
      remembered.delete(tenantId)
      return updated
    },
  }
}

export type Settings = ReturnType<typeof createTenantSettings>
