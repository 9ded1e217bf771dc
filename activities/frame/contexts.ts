import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { contextErrors } from '../../protocol/contexts/index.ts'
import { Exhausted, Refusal } from '../../protocol/errors.ts'
import { parseForeignJson } from '../../protocol/json.depth.ts'
import { isObject } from '../../protocol/json.ts'
import { boundsErrors } from '../../protocol/semantic-credentials/bounds.ts'
import { singleFlight } from './caches.ts'
import type { Outbound } from './outbound/index.ts'

export type ContextSource = 'registered' | 'fetched'

/** A pinned JSON-LD context of one tenant: this text, under this URL, from now on. */
export interface PinnedContext {
  url: string
  /** SHA-256 of `document`'s UTF-8 bytes, in hex. */
  sha256: string
  /** The text as it was fetched. */
  document: string
  source: ContextSource
  createdAt: string
}

/** The table of pinned contexts. */
export interface ContextRows {
  find(tenantId: string, url: string): Promise<PinnedContext | undefined>
  /** Those of several URLs that the tenant has, in one transaction. */
  findAll(tenantId: string, urls: string[]): Promise<PinnedContext[]>
  /** Inserts unless the tenant has the URL already; returns the stored row. */
  insert(tenantId: string, context: PinnedContext): Promise<PinnedContext>
  /** Makes a context that was fetched for a document the tenant's own. */
  markRegistered(tenantId: string, url: string): Promise<void>
  /** How many contexts of this source the tenant has. */
  count(tenantId: string, source: ContextSource): Promise<number>
}

export interface LookupOptions {
  /** Whether an unknown URL may be fetched and pinned; a tenant may have turned that off. */
  allowFetch: () => Promise<boolean>
}

export interface ContextStore {
  /**
   * Returns the tenant's context for a URL: pinned, or fetched once by the outbound rules and then pinned. Throws
   * `Refusal('context.unknown')` (naming the URL) where it may not be fetched, `Refusal('context.unavailable')` where
   * fetching failed, `Refusal('context.invalid')` for what is not a context, `Refusal('context.too_many')` where the
   * tenant has the most contexts of this source.
   */
  lookup(tenantId: string, url: string, options: LookupOptions): Promise<PinnedContext>
  /** Returns the pinned context of a URL; fetches nothing. */
  pinned(tenantId: string, url: string): Promise<PinnedContext | undefined>
  /** Returns the texts of those of some URLs that are pinned; fetches nothing. */
  pinnedTexts(tenantId: string, urls: string[]): Promise<Map<string, string>>
  /**
   * Pins a context as registered by the tenant. One that is pinned already is fetched again and compared.
   */
  register(tenantId: string, url: string): Promise<PinnedContext>
  /** Fetches a pinned URL again; throws `Refusal('context.changed')` when its content differs. */
  check(tenantId: string, url: string): Promise<PinnedContext>
}

interface Parts {
  outbound: Outbound
  rows: ContextRows
  now: () => Date
}

const ACCEPT = 'application/ld+json, application/json;q=0.9'
const MAX_BYTES = 256 * 1024
const MAX_CACHED = 500
/** Per source: contexts in documents of others must leave room for those that the tenant registers. */
export const MAX_CONTEXTS = 1_000
const MAX_CACHED_BYTES = 32 * 1024 * 1024
/** Time for which a URL that could not be fetched is not tried again, for any tenant. */
const FAILURE_LIFETIME_MS = 10_000

const short = (url: string) => url.slice(0, 200)

export const contextHash = (document: string): string => createHash('sha256').update(document, 'utf8').digest('hex')

/**
 * Returns the text of a context document, which has one `@context` (JSON-LD 1.1, section 3.1): an object, or an array of
 * objects and URLs. Throws `Refusal('context.invalid')`.
 */
export function checkContext(url: string, bytes: Uint8Array): string {
  if (bytes.length > MAX_BYTES) throw new Refusal('context.invalid', `${short(url)} is larger than ${MAX_BYTES} bytes.`)
  const document = parseForeignJson(bytes, { code: 'context.invalid' })
  if (!isObject(document) || !Object.hasOwn(document, '@context'))
    throw new Refusal('context.invalid', `${short(url)} is not a JSON-LD context.`)
  // refuses names that reach prototypes, too many members, and what makes jsonld fail
  const [error] = [...boundsErrors(document), ...contextErrors(document)]
  if (error) throw new Refusal('context.invalid', `${short(url)} is malformed: ${error.path} ${error.message}.`)
  return Buffer.from(bytes).toString('utf8')
}

