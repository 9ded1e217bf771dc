import { inTenant } from '../../entities/orm.ts'
import { JsonLdContext } from '../../entities/semantic-credentials.ts'
import type { ContextLookup } from '../../protocol/contexts/index.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Owner } from '../documents/index.ts'
import { type ContextRows, createContextStore, type PinnedContext } from '../frame/contexts.ts'
import type { Call, Operations } from '../frame/operations.ts'
import type { Settings } from '../frame/tenants/settings.ts'
import { createContextTrust } from './contexts.trust.ts'
import { resourceCheck } from './resources.ts'

/** Pinned contexts in the table `jsonld_contexts`. */
const contextRows = ({ database, uuid }: Pick<Dependencies, 'database' | 'uuid'>): ContextRows => {
  const findAll = (tenantId: string, urls: string[]) =>
    inTenant(database.tenants, tenantId, async (em) => {
      const found = await em.find(JsonLdContext, { url: { $in: urls } })
      return found.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }))
    })
  const find = async (tenantId: string, url: string) => (await findAll(tenantId, [url]))[0]
  return {
    find,
    findAll,
    async insert(tenantId, context) {
      await inTenant(database.tenants, tenantId, (em) =>
        em.execute(
          `insert into jsonld_contexts (id, tenant_id, url, sha256, document, source) values (?, ?, ?, ?, ?, ?)
           on conflict (tenant_id, url) do nothing`,
          [uuid(), tenantId, context.url, context.sha256, context.document, context.source],
        ),
      )
      return (await find(tenantId, context.url)) ?? context
    },
    async markRegistered(tenantId, url) {
      await inTenant(database.tenants, tenantId, (em) =>
        em.nativeUpdate(JsonLdContext, { url }, { source: 'registered' }),
      )
    },
    count: (tenantId, source) => inTenant(database.tenants, tenantId, (em) => em.count(JsonLdContext, { source })),
  }
}

/** JSON-LD contexts beyond the bundled ones, tenant by tenant. */
export function createTenantContexts(
  dependencies: Pick<Dependencies, 'database' | 'uuid' | 'outbound' | 'now'> & {
    operations: Operations
    settings: Settings
  },
) {
  const store = createContextStore({ ...dependencies, rows: contextRows(dependencies) })
  const { database, operations, settings } = dependencies
  const parsed = (context: PinnedContext | undefined) => context && (JSON.parse(context.document) as object)

  /** Looks up contexts for one tenant's documents: pinned, or fetched once and pinned. */
  const lookupFor = (tenantId: string): ContextLookup => {
    const allowFetch = () => settings.isOn(tenantId, 'fetchUnknownContexts')
    return async (url) => parsed(await store.lookup(tenantId, url, { allowFetch }))
  }

  return {
    /** For one tenant's documents: pinned, or fetched once and pinned. */
    lookupFor: (tenantId: string): Owner => ({ tenantId, lookup: lookupFor(tenantId) }),

    ...createContextTrust({ database, lookupFor, pinnedTexts: store.pinnedTexts }),

    checkResources: resourceCheck(store.pinnedTexts),

    async list(tenantId: string, { limit, offset }: { limit: number; offset: number }) {
      return inTenant(database.tenants, tenantId, async (em) => {
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        const [contexts, total] = await em.findAndCount(JsonLdContext, {}, { orderBy, limit, offset })
        return { contexts, total }
      })
    },

    /** Pins a context for the tenant; a second registration checks that the content is still the pinned one. */
    async register(call: Call, url: string) {
      const { sha256, source, createdAt } = await store.register(call.tenantId, url)
      return operations.change(call, 'registerJsonLdContext', { sha256 }, async () => ({
        url,
        sha256,
        source,
        createdAt,
      }))
    },
  }
}

export type TenantContexts = ReturnType<typeof createTenantContexts>
