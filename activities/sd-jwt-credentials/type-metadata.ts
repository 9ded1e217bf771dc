import { LRUCache } from 'lru-cache'
import { Refusal } from '../../protocol/errors.ts'
import type { Fault } from '../../protocol/sd-jwt-credentials/faults.ts'
import { matchesIntegrity } from '../../protocol/sd-jwt-credentials/integrity.ts'
import type { ProcessedSdJwt } from '../../protocol/sd-jwt-credentials/processed.ts'
import { resolveType } from '../../protocol/sd-jwt-credentials/type-metadata/chain.ts'
import { MAX_TYPE_BYTES } from '../../protocol/sd-jwt-credentials/type-metadata/document.ts'
import { typeFaults } from '../../protocol/sd-jwt-credentials/type-metadata/rules.ts'
import { UUID } from '../../protocol/uuid.ts'
import type { Dependencies } from '../dependencies.ts'
import { byClock } from '../frame/caches.ts'
import type { SdJwtPublished } from './published.ts'

const MAX_CACHE_BYTES = 16 * 1024 * 1024
const LIFETIME_MS = 5 * 60_000
const OWN = new RegExp(`^/v1/credentials/sd-jwt-vc/types/(${UUID})/([1-9]\\d{0,9})$`)

interface Parts extends Pick<Dependencies, 'outbound' | 'now' | 'config'> {
  sdJwtPublished: Pick<SdJwtPublished, 'typeMetadata'>
}

/** Type Metadata of credentials, own and of others. */
export function createTypeMetadata({ outbound, now, config, sdJwtPublished }: Parts) {
  const { publicUrl } = config
  const documents = new LRUCache<string, Buffer>({
    max: 1_000,
    maxSize: MAX_CACHE_BYTES,
    sizeCalculation: ({ length }) => length + 512,
    ttl: LIFETIME_MS,
    ...byClock(now),
  })

  /** Documents of the platform's own tenants are read without a network call. */
  async function own(url: string): Promise<Buffer | undefined> {
    const { host, protocol, pathname } = new URL(url)
    const isOurs = host === publicUrl.host || host.endsWith(`.${publicUrl.host}`)
    const [, id, version] = isOurs && protocol === publicUrl.protocol ? (OWN.exec(pathname) ?? []) : []
    return id === undefined ? undefined : Buffer.from(await sdJwtPublished.typeMetadata(host, id, Number(version)))
  }

  /** The bytes of the metadata of a type; a digest that does not fit those in the cache has them fetched anew. */
  async function read(tenantId: string, url: string, integrity: string | undefined): Promise<Buffer> {
    const ours = await own(url)
    if (ours) return ours
    const name = `${tenantId} ${url}`
    const known = documents.get(name)
    if (known && (integrity === undefined || matchesIntegrity(known, integrity))) return known
    // by a budget of their own: whoever makes himself an issuer chooses the host, where the keys of honest ones are (D-877)
    const how = { accept: 'application/json', maxBytes: MAX_TYPE_BYTES, readFor: `${tenantId} types` }
    const { status, body } = await outbound.fetch({ url, ...how })
    if (status !== 200) throw new Refusal('type_metadata.unavailable', `The server answered with status ${status}.`)
    documents.set(name, body)
    return body
  }

  /** Undefined for a type that is no address, whose metadata nobody can find by its name. */
  async function load(tenantId: string, vct: string, integrity: string | undefined): Promise<Uint8Array | undefined> {
    return URL.canParse(vct) && /^https?:/.test(vct) ? read(tenantId, vct, integrity) : undefined
  }

  return {
    /**
     * Breaches of the rules of a type, and of those that it extends; and those that it extends by their digests. Undefined
     * with `mayLackAddress`: one of them is a name and no address, so that nobody can find its metadata by it. Throws
     * `Faulty`, `Refusal`, `Unavailable('outbound')`.
     */
    async check(
      tenantId: string,
      processed: ProcessedSdJwt,
      vct: string,
      integrity: string | undefined,
      { mayLackAddress = false }: { mayLackAddress?: boolean } = {},
    ): Promise<{ faults: Fault[]; assured: string[] } | undefined> {
      let lacksAddress = false
      const loadEach = async (of: string, digest: string | undefined) => {
        const bytes = await load(tenantId, of, digest)
        lacksAddress ||= bytes === undefined
        return bytes
      }
      try {
        const type = await resolveType(vct, integrity, loadEach)
        if (type) return { faults: typeFaults(type, processed), assured: type.assured }
      } catch (error) {
        if (!(mayLackAddress && lacksAddress)) throw error
      }
      if (mayLackAddress) return undefined
      throw new Refusal('type_metadata.unavailable', 'The vct is no address, so that its metadata is not known.')
    },
  }
}

export type TypeMetadataReader = ReturnType<typeof createTypeMetadata>