/** Contexts of tenants and of documents that they process. The content of a pinned URL never changes for us. */
export function createContextStore({ outbound, rows, now }: Parts): ContextStore {
  const cache = new LRUCache<string, PinnedContext>({
    max: MAX_CACHED,
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ document }) => document.length + 512,
  })
  const failures = new LRUCache<string, { error: Refusal; until: number }>({ max: MAX_CACHED })
  const flight = singleFlight<PinnedContext>()
  const cacheKey = (tenantId: string, url: string) => `${tenantId} ${url}`

  const download = async (tenantId: string, url: string): Promise<string> => {
    try {
      const { status, body } = await outbound.fetch({ url, accept: ACCEPT, maxBytes: MAX_BYTES, readFor: tenantId })
      if (status !== 200) throw new Refusal('context.unavailable', `its server answered with status ${status}`)
      return checkContext(url, body)
    } catch (error) {
      if (!(error instanceof Error) || error instanceof Exhausted) throw error
      const isOurs = error instanceof Refusal && error.code === 'context.invalid'
      const refusal = isOurs
        ? error
        : new Refusal('context.unavailable', `The context ${short(url)} cannot be fetched: ${error.message}`)
      failures.set(url, { error: refusal, until: now().getTime() + FAILURE_LIFETIME_MS })
      throw refusal
    }
  }

  const assertRoom = async (tenantId: string, url: string, source: ContextSource): Promise<void> => {
    if ((await rows.count(tenantId, source)) < MAX_CONTEXTS) return
    throw new Refusal(
      'context.too_many',
      `The context ${short(url)} cannot be pinned: the tenant has ${MAX_CONTEXTS} ${source} contexts, which is the limit.`,
    )
  }

  const pin = async (tenantId: string, url: string, source: ContextSource): Promise<PinnedContext> => {
    const failure = source === 'fetched' ? failures.get(url) : undefined
    if (failure && failure.until > now().getTime()) throw failure.error
    await assertRoom(tenantId, url, source)
    const document = await download(tenantId, url)
    const context = { url, sha256: contextHash(document), document, source, createdAt: now().toISOString() }
    return remember(tenantId, await rows.insert(tenantId, context))
  }

  /** Caches a context, after a check that its row was not altered. */
  const remember = (tenantId: string, context: PinnedContext): PinnedContext => {
    if (contextHash(context.document) !== context.sha256) {
      throw new Refusal('context.changed', `The stored context ${short(context.url)} was altered after it was pinned.`)
    }
    cache.set(cacheKey(tenantId, context.url), context)
    return context
  }

  const pinned = async (tenantId: string, url: string): Promise<PinnedContext | undefined> => {
    const cached = cache.get(cacheKey(tenantId, url))
    if (cached) return cached
    const row = await rows.find(tenantId, url)
    return row && remember(tenantId, row)
  }

  const pinnedTexts = async (tenantId: string, urls: string[]): Promise<Map<string, string>> => {
    const cached = urls.flatMap((url) => cache.get(cacheKey(tenantId, url)) ?? [])
    const missing = urls.filter((url) => !cached.some((context) => context.url === url))
    const rowsOf = missing.length > 0 ? await rows.findAll(tenantId, missing) : []
    const found = rowsOf.map((context) => remember(tenantId, context))
    return new Map([...cached, ...found].map(({ url, document }) => [url, document]))
  }

  /** One flight per tenant and URL: a batch of credentials fetches its context once. */
  const pinOnce = (tenantId: string, url: string, source: ContextSource): Promise<PinnedContext> =>
    flight(cacheKey(tenantId, url), () => pin(tenantId, url, source))

  const check = async (tenantId: string, url: string): Promise<PinnedContext> => {
    const context = await pinned(tenantId, url)
    if (!context) throw new Refusal('context.unknown', `The context ${short(url)} is not known.`)
    if (contextHash(await download(tenantId, url)) === context.sha256) return context
    throw new Refusal(
      'context.changed',
      `The content of ${short(url)} differs from what was pinned on ${context.createdAt}.`,
    )
  }

  const register = async (tenantId: string, url: string): Promise<PinnedContext> => {
    const isPinned = (await pinned(tenantId, url)) !== undefined
    const context = await (isPinned ? check(tenantId, url) : pinOnce(tenantId, url, 'registered'))
    // a document may have brought it before, or at the same moment
    if (context.source === 'registered') return context
    await assertRoom(tenantId, url, 'registered')
    await rows.markRegistered(tenantId, url)
    return remember(tenantId, { ...context, source: 'registered' })
  }

  return {
    pinned,
    pinnedTexts,
    async lookup(tenantId, url, { allowFetch }) {
      const context = await pinned(tenantId, url)
      if (context) return context
      if (!(await allowFetch()))
        throw new Refusal(
          'context.unknown',
          `The context ${short(url)} is not known, and the tenant does not fetch unknown contexts: register it, or turn fetchUnknownContexts on in the settings.`,
        )
      return pinOnce(tenantId, url, 'fetched')
    },
    register,
    check,
  }
}
