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
import type { ContextStore } from '../frame/contexts.ts'

interface Parts extends Pick<Dependencies, 'database'>, Pick<ContextStore, 'pinnedTexts'> {
  /** Looks up pinned contexts; fetches and pins the others. Throws as the context store does. */
  lookupFor(tenantId: string): ContextLookup
}

interface Walk {
  trusts(context: ForeignContext): boolean
  /** Returns the content of those of some contexts that are available. `known`: those registered or trusted. */
  read(urls: string[], known: ReadonlySet<string>): Promise<ReadonlyMap<string, object>>
}

/** What a walk through the contexts of a document found. */
interface Found {
  /** Neither bundled nor registered nor trusted. */
  unknown: ForeignContext[]
  /** How many were not looked at, because the document names more than `MAX_FOREIGN`. */
  beyond: number
}

/** Finds the contexts of a document that are neither bundled nor registered by the tenant. */
export function createContextTrust({ database, pinnedTexts, lookupFor }: Parts) {
  /** Reads the database each time, because a registration takes effect at once in every process (D-146). */
  async function registeredOf(tenantId: string, urls: string[]): Promise<Set<string>> {
    if (urls.length === 0) return new Set()
    const where = { url: { $in: urls }, source: 'registered' } as const
    const rows = await inTenant(database.tenants, tenantId, (em) => em.find(JsonLdContext, where, { fields: ['url'] }))
    return new Set(rows.map(({ url }) => url))
  }

  /** Includes the contexts that contexts name in turn, because they define terms as well. */
  async function unknownIn(tenantId: string, document: object, { trusts, read }: Walk): Promise<Found> {
    const unknown: ForeignContext[] = []
    const visitedUrls = new Set<string>()
    const beyondUrls = new Set<string>()
    const isFresh = ({ url }: ForeignContext): boolean => {
      if (url === undefined) return true
      if (visitedUrls.has(url)) return false
      if (visitedUrls.size < MAX_FOREIGN) visitedUrls.add(url)
      else beyondUrls.add(url)
      return visitedUrls.has(url)
    }
    for (let level = contextsIn(document).filter(isFresh); level.length > 0; ) {
      const urls = level.flatMap(({ url }) => url ?? [])
      const known = await registeredOf(tenantId, urls)
      for (const context of level) {
        const isRegistered = context.url !== undefined && known.has(context.url)
        if (!isRegistered && !trusts(context)) unknown.push(context)
        else if (context.url !== undefined) known.add(context.url)
      }
      const contents = urls.length > 0 ? await read(urls, known) : new Map<string, object>()
      level = level.flatMap(({ path, url }) => {
        const content = url === undefined ? undefined : contents.get(url)
        if (url === undefined || content === undefined) return []
        const references = namedContexts(content).map((reference) => absolute(reference, url))
        return references
          .filter((each) => !bundledContexts.has(each))
          .map((each) => ({ path, url: each }))
          .filter(isFresh)
      })
    }
    return { unknown, beyond: beyondUrls.size }
  }

  return {
    /** Returns warnings for a verified document, whose contexts are pinned if they were available. */
    async contextWarnings(tenantId: string, document: object): Promise<Warning[]> {
      const read = async (urls: string[]) => {
        const texts = await pinnedTexts(tenantId, urls)
        return new Map([...texts].map(([url, text]): [string, object] => [url, JSON.parse(text)]))
      }
      const { unknown, beyond } = await unknownIn(tenantId, document, { trusts: () => false, read })
      return contextWarnings(unknown, beyond)
    },

    /** Returns reasons before verification: a context that is not trusted is not fetched. */
    async contextReasons(tenantId: string, document: object, trusted: TrustedContexts[]): Promise<Reason[]> {
      const lookup = lookupFor(tenantId)
      const contentOf = async (url: string): Promise<[string, object][]> => {
        try {
          const content = await lookup(url)
          return content === undefined ? [] : [[url, content]]
        } catch (error) {
          if (!foreseen(error)) throw error
          return [] // verification meets the same error and reports it
        }
      }
      const read = async (urls: string[], known: ReadonlySet<string>) =>
        new Map((await Promise.all(urls.filter((url) => known.has(url)).map(contentOf))).flat())
      const { unknown, beyond } = await unknownIn(tenantId, document, { trusts: trustOf(trusted), read })
      return contextReasons(unknown, beyond)
    },
  }
}

export type ContextTrust = ReturnType<typeof createContextTrust>
