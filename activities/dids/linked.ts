import { DomainLinkage } from '../../entities/dids.ts'
import { ALONG_INDEX, inTenant } from '../../entities/orm.ts'
import { type Json, keyFor, type ProofType } from '../../protocol/data-integrity/index.ts'
import { domainLinkageCredential, MAX_LINKED_DIDS } from '../../protocol/dids/linked.ts'
import { Refusal, Unavailable } from '../../protocol/errors.ts'
import { etagOf } from '../../protocol/etag.ts'
import { DAY_MS } from '../../protocol/time.ts'
import type { Dependencies } from '../dependencies.ts'
import { signPublicly } from '../documents/public.ts'
import { singleFlight } from '../frame/caches.ts'
import type { Tenants } from '../frame/tenants/index.ts'
import type { KeyType } from '../keys/index.ts'
import { KeyLost } from '../keys/lost.ts'
import type { DidSigner, Signers } from './signers.ts'
import type { DidStanding } from './standing.ts'

export interface LinkedDids {
  /** DomainLinkageCredentials of the requested origin. */
  credentials: Json[]
  etag: string
}

const VALID_MS = 30 * DAY_MS
/** A published linkage is valid for at least this time. */
const RENEWED_BEFORE_MS = 10 * DAY_MS
/** A reader waits no longer than this for signatures; the rest is signed at the next read. */
const SIGNING_MS = 2_000

/** In order of preference: verifiers of domain linkage support the first two best. */
const PROOFS: [KeyType, ProofType][] = [
  ['ed25519', 'Ed25519Signature2018'],
  ['p256', 'ecdsa-rdfc-2019'],
  ['p384', 'ecdsa-rdfc-2019'],
  ['bls12381g2', 'bbs-2023'],
]

const proofTypeFor = ({ keyTypes }: DidSigner): ProofType | undefined =>
  PROOFS.find(([wanted]) => keyTypes.includes(wanted))?.[1]

interface HostedDid {
  host: string
  did: string
}

const HOSTED_ONES = `hosting = 'platform' and registration_status = 'COMPLETED' and deleted_at is null`

/** One DID of each host of ours, from host to host along the index: the hosts are few, and their DIDs may be many. */
const HOSTED = `with recursive hosts as (
  (select host, did from dids where ${HOSTED_ONES} order by host limit 1)
  union all
  select next.host, next.did from hosts cross join lateral (
    select d.host, d.did from dids d where ${HOSTED_ONES} and d.host > hosts.host order by d.host limit 1) next)
select host, did from hosts where host is not null`

/** DIDs that have a key for one of the proofs here, and no lost host; `which`: those of one branch, in its order. */
const linkable = (which: string) => `(select d.id, d.did, d.is_default_issuer, d.method, d.created_at from dids d
where d.registration_status = 'COMPLETED' and d.deleted_at is null and (d.hosting <> 'platform' or d.host <> all(string_to_array(?, ' ')))
  and exists (select from keys k where k.tenant_id = d.tenant_id and k.did_id = d.id and k.key_type = any(string_to_array(?, ' '))
    and k.public_key is not null and k.did_url is not null)
  and ${which} order by d.created_at desc, d.id limit ?)`

/** Each branch along an index, because everybody may ask, and a tenant may have a million DIDs (D-1216). */
const BRANCHES = [`d.is_default_issuer`, `d.method = 'WEB'`, `d.method = 'KEY'`]
const LINKABLE = `select id, did from (${BRANCHES.map(linkable).join(' union ')}) found
order by is_default_issuer desc, method desc, created_at desc, id limit ?`

/** A late update does not overwrite a newer linkage; a deleted DID gets none. */
const KEEP = `insert into domain_linkages (id, tenant_id, did_id, origin, credential, valid_until, created_at)
select ?, tenant_id, id, ?, ?::json, ?, ? from dids where id = ? and deleted_at is null
on conflict (tenant_id, did_id, origin) do update
set credential = excluded.credential, valid_until = excluded.valid_until, created_at = excluded.created_at
where domain_linkages.valid_until < excluded.valid_until`

const didDeleted = () => new Refusal('did.not_found', 'The DID was deleted.')

const noLinkedDids = () =>
  new Refusal(
    'linked_dids.not_found',
    'No DIDs are linked to this domain. A DID of a tenant is linked to its hosts by itself, once it is COMPLETED; a custom domain is one of them once it is verified.',
  )

