import { LRUCache } from 'lru-cache'
import { keyTypeOf, type ProofType, type Signer } from '../../protocol/data-integrity/index.ts'
import { webMethodId } from '../../protocol/dids/web.document.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { Dependencies } from '../dependencies.ts'
import { byClock } from '../frame/caches.ts'
import type { KeyRef, KeyType } from '../keys/index.ts'

export interface Issuer {
  didId: string
  did: string
  keys: { keyId: string; keyType: KeyType; publicKey: Uint8Array; didUrl: string }[]
}

interface IssuerRow {
  did_id: string
  registration_status: string
  key_id: string
  key_type: KeyType
  public_key: Buffer
  did_url: string
}

/** The tenant is given twice: the system role sees every row, so the condition is the fence here. */
const FIND = `select d.id as did_id, d.registration_status, k.id as key_id, k.key_type, k.public_key, k.did_url
from dids d left join keys k on k.tenant_id = d.tenant_id and k.did_id = d.id
  and k.public_key is not null and k.did_url is not null
where d.tenant_id = $1 and d.did = $2 and d.deleted_at is null`

/** The tenant's newest DID with a key of one of the types, able to sign. */
const NEWEST = `select d.did from dids d
where d.tenant_id = $1 and d.deleted_at is null and d.registration_status = 'COMPLETED' and exists (
  select from keys k where k.tenant_id = d.tenant_id and k.did_id = d.id and k.key_type = any($2)
    and k.public_key is not null and k.did_url is not null)
order by d.created_at desc, d.id limit 1`

/** Long enough to spare a round trip per signature; a deletion in between is caught when the credential is recorded. */
const REMEMBERED_MS = 5_000

const refuse = (code: string, message: string, expected: string) =>
  new Refusal(code, message, [{ path: 'payload.issuer.id', code: 'issuer', message: expected }])

/** A remembered issuer may have lost its keys to a deletion; to the caller it is as unknown as any deleted one. */
function deletedMeanwhile(error: unknown): never {
  if (!(error instanceof Refusal && error.code === 'key.not_found')) throw error
  throw refuse('credential.issuer_unknown', 'The issuer was deleted.', 'expected a DID of /v1/dids')
}

/** Issuers: DIDs of the tenant's own, with the keys to sign as them. */
export function createIssuers({ systemSql, keys, now }: Pick<Dependencies, 'systemSql' | 'keys' | 'now'>) {
  const remembered = new LRUCache<string, Issuer>({ max: 10_000, ttl: REMEMBERED_MS, ...byClock(now) })

  async function find(tenantId: string, did: string): Promise<Issuer> {
    const name = `${tenantId} ${did}`
    const known = remembered.get(name)
    if (known) return known
    const { rows } = await systemSql.query<IssuerRow>({ name: 'find-issuer', text: FIND, values: [tenantId, did] })
    const first = rows[0]
    if (!first)
      throw refuse('credential.issuer_unknown', 'The issuer is not a DID of this tenant.', 'expected a DID of /v1/dids')
    if (first.registration_status !== 'COMPLETED')
      throw refuse(
        'credential.issuer_not_ready',
        `The issuer's registration is ${first.registration_status}; nobody could verify its credentials yet.`,
        'expected a DID with registrationStatus COMPLETED',
      )
    const issuer: Issuer = {
      didId: first.did_id,
      did,
      keys: rows.map(({ key_id, key_type, public_key, did_url }) => ({
        keyId: key_id,
        keyType: key_type,
        publicKey: new Uint8Array(public_key),
        didUrl: did_url,
      })),
    }
    remembered.set(name, issuer)
    return issuer
  }

  return {
    find,

    /** For requests that name no issuer: the DID of the tenant that was made last and holds a fitting key. */
    async newest(tenantId: string, keyTypes: string[]): Promise<string | undefined> {
      const { rows } = await systemSql.query<{ did: string }>({
        name: 'find-newest-issuer',
        text: NEWEST,
        values: [tenantId, keyTypes],
      })
      return rows[0]?.did
    },

    forget: (tenantId: string, did: string) => remembered.delete(`${tenantId} ${did}`),

    /** The issuer's key that fits a proof type; the private half stays in the key store. */
    signer(tenantId: string, { did, keys: own }: Issuer, proofType: ProofType): Signer {
      const wanted = keyTypeOf(proofType)
      const key = own.find(({ keyType }) => keyType === wanted)
      if (!key)
        throw refuse(
          'credential.issuer_key_unfit',
          `The issuer holds no ${wanted} key, which ${proofType} needs.`,
          `expected a DID with a ${wanted} key`,
        )
      const { keyType, publicKey } = key
      const ref: KeyRef = { tenantId, keyId: key.keyId, keyType }
      const needs2018 = proofType === 'Ed25519Signature2018' && did.startsWith('did:web:')
      const verificationMethod = needs2018
        ? webMethodId(did, { keyType, publicKey }, 'Ed25519VerificationKey2018')
        : key.didUrl
      return {
        verificationMethod,
        keyType,
        publicKey,
        sign: (data) => keys.sign(ref, data).catch(deletedMeanwhile),
        bbsSign: (input) => keys.bbsSign(ref, input).catch(deletedMeanwhile),
      }
    },
  }
}

export type Issuers = ReturnType<typeof createIssuers>
