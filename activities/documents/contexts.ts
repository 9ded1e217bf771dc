import { bundledContexts, type ContextLookup, contextUnknown } from '../../protocol/contexts/index.ts'
import { absolute, namedContexts } from '../../protocol/contexts/named.ts'
import type { Json } from '../../protocol/data-integrity/index.ts'
import { Refusal } from '../../protocol/errors.ts'

/** Contexts of one document that are not bundled, with those that they name in turn: each may need a network call. */
export const MAX_FOREIGN = 32

const tooMany = () =>
  new Refusal('context.invalid', `The document names more than ${MAX_FOREIGN} contexts that are not bundled.`, [
    {
      path: '/@context',
      code: 'context.too_many',
      message: `expected at most ${MAX_FOREIGN} contexts that are not bundled`,
    },
  ])

/**
 * Looks the contexts of a document up, and those that they name in turn, also for single terms and types: all of them
 * are read with a document (JSON-LD 1.1 API, section 4.2.2). Runs before a thread is taken, because fetching may take
 * seconds. Throws what `lookup` throws, and `Refusal('context.unknown' | 'context.invalid')`.
 */
export async function gatherContexts(document: Json, lookup: ContextLookup): Promise<Map<string, object>> {
  const contexts = new Map<string, object>()
  const look = async (url: string): Promise<string[]> => {
    const context = await lookup(url)
    if (context === undefined) throw contextUnknown(url)
    contexts.set(url, context)
    return namedContexts(context).map((reference) => absolute(reference, url))
  }
  const requestedUrls = new Set<string>()
  for (let urls = namedContexts(document); urls.length > 0; ) {
    for (const url of urls) requestedUrls.add(url)
    if (requestedUrls.size > MAX_FOREIGN) throw tooMany()
    const nextUrls = (await Promise.all(urls.map(look))).flat()
    urls = [...new Set(nextUrls)].filter((url) => !bundledContexts.has(url) && !requestedUrls.has(url))
  }
  return contexts
}
