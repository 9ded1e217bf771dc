import { LRUCache } from 'lru-cache'
import { type DidDocument, parseDidUrl, validateDidDocument } from '../../protocol/dids/index.ts'
import { resolveDidKey } from '../../protocol/dids/key.ts'
import { parseWebDid } from '../../protocol/dids/web.ts'
import { Crowded, isOutboundFault, Refusal, type Unavailable } from '../../protocol/errors.ts'
import { parseForeignJson } from '../../protocol/json.depth.ts'
import { freeze } from '../../protocol/json.ts'
import { singleFlight } from '../frame/caches.ts'
import { OutboundFault } from '../frame/outbound/faults.ts'
import type { Outbound } from '../frame/outbound/index.ts'

export interface ResolvedDid {
  did: string
  document: DidDocument
  /** Source of the document: derived from the key, hosted by us, or fetched. */
  source: 'key' | 'local' | 'web'
  /** ISO time of the fetch; for key and local documents the time of the call. */
  retrievedAt: string
}

export interface ResolveOptions {
  /** Resolves over the network, without the local hook and the cache; the document then refreshes the cache. */
  bypassCache?: boolean
  /** The tenant whose caller names the DID: what is fetched counts for its budget at the host. */
  readFor?: string
}

export interface DidResolver {
  /**
   * Resolves a DID; a fragment is allowed and ignored. Throws `Refusal('did.invalid')`,
   * `Refusal('did.method_unsupported')` for methods other than key and web, `Refusal('did.unresolvable')` with the
   * reason, `Exhausted('outbound')` where the tenant of `readFor` reads too much of the host, `Crowded('outbound')` where
   * too many calls wait for it.
   */
  resolve(did: string, options?: ResolveOptions): Promise<ResolvedDid>
  /** The document of a DID that a caller of the tenant named. Throws as `resolve` does. */
  documentFor(tenantId: string, did: string): Promise<DidDocument>
  /** Forgets a document, e.g. of a DID of ours that was deleted or changed. */
  forget(did: string): void
}

interface Parts {
  outbound: Outbound
  now: () => Date
  /** Returns documents that this platform hosts, without a network call. */
  local?: (did: string) => Promise<DidDocument | undefined>
}

const MAX_DOCUMENTS = 1000
const MAX_DOCUMENT_BYTES = 256 * 1024
const MAX_CACHE_BYTES = 32 * 1024 * 1024
const LIFETIME_MS = 5 * 60_000
/** Long enough to stop a loop, short enough to notice a repaired host. */
const FAILURE_LIFETIME_MS = 10_000
const ACCEPT = 'application/did+json, application/did+ld+json;q=0.9, application/json;q=0.8'

type Outcome = { resolved: ResolvedDid } | { failure: Refusal }
type Cached = Outcome & { until: number; bytes: number }

/** `cause`: what the look met, whose code says more; none where the server answered without a document. */
const unresolvable = (did: string, reason: string, cause?: Refusal | Unavailable) =>
  new Refusal('did.unresolvable', `${did.slice(0, 200)} does not resolve: ${reason}`, [], cause && { cause })

export function createDidResolver({ outbound, now, local }: Parts): DidResolver {
  const keys = new LRUCache<string, DidDocument>({ max: MAX_DOCUMENTS })
  const web = new LRUCache<string, Cached>({
    max: MAX_DOCUMENTS,
    maxSize: MAX_CACHE_BYTES,
    sizeCalculation: ({ bytes }) => bytes + 512,
  })
  /** One flight per DID and tenant: a thousand verifications of one issuer fetch its document once. */
  const flight = singleFlight<Outcome>()

  const resolveKey = (did: string): ResolvedDid => {
    const document = keys.get(did) ?? freeze(resolveDidKey(did))
    keys.set(did, document)
    return { did, document, source: 'key', retrievedAt: now().toISOString() }
  }

  const fetchDocument = async (did: string, readFor?: string): Promise<{ resolved: ResolvedDid; bytes: number }> => {
    const { url } = parseWebDid(did)
    const how = { accept: ACCEPT, maxBytes: MAX_DOCUMENT_BYTES, ...(readFor !== undefined && { readFor }) }
    const { status, body } = await outbound.fetch({ url, ...how })
    if (status !== 200) throw unresolvable(did, `${url} answered ${status}.`)
    const document = freeze(validateDidDocument(did, parseForeignJson(body, { code: 'did.invalid_document' })))
    return { resolved: { did, document, source: 'web', retrievedAt: now().toISOString() }, bytes: body.length }
  }

  const isFresh = (cached: Cached | undefined): cached is Cached =>
    cached !== undefined && cached.until > now().getTime()

  const remember = (did: string, outcome: Outcome, bytes: number, lifetimeMs: number): Outcome => {
    const known = web.peek(did)
    // a look of one tenant that failed takes no good document away from the others
    if ('failure' in outcome && isFresh(known) && 'resolved' in known) return outcome
    web.set(did, { ...outcome, bytes, until: now().getTime() + lifetimeMs })
    return outcome
  }

  const fetchAndRemember = async (did: string, readFor?: string): Promise<Outcome> => {
    try {
      const { resolved, bytes } = await fetchDocument(did, readFor)
      return remember(did, { resolved }, bytes, LIFETIME_MS)
    } catch (error) {
      // our own line was too long: that says nothing of the document, and is not remembered
      if (error instanceof OutboundFault && error.kind === 'busy')
        throw new Crowded('outbound', error.message, error.retryAfterSeconds, { cause: error })
      if (!(error instanceof Refusal || isOutboundFault(error))) throw error
      const failure =
        error instanceof Refusal && error.code === 'did.unresolvable' ? error : unresolvable(did, error.message, error)
      return remember(did, { failure }, 0, FAILURE_LIFETIME_MS)
    }
  }

  const resolveWeb = async (did: string, { bypassCache = false, readFor }: ResolveOptions): Promise<ResolvedDid> => {
    parseWebDid(did)
    if (!bypassCache) {
      const document = await local?.(did)
      if (document) return { did, document, source: 'local', retrievedAt: now().toISOString() }
    }
    const cached = bypassCache ? undefined : web.get(did)
    const outcome = isFresh(cached) ? cached : await flight(`${readFor} ${did}`, () => fetchAndRemember(did, readFor))
    if ('failure' in outcome) throw outcome.failure
    return outcome.resolved
  }

  const resolve = async (didUrl: string, options: ResolveOptions = {}): Promise<ResolvedDid> => {
    const { did, method } = parseDidUrl(didUrl)
    if (method === 'key') return resolveKey(did)
    if (method === 'web') return resolveWeb(did, options)
    throw new Refusal('did.method_unsupported', `did:${method} is not supported; did:key and did:web are.`)
  }

  return {
    resolve,
    documentFor: async (tenantId, did) => (await resolve(did, { readFor: tenantId })).document,
    forget: (did) => {
      web.delete(did)
    },
  }
}
