import { LRUCache } from 'lru-cache'
import { type AgreementKey, isAgreementKey } from '../../protocol/dids/agreement.ts'
import {
  absoluteId,
  type DidDocument,
  dereference,
  type PublicKey,
  parseDidUrl,
  publicKeyOf,
} from '../../protocol/dids/index.ts'
import { x25519Of } from '../../protocol/dids/key.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { Dependencies } from '../dependencies.ts'
import { byClock } from '../frame/caches.ts'
import type { KeyRef, KeyType } from '../keys/index.ts'
import { createMissingKeys } from './lost-keys.ts'
import { type DidStanding, HOST_EXPECTED, type HostFaultKind, type Hosting } from './standing.ts'

/** Why a DID of the tenant cannot agree, and what the caller is expected to send instead. */
export type AgreerFault = { expected: string } & (
  | { kind: 'unknown' | 'deleted' }
  | { kind: 'not_ready'; registrationStatus: string }
  | HostFaultKind
  /** The DID document lists no such key under keyAgreement. */
  | { kind: 'no_key' }
  /** The private key never leaves the key store, which cannot agree with it (D-380). */
  | { kind: 'custody' }
)

export type RefuseAgreer = (fault: AgreerFault) => Refusal

/** A key of a DID of the tenant that its document lists under keyAgreement; the private half stays in the key store. */
export interface Agreer {
  /** Of its row. */
  didId: string
  did: string
  /** The DID URL of the key. */
  kid: string
  keyType: AgreementKey['keyType']
  key: AgreementKey
  /** Returns the shared secret, for the caller to wipe. Throws `Refusal('key.agreement_refused')` for an unfit key. */
  agree(peer: AgreementKey): Promise<Uint8Array>
}

interface Row {
  did_id: string
  did: string
  registration_status: string
  hosting: Hosting
  document: DidDocument
  key_id: string | null
  key_type: KeyType
  public_key: Buffer
}

/** The tenant is a condition of both tables, because the system role sees every row. */
const FIND = `select d.id as did_id, d.did, d.registration_status, d.hosting, d.document, k.id as key_id, k.key_type, k.public_key
from dids d left join keys k on k.tenant_id = d.tenant_id and k.did_id = d.id and k.public_key is not null
where d.tenant_id = $1 and d.did = any($2) and d.deleted_at is null`

interface FoundKey {
  kid: string
  key: AgreementKey
  ref: KeyRef
}

interface FoundDid {
  didId: string
  did: string
  hosting: Hosting
  registrationStatus: string
  keys: FoundKey[]
}

/** As long as signers remember; a key that was destroyed meanwhile is refused by the key store. */
const REMEMBERED_MS = 5_000

/** Best first: the curve that every wallet has. */
const PREFERRED: readonly AgreementKey['keyType'][] = ['x25519', 'p256']

const hex = ({ keyType, publicKey }: PublicKey) => `${keyType} ${Buffer.from(publicKey).toString('hex')}`

/** The forms in which a key agrees: an Ed25519 key only in its Montgomery form, as did:key says. P-384 keys only sign. */
function formOf(keyType: KeyType, publicKey: Buffer): PublicKey | undefined {
  const key: PublicKey = { keyType, publicKey: new Uint8Array(publicKey) }
  if (keyType === 'bls12381g2' || keyType === 'p384') return undefined
  return keyType === 'ed25519' ? x25519Of(key) : key
}

/** The keys under keyAgreement of a document whose private half is one of ours. */
function agreementKeys(tenantId: string, { did, document }: Row, rows: Row[]): FoundKey[] {
  const ours = new Map<string, KeyRef>()
  for (const { key_id: keyId, key_type: keyType, public_key: publicKey } of rows) {
    const form = keyId === null ? undefined : formOf(keyType, publicKey)
    if (form && keyId !== null) ours.set(hex(form), { tenantId, keyId, keyType })
  }
  return (document.keyAgreement ?? []).flatMap((entry) => {
    const kid = absoluteId(did, typeof entry === 'string' ? entry : entry.id)
    const { method, authorized } = dereference(document, kid, 'keyAgreement')
    const key = publicKeyOf(method)
    const ref = ours.get(hex(key))
    return authorized && ref && isAgreementKey(key) ? [{ kid, key, ref }] : []
  })
}

const OWN = 'expected a DID of /v1/dids with an X25519 key: a did:web, or a did:key with keyType x25519'

interface Parts extends Pick<Dependencies, 'systemSql' | 'keys' | 'now'> {
  didStanding: Pick<DidStanding, 'lostHost'>
}

