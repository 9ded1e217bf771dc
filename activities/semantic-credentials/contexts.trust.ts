import { inTenant } from '../../entities/orm.ts'
import { JsonLdContext } from '../../entities/semantic-credentials.ts'
import { bundledContexts, type ContextLookup } from '../../protocol/contexts/index.ts'
import { absolute, contextsIn, type ForeignContext, namedContexts } from '../../protocol/contexts/named.ts'
import { foreseen, type Reason } from '../../protocol/semantic-credentials/reasons.ts'
import {
  contextReasons,
  contextWarnings,
  type TrustedContexts,
  trustOf,
  type Warning,
} from '../../protocol/semantic-credentials/warnings.ts'
import type { Dependencies } from '../dependencies.ts'
import { MAX_FOREIGN } from '../documents/contexts.ts'

interface Parts extends Pick<Dependencies, 'database'> {
  /** Looks up pinned contexts; fetches nothing. */
  pinnedFor(tenantId: string): ContextLookup
  /** Looks up pinned contexts; fetches and pins the others. Throws as the context store does. */
  lookupFor(tenantId: string): ContextLookup
}

interface Walk {
  trusts(context: ForeignContext): boolean
  /** Returns the content of a context; undefined where it is not available. `isKnown`: registered or trusted. */
  read(url: string, isKnown: boolean): Promise<object | undefined>
}

/** Finds the contexts of a document that are neither bundled nor registered by the tenant. */
export function createContextTrust({ database, pinnedFor, lookupFor }: Parts) {
  /** Reads the database each time, because a registration takes effect at once in every process (D-146). */
  async function registeredOf(tenantId: string, urls: string[]): Promise<Set<string>> {
    if (urls.length === 0) return new Set()
    const where = { url: { $in: urls }, source: 'registered' } as const
    const rows = await inTenant(database.tenants, tenantId, (em) => em.find(JsonLdContext, where, { fields: ['url'] }))
    return new Set(rows.map(({ url }) => url))
  }

  /** Includes the contexts that contexts name in turn, because they define terms as well. */
  async function unknownIn(tenantId: string, document: object, { trusts, read }: Walk): Promise<ForeignContext[]> {
    const ownContexts = contextsIn(document)
    if (ownContexts.every(({ url }) => url === undefined)) return ownContexts.filter((context) => !trusts(context))
    const unknown: ForeignContext[] = []
    const visitedUrls = new Set<string>()
    for (let level = ownContexts; level.length > 0 && visitedUrls.size <= MAX_FOREIGN; ) {
      const fresh = level.filter(({ url }) => url === undefined || (!visitedUrls.has(url) && visitedUrls.add(url)))
      const registeredUrls = await registeredOf(
        tenantId,
        fresh.flatMap(({ url }) => url ?? []),
      )
      const further = fresh.map(async (context): Promise<ForeignContext[]> => {
        const { path, url } = context
        const isKnown = (url !== undefined && registeredUrls.has(url)) || trusts(context)
        if (!isKnown) unknown.push(context)
        const content = url === undefined ? undefined : await read(url, isKnown)
        if (url === undefined || content === undefined) return []
        const references = namedContexts(content).map((reference) => absolute(reference, url))
        return references.filter((each) => !bundledContexts.has(each)).map((each) => ({ path, url: each }))
      })
      level = (await Promise.all(further)).flat()
    }
    return unknown
  }

  return {
    /** Returns warnings for a verified document, whose contexts are pinned if they were available. */
    async contextWarnings(tenantId: string, document: object): Promise<Warning[]> {
      const pinned = pinnedFor(tenantId)
      const walk = { trusts: () => false, read: async (url: string) => pinned(url) }
      return contextWarnings(await unknownIn(tenantId, document, walk))
    },

    /** Returns reasons before verification: a context that is not trusted is not fetched. */
    async contextReasons(tenantId: string, document: object, trusted: TrustedContexts[]): Promise<Reason[]> {
      const lookup = lookupFor(tenantId)
      const read = async (url: string, isKnown: boolean) => {
        try {
          return isKnown ? await lookup(url) : undefined
        } catch (error) {
          if (!foreseen(error)) throw error
          return undefined // verification meets the same error and reports it
        }
      }
      return contextReasons(await unknownIn(tenantId, document, { trusts: trustOf(trusted), read }))
    },
  }
}

export type ContextTrust = ReturnType<typeof createContextTrust>