interface Parts extends Pick<Dependencies, 'database' | 'documents' | 'now' | 'uuid' | 'log'> {
  tenants: Tenants
  signers: Signers
  didStanding: Pick<DidStanding, 'lostHost'>
}

/** Publishes the DIDs that are linked to a domain (DIF Well Known DID Configuration). */
export function createLinkedDids({ database, documents, now, uuid, log, tenants, signers, didStanding }: Parts) {
  const flight = singleFlight<LinkedDids>()

  /**
   * Reads the DIDs with their linkages for this origin: the default issuer first, so that no number of newer DIDs keeps it
   * out; then did:web, because it names the domain; then the newest. Those that cannot be linked take no place of others.
   */
  async function read(tenantId: string, origin: string) {
    const hosted = await inTenant(database.tenants, tenantId, (em) => em.execute<HostedDid[]>(HOSTED), ALONG_INDEX)
    const lost: string[] = []
    for (const { host, did } of hosted)
      if ((await didStanding.lostHost(tenantId, { did, hosting: 'platform' })) !== undefined) lost.push(host)
    return inTenant(
      database.tenants,
      tenantId,
      async (em) => {
        const values = [lost.join(' '), PROOFS.map(([keyType]) => keyType).join(' '), MAX_LINKED_DIDS]
        const all = [...BRANCHES.flatMap(() => values), MAX_LINKED_DIDS]
        const dids = await em.execute<{ id: string; did: string }[]>(LINKABLE, all)
        const linkages = await em.find(DomainLinkage, { origin, didId: { $in: dids.map(({ id }) => id) } })
        const byDid = new Map(linkages.map((linkage) => [linkage.didId, linkage]))
        return dids.map(({ id, did }) => ({ id, did, linkage: byDid.get(id) }))
      },
      ALONG_INDEX,
    )
  }

  async function sign(tenantId: string, { id, did }: { id: string; did: string }, origin: string) {
    const didSigner = await signers.signerOf(tenantId, did, didDeleted)
    const proofType = proofTypeFor(didSigner)
    if (!proofType) return undefined
    const time = now()
    const validUntil = new Date(time.getTime() + VALID_MS)
    const credential = domainLinkageCredential({ did, origin, issuedAt: time, expiresAt: validUntil })
    const signer = didSigner.withKey(keyFor(proofType))
    const signed = await signPublicly(documents, {
      tenantId,
      credential,
      dataModel: '1.1',
      proofType,
      signer,
      now: time,
    })
    await inTenant(database.tenants, tenantId, (em) =>
      em.execute(KEEP, [uuid(), origin, JSON.stringify(signed), validUntil, time, id]),
    )
    return signed
  }

  async function linkedDids(tenantId: string, origin: string): Promise<LinkedDids> {
    const started = now().getTime()
    const credentials: Json[] = []
    let outage: Unavailable | undefined
    for (const { linkage, ...row } of await read(tenantId, origin)) {
      const left = linkage ? linkage.validUntil.getTime() - started : 0
      const isLate = now().getTime() - started > SIGNING_MS
      const fresh =
        left > RENEWED_BEFORE_MS || isLate || outage
          ? undefined
          : await sign(tenantId, row, origin).catch((error: unknown) => {
              log.warn({ err: error, didId: row.id, tenantId }, 'a domain linkage was not signed')
              // a lost key is one DID's own, and no outage
              if (error instanceof Unavailable && !(error instanceof KeyLost)) outage = error
              else if (!(error instanceof Refusal || error instanceof KeyLost)) throw error
              return undefined
            })
      const credential = fresh ?? (left > 0 ? linkage?.credential : undefined)
      if (credential) credentials.push(credential)
    }
    if (credentials.length === 0) throw outage ?? noLinkedDids()
    const etag = etagOf(JSON.stringify(credentials))
    return { credentials, etag }
  }

  return {
    /**
     * Returns the content of `/.well-known/did-configuration` of a host: signed at the first read, stored, and renewed
     * before it expires. Throws `linked_dids.not_found` where no DID is linked, `Unavailable('keys')` where nothing can
     * be signed yet.
     */
    async linkedDidsAt(host: string): Promise<LinkedDids> {
      const tenant = await tenants.byHost(host)
      if (!tenant) throw noLinkedDids()
      const { id, origin } = tenant
      return flight(`${id} ${origin}`, () => linkedDids(id, origin))
    },
  }
}