/** Key agreement by the tenant's own DIDs. */
export function createAgreers({ systemSql, keys, now, didStanding }: Parts) {
  const missing = createMissingKeys({ systemSql })
  const cache = new LRUCache<string, FoundDid>({ max: 10_000, ttl: REMEMBERED_MS, ...byClock(now) })
  const nameOf = (tenantId: string, did: string) => `${tenantId} ${did}`

  /** One query for all DIDs that are not remembered. */
  async function find(tenantId: string, dids: string[]): Promise<Map<string, FoundDid>> {
    const found = new Map<string, FoundDid>()
    for (const did of dids) {
      const cached = cache.get(nameOf(tenantId, did))
      if (cached) found.set(did, cached)
    }
    const unknown = dids.filter((did) => !found.has(did))
    if (unknown.length === 0) return found
    const { rows } = await systemSql.query<Row>({ name: 'find-agreers', text: FIND, values: [tenantId, unknown] })
    for (const [did, own] of Map.groupBy(rows, (row) => row.did)) {
      const [first] = own
      if (!first) continue
      const isReady = first.registration_status === 'COMPLETED'
      const agreeing = isReady ? agreementKeys(tenantId, first, own) : []
      const { did_id: didId, hosting, registration_status: registrationStatus } = first
      const entry = { didId, did, hosting, registrationStatus, keys: agreeing }
      cache.set(nameOf(tenantId, did), entry)
      found.set(did, entry)
    }
    return found
  }

  const agreerOf = ({ didId, did }: FoundDid, { kid, key, ref }: FoundKey): Agreer => ({
    didId,
    did,
    kid,
    key,
    keyType: key.keyType,
    agree: (peer) => keys.agree(ref, peer.publicKey),
  })

  const canAgree = ({ ref }: FoundKey): boolean => keys.agrees.includes(ref.keyType)

  const didOf = (didUrl: string): string | undefined => {
    try {
      return parseDidUrl(didUrl).did
    } catch (error) {
      if (error instanceof Refusal) return undefined // no DID URL, so none of ours
      throw error
    }
  }

  return {
    /**
     * Returns the keys of the tenant's DIDs that agree for one of the DID URLs of keys. What is not ours, not ready, or
     * cannot agree in this key store is left out. A DID whose host is lost still opens what was encrypted to its keys.
     */
    async agreersOf(tenantId: string, kids: string[]): Promise<Agreer[]> {
      const dids = [...new Set(kids.flatMap((kid) => didOf(kid) ?? []))]
      const found = await find(tenantId, dids)
      const wanted = new Set(kids)
      return [...found.values()].flatMap((entry) =>
        entry.keys.filter((each) => wanted.has(each.kid) && canAgree(each)).map((each) => agreerOf(entry, each)),
      )
    },

    /**
     * Returns the keys that agree for a DID of the tenant, best first, or the one of a DID URL with a fragment. Throws
     * what `refuse` makes of the fault; the agreement throws what it makes of `deleted`, and `KeyLost` where the DID
     * stands and the store lacks its key.
     */
    async agreersFor(tenantId: string, didUrl: string, refuse: RefuseAgreer): Promise<[Agreer, ...Agreer[]]> {
      const did = didOf(didUrl)
      const entry = did === undefined ? undefined : (await find(tenantId, [did])).get(did)
      if (!entry) throw refuse({ kind: 'unknown', expected: OWN })
      const { hosting, registrationStatus } = entry
      if (registrationStatus !== 'COMPLETED')
        throw refuse({
          kind: 'not_ready',
          registrationStatus,
          expected: 'expected a DID with registrationStatus COMPLETED',
        })
      const host = await didStanding.lostHost(tenantId, { did: entry.did, hosting })
      if (host !== undefined) throw refuse({ kind: 'host_lost', host, expected: HOST_EXPECTED })
      const named = entry.keys.filter(({ kid }) => didUrl === entry.did || kid === didUrl)
      if (named.length === 0) throw refuse({ kind: 'no_key', expected: OWN })
      const guarded = (each: FoundKey): Agreer => {
        const agreer = agreerOf(entry, each)
        const deletedMeanwhile = missing(each.ref, () => refuse({ kind: 'deleted', expected: OWN }))
        return { ...agreer, agree: (peer) => agreer.agree(peer).catch(deletedMeanwhile) }
      }
      const able = named.filter(canAgree).map(guarded)
      const [best, ...others] = able.toSorted((a, b) => PREFERRED.indexOf(a.keyType) - PREFERRED.indexOf(b.keyType))
      if (!best) throw refuse({ kind: 'custody', expected: OWN })
      return [best, ...others]
    },

    forget: (tenantId: string, did: string) => cache.delete(nameOf(tenantId, did)),
  }
}

export type Agreers = ReturnType<typeof createAgreers>
