import type { Did } from '../../entities/dids.ts'
import { type DidDocument, publicKeyOf } from '../../protocol/dids/index.ts'
import { parseWebDid } from '../../protocol/dids/web.ts'
import { Refusal } from '../../protocol/errors.ts'
import { hostNameOf } from '../../protocol/hosts/names.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Tenants } from '../frame/tenants/index.ts'
import type { DidResolver } from './resolver.ts'

export type Hosting = Did['hosting']

export interface HostFaultKind {
  kind: 'host_lost'
  /** Name of the host that is not the tenant's any more. */
  host: string
}

export const HOST_EXPECTED = 'expected a DID on a host of this tenant: verify the domain, or name another DID'

const sentence = (host: string) =>
  `The platform does not serve the document of this DID any more: ${host} is no verified domain of this tenant. ` +
  'Verify the domain again (createDomain, verifyDomain), or use another DID.'

/** What a record says of a did:web whose host is lost. */
export const hostLostWarning = (host: string) => ({ code: 'did.host_lost', reason: sentence(host) })

/** Refusal of a did:web whose host is lost; `field` is the field of the request that names the DID. */
export const hostLost = (host: string, field: string) =>
  new Refusal('did.host_lost', sentence(host), [{ path: field, code: 'host_lost', message: HOST_EXPECTED }])

const KEYS_ABSENT =
  'The platform does not have the keys of this DID: they stayed where the tenant was exported. It resolves, and signs nothing.'

/** What a record says of a DID that came without its keys (docs/transfers.md). */
export const keysAbsentWarning = { code: 'did.keys_absent', reason: KEYS_ABSENT }

export const KEYS_EXPECTED = 'expected a DID whose keys were made here'

/** Refusal of a DID that came without its keys; `field` is the field of the request that names it. */
export const keysAbsent = (field: string) =>
  new Refusal('did.keys_absent', KEYS_ABSENT, [{ path: field, code: 'keys_absent', message: KEYS_EXPECTED }])

const OWN = `select document, hosting from dids where tenant_id = $1 and did = $2 and deleted_at is null`

/** The keys of a document, in one form of writing. */
function keysIn({ verificationMethod = [] }: DidDocument): string[] {
  return verificationMethod.flatMap((method) => {
    try {
      const { keyType, publicKey } = publicKeyOf(method)
      return [`${keyType} ${Buffer.from(publicKey).toString('hex')}`]
    } catch (error) {
      if (error instanceof Refusal) return [] // a key of another kind than ours
      throw error
    }
  })
}

/** undefined: the DID is longer than DIDs may be, from before that was refused. Nothing resolves it. */
function hostOf(did: string): string | undefined {
  try {
    return parseWebDid(did).host
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

interface Parts extends Pick<Dependencies, 'systemSql'> {
  tenants: Pick<Tenants, 'byHost'>
  didResolver: Pick<DidResolver, 'resolve'>
}

/** Decides whether a did:web with keys of the tenant is still the tenant's: its domain may have another owner by now (D-492). */
export function createDidStanding({ systemSql, tenants, didResolver }: Parts) {
  /**
   * Returns the name of the host of a did:web that the platform served for the tenant and does not serve any more;
   * undefined while the DID stands, and for DIDs that the platform does not host. What is known of a host is 10 s old at
   * most, as where documents are served.
   */
  async function lostHost(tenantId: string, { did, hosting }: { did: string; hosting: Hosting }) {
    if (hosting !== 'platform') return undefined
    const host = hostOf(did)
    if (host === undefined) return undefined
    return (await tenants.byHost(host))?.id === tenantId ? undefined : hostNameOf(host)
  }

  return {
    lostHost,

    /**
     * Whether the world reads keys of the tenant at one of its DIDs; undefined where the document of a did:web that the
     * caller hosts does not resolve at the moment. What was fetched is 5 minutes old at most.
     */
    async isPublished(tenantId: string, did: string): Promise<boolean | undefined> {
      const query = { name: 'own-did', text: OWN, values: [tenantId, did] }
      const { rows } = await systemSql.query<{ document: DidDocument; hosting: Hosting }>(query)
      const [row] = rows
      if (!row) return false
      if (row.hosting !== 'caller') return (await lostHost(tenantId, { did, hosting: row.hosting })) === undefined
      try {
        const { document } = await didResolver.resolve(did, { readFor: tenantId })
        const published = new Set(keysIn(document))
        return keysIn(row.document).some((key) => published.has(key))
      } catch (error) {
        if (error instanceof Refusal && error.code === 'did.unresolvable') return undefined
        throw error
      }
    },
  }
}

export type DidStanding = ReturnType<typeof createDidStanding>
