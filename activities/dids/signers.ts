import { LRUCache } from 'lru-cache'
import type { Signer } from '../../protocol/data-integrity/index.ts'
import type { MethodType } from '../../protocol/dids/methods.ts'
import { webMethodId, webMethodIds } from '../../protocol/dids/web.document.ts'
import { type Refusal, withArticle } from '../../protocol/errors.ts'
import type { Dependencies } from '../dependencies.ts'
import { byClock } from '../frame/caches.ts'
import type { KeyRef, KeyType } from '../keys/index.ts'
import { createMissingKeys } from './lost-keys.ts'
import { type DidStanding, HOST_EXPECTED, type HostFaultKind, type Hosting, KEYS_EXPECTED } from './standing.ts'

/** Key that a signature needs. */
export interface NeededKey {
  /** Types that fit, best first. */
  keyTypes: readonly string[]
  /** Type of the verification method, where a did:web document shows one key as several. */
  methodType?: MethodType
  /** What needs it, for people. */
  neededBy: string
}

/** Why a DID cannot sign, and what the caller is expected to send instead. */
export type SignerFault = { expected: string } & (
  | { kind: 'unknown' | 'deleted' }
  | { kind: 'not_ready'; registrationStatus: string }
  | HostFaultKind
  /** The DID came with its tenant from another platform, and its keys did not. */
  | { kind: 'keys_absent' }
  | { kind: 'key_unfit'; keyTypes: readonly string[]; neededBy: string }
  /** No DID was named: several fit and none is the default issuer, or the default issuer does not fit. */
  | { kind: 'not_chosen'; why: string }
)

/** Makes a refusal of a fault, with the caller's code, message and field that names the DID. */
export type RefuseSigner = (fault: SignerFault) => Refusal

/** Signer of a DID of the tenant. */
export interface DidSigner {
  didId: string
  did: string
  keyTypes: readonly KeyType[]
  /** Returns the signer with the first key that fits; the private half stays in the key store. Throws `key_unfit`. */
  withKey(needed: NeededKey): Signer
  /** Returns the signer with the key that the DID document has under a DID URL; undefined where it has none. */
  withMethod(didUrl: string): Signer | undefined
  /** DID URLs of the keys of these types in the DID document. */
  methodsOf(keyTypes: readonly string[]): string[]
}

interface DidKey {
  keyId: string
  keyType: KeyType
  publicKey: Uint8Array
  didUrl: string
}

interface DidKeys {
  didId: string
  hosting: Hosting
  keys: DidKey[]
}

interface Row {
  did_id: string
  hosting: Hosting
  registration_status: string
  /** Null where the DID has no key here. */
  key_id: string | null
  key_type: KeyType
  public_key: Buffer
  did_url: string
}

/** The tenant is a condition of both tables, because the system role sees every row. */
const FIND = `select d.id as did_id, d.hosting, d.registration_status, k.id as key_id, k.key_type, k.public_key, k.did_url
from dids d left join keys k on k.tenant_id = d.tenant_id and k.did_id = d.id
  and k.public_key is not null and k.did_url is not null
where d.tenant_id = $1 and d.did = $2 and d.deleted_at is null`

/** The tenant's DIDs that can sign with a key of one of the types. */
const FITTING = `select d.did from dids d
where d.tenant_id = $1 and d.deleted_at is null and d.registration_status = 'COMPLETED' and exists (
  select from keys k where k.tenant_id = d.tenant_id and k.did_id = d.id and k.key_type = any($2)
    and k.public_key is not null and k.did_url is not null)`

const DEFAULT = `select did from dids where tenant_id = $1 and is_default_issuer and deleted_at is null`

/** One row where the choice is clear: the default issuer, or else the only DID that fits. */
const CHOICE = `${FITTING} and d.is_default_issuer
union all (${FITTING} and not exists (${DEFAULT}) limit 2)`

/** DIDs that a refusal lists. */
const MAX_LISTED = 20

const LISTED = `${FITTING} order by d.created_at desc, d.id limit ${MAX_LISTED + 1}`

/** Long enough to spare a round trip per signature; a deletion in between is caught when the credential is recorded. */
const REMEMBERED_MS = 5_000

const OWN = 'expected a DID of /v1/dids'

const CHOOSE_ONE = 'Name a DID, or choose the default issuer with PUT /v1/settings.'

const oneOf = (dids: string[]) =>
  `expected one of ${dids.slice(0, MAX_LISTED).join(', ')}${dids.length > MAX_LISTED ? ', or another one of GET /v1/dids' : ''}`

interface Parts extends Pick<Dependencies, 'systemSql' | 'keys' | 'now'> {
  didStanding: Pick<DidStanding, 'lostHost'>
}

