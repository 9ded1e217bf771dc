import { StatusList } from '../../../entities/credentials/status-lists.ts'
import { inTenant } from '../../../entities/orm.ts'
import type { Json } from '../../../protocol/data-integrity/index.ts'
import { Refusal, Unavailable } from '../../../protocol/errors.ts'
import { etagOf } from '../../../protocol/etag.ts'
import { statusListUrl } from '../../../protocol/status-list/credential.ts'
import { type StatusListKind, type StatusPurpose, setBits } from '../../../protocol/status-list/index.ts'
import type { Dependencies } from '../../dependencies.ts'
import { singleFlight } from '../../frame/caches.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import type { StatusKinds } from '../format.ts'
import { listNotFound } from '../refusals.ts'

export interface PublishedList {
  /** As the format signs it: a credential, or the texts of a list in several forms. */
  credential: Json
  etag: string
  validUntil: Date
}

/** Lists that `/v1/revocation-lists` publishes. */
const CREDENTIAL_LISTS = ['RevocationList2020', 'BitstringStatusList'] as const

/** Refusals that no later read changes (D-332). */
const FOR_EVER = ['status_list.not_found', 'status_list.issuer_gone']

const VALID_HOURS = 24
/** A list is signed again before it ends, changed or not. */
export const RENEWED_BEFORE_HOURS = 12

/**
 * One statement, so that the count of changes and the entries belong to one moment. It names the tenant, because the
 * system role sees every row.
 */
const SNAPSHOT = `select l.kind, l.purpose, l.proof_type as "proofType", l.size, l.changes,
  coalesce(d.did, i.id::text) as issuer,
  case l.purpose
    when 'revocation' then array(select status_index from credentials where status_list_id = l.id and revoked)
    else array(select suspension_index from credentials where suspension_list_id = l.id and suspended)
  end as entries
from status_lists l left join dids d on d.tenant_id = l.tenant_id and d.id = l.did_id and d.deleted_at is null
left join mobile_iacas i on i.tenant_id = l.tenant_id and i.id = l.iaca_id and i.deleted_at is null
where l.tenant_id = $1 and l.id = $2`

interface Snapshot {
  kind: StatusListKind
  purpose: StatusPurpose
  proofType: string
  size: number
  changes: number
  /** DID, or the id of an IACA; null when it was deleted. */
  issuer: string | null
  /** Indexes of the set bits. */
  entries: number[]
}

/**
 * An older state never overwrites a newer one. Changes since the snapshot wait from now on. A list that has changes for the
 * first time is noted for the timelines of their credentials; $8: whether the schedule signed it.
 */
const KEEP = `with before as (select published_changes, signed_at from status_lists where id = $1),
kept as (update status_lists set signed = $2, etag = $3, signed_at = $4, valid_until = $5, published_changes = $6,
  changed_since = case when changes > $6 then clock_timestamp() end,
  publish_after = coalesce($7, publish_after), publish_failures = 0
where id = $1 and published_changes <= $6 and (signed_at is null or signed_at <= $4) returning id, tenant_id)
insert into status_list_publications (list_id, changes, tenant_id, published_at, scheduled)
select kept.id, $6, kept.tenant_id, clock_timestamp(), $8 from kept, before
where before.signed_at is null or before.published_changes < $6
on conflict do nothing`

interface Parts extends Pick<Dependencies, 'database' | 'systemSql' | 'now'> {
  tenants: Tenants
  /** Signing functions of all formats. */
  statusKinds: StatusKinds
}

/** Publishes status lists, signed by their issuers. */
export function createStatusPublisher({ database, systemSql, now, tenants, statusKinds }: Parts) {
  async function sign(tenantId: string, id: string, nextAfter?: string): Promise<PublishedList> {
    const { rows } = await systemSql.query<Snapshot>({
      name: 'snapshot-status-list',
      text: SNAPSHOT,
      values: [tenantId, id],
    })
    const [list] = rows
    if (!list) throw listNotFound()
    const { kind, purpose, proofType, size, changes, issuer, entries } = list
    if (!issuer)
      throw new Refusal(
        'status_list.issuer_gone',
        'The issuer of this list was deleted, so the list cannot be signed any more.',
      )
    const time = now()
    const latest = new Date(time.getTime() + VALID_HOURS * 3600_000)
    const { baseUrl } = await tenants.byId(tenantId)
    const signList = statusKinds[kind]
    if (!signList) throw new Error(`no credential format of this process signs lists of kind ${kind}`)
    const [url, bits] = [statusListUrl(baseUrl, id, kind), setBits(size, entries)]
    const { signed, validUntil } = await signList({
      tenantId,
      kind,
      purpose,
      proofType,
      issuer,
      url,
      bits,
      validFrom: time,
      validUntil: latest,
    })
    const text = JSON.stringify(signed)
    const etag = etagOf(text)
    await systemSql.query({
      name: 'keep-status-list',
      text: KEEP,
      values: [id, text, etag, time, validUntil, changes, nextAfter ?? null, nextAfter !== undefined],
    })
    return { credential: signed, etag, validUntil }
  }

  /** One flight per list: a thousand concurrent first reads, which anybody may send, cost one signature. */
  const flight = singleFlight<PublishedList>()

  return {
    /**
     * Returns the signed list; signs it at the first read, because a list that nobody reads needs no signature. Throws
     * `status_list.not_found`, `status_list.issuer_gone` where the issuer was deleted; `Unavailable('keys')`.
     */
    async publishedList(
      tenantId: string,
      id: string,
      kinds: readonly StatusListKind[] = CREDENTIAL_LISTS,
    ): Promise<PublishedList> {
      const where = { id, kind: { $in: [...kinds] } }
      const list = await inTenant(database.tenants, tenantId, (em) => em.findOne(StatusList, where))
      if (!list) throw listNotFound()
      const { signed, etag, validUntil } = list
      if (signed && etag && validUntil && validUntil > now()) return { credential: signed, etag, validUntil }
      return flight(id, () => sign(tenantId, id)).catch((error: unknown) => {
        // a key was deleted, perhaps by a restore, or an IACA has no signer now: a reader cannot change that
        if (!(error instanceof Refusal) || FOR_EVER.includes(error.code)) throw error
        throw new Unavailable('keys', 'The issuer of this list has no key that signs it now.', 3600, {
          cause: error,
        })
      })
    },

    /** Signs the present state of a list; later changes are not due before `nextAfter` (ISO 8601). Safe to repeat. */
    signList: (tenantId: string, id: string, nextAfter: string) => sign(tenantId, id, nextAfter),
  }
}

export type StatusPublisher = ReturnType<typeof createStatusPublisher>