/** Signers of the tenant's own DIDs. */
export function createSigners({ systemSql, keys, now, didStanding }: Parts) {
  const missing = createMissingKeys({ systemSql })
  const cache = new LRUCache<string, DidKeys>({ max: 10_000, ttl: REMEMBERED_MS, ...byClock(now) })

  async function find(tenantId: string, did: string, refuse: RefuseSigner): Promise<DidKeys> {
    const name = `${tenantId} ${did}`
    const cached = cache.get(name)
    if (cached) return cached
    const { rows } = await systemSql.query<Row>({ name: 'find-signer', text: FIND, values: [tenantId, did] })
    const first = rows[0]
    if (!first) throw refuse({ kind: 'unknown', expected: OWN })
    if (first.registration_status !== 'COMPLETED') {
      const expected = 'expected a DID with registrationStatus COMPLETED'
      throw refuse({ kind: 'not_ready', registrationStatus: first.registration_status, expected })
    }
    if (!first.key_id) throw refuse({ kind: 'keys_absent', expected: KEYS_EXPECTED })
    const didKeys: DidKeys = {
      didId: first.did_id,
      hosting: first.hosting,
      keys: rows.flatMap(({ key_id, key_type, public_key, did_url }) =>
        key_id === null
          ? []
          : [{ keyId: key_id, keyType: key_type, publicKey: new Uint8Array(public_key), didUrl: did_url }],
      ),
    }
    cache.set(name, didKeys)
    return didKeys
  }

  return {
    /**
     * Returns the signer of a DID of the tenant. Throws what `refuse` makes of `unknown`, `not_ready` and `host_lost`; a
     * signature throws what it makes of `deleted`, and `KeyLost` where the DID stands and the store lacks its key.
     */
    async signerOf(tenantId: string, did: string, refuse: RefuseSigner): Promise<DidSigner> {
      const { didId, hosting, keys: didKeys } = await find(tenantId, did, refuse)
      // at each use, because what is remembered of a host is forgotten sooner than the keys
      const host = await didStanding.lostHost(tenantId, { did, hosting })
      if (host !== undefined) throw refuse({ kind: 'host_lost', host, expected: HOST_EXPECTED })
      const signerWith = ({ keyId, keyType, publicKey }: DidKey, verificationMethod: string): Signer => {
        const ref: KeyRef = { tenantId, keyId, keyType }
        const deletedMeanwhile = missing(ref, () => refuse({ kind: 'deleted', expected: OWN }))
        return {
          verificationMethod,
          keyType,
          publicKey,
          sign: (data) => keys.sign(ref, data).catch(deletedMeanwhile),
          bbsSign: (input) => keys.bbsSign(ref, input).catch(deletedMeanwhile),
        }
      }
      const methodIds = (key: DidKey): string[] => (did.startsWith('did:web:') ? webMethodIds(did, key) : [key.didUrl])
      return {
        didId,
        did,
        keyTypes: didKeys.map(({ keyType }) => keyType),

        withKey({ keyTypes, methodType, neededBy }) {
          const [key] = keyTypes.flatMap((wanted) => didKeys.find(({ keyType }) => keyType === wanted) ?? [])
          const expected = `expected a DID with ${withArticle(keyTypes.join(' or '))} key`
          if (!key) throw refuse({ kind: 'key_unfit', keyTypes, neededBy, expected })
          const isOtherMethod = methodType !== undefined && did.startsWith('did:web:')
          return signerWith(key, isOtherMethod ? webMethodId(did, key, methodType) : key.didUrl)
        },

        withMethod(didUrl) {
          const key = didKeys.find((each) => methodIds(each).includes(didUrl))
          return key && signerWith(key, didUrl)
        },

        methodsOf: (wanted) => didKeys.filter(({ keyType }) => wanted.includes(keyType)).flatMap(methodIds),
      }
    },

    /**
     * Returns the DID that signs for a request that names none (D-246): the tenant's default issuer, or without one the
     * only DID with a key of one of the types; undefined where no DID has one. Throws what `refuse` makes of
     * `not_chosen`.
     */
    async chosen(tenantId: string, keyTypes: readonly string[], refuse: RefuseSigner): Promise<string | undefined> {
      const values = [tenantId, keyTypes]
      const { rows } = await systemSql.query<{ did: string }>({ name: 'choose-signer', text: CHOICE, values })
      const [first, second] = rows
      if (first && !second) return first.did
      const listed = await systemSql.query<{ did: string }>({ name: 'list-signers', text: LISTED, values })
      if (listed.rows.length === 0) return undefined
      const why = second
        ? `several DIDs of the tenant fit and none is its default issuer. ${CHOOSE_ONE}`
        : `the default issuer has no ${keyTypes.join(' or ')} key, or its registration is not COMPLETED. ${CHOOSE_ONE}`
      throw refuse({ kind: 'not_chosen', why, expected: oneOf(listed.rows.map(({ did }) => did)) })
    },

    forget: (tenantId: string, did: string) => cache.delete(`${tenantId} ${did}`),
  }
}

export type Signers = ReturnType<typeof createSigners>
