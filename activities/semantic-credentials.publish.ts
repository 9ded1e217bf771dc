import { createHash } from 'node:crypto'
import { asSystem, inTenant } from '../entities/orm.ts'
import { StatusList } from '../entities/semantic-credentials.ts'
import { isProofType, type Json } from '../protocol/data-integrity.ts'
import { Refusal, Unavailable } from '../protocol/errors.ts'
import { statusListCredential } from '../protocol/status-list.credential.ts'
import { setBits } from '../protocol/status-list.ts'
import type { Administration } from './administration.ts'
import { signPublicly } from './documents/public.ts'
import type { Dependencies } from './index.ts'
import type { Issuers } from './semantic-credentials.issuers.ts'

export interface PublishedList {
  credential: Json
  etag: string
  validUntil: Date
}

const VALID_MS = 24 * 3600_000
/** A list is signed again before it ends, changed or not. */
const RENEWED_BEFORE_MS = 12 * 3600_000
const AT_ONCE = 100

const DUE = `select id, tenant_id from status_lists
where signed is not null and (changes > published_changes or valid_until < $1) order by signed_at limit $2`

/** What is set in a list, by its purpose. */
const SET_ENTRIES = {
  revocation: 'select status_index as entry from semantic_credentials where status_list_id = ? and revoked',
  suspension: 'select suspension_index as entry from semantic_credentials where suspension_list_id = ? and suspended',
}

interface Parts extends Pick<Dependencies, 'database' | 'systemSql' | 'documents' | 'now' | 'log'> {
  administration: Administration
  issuers: Issuers
}

/** Status lists as the public reads them: signed by the issuer, once per window however many entries changed. */
export function createStatusPublisher(parts: Parts) {
  const { database, systemSql, documents, now, log, administration, issuers } = parts

  /** Reads the count of changes before the entries: what changes in between is signed now and again in the next window. */
  async function snapshot(tenantId: string, id: string) {
    return inTenant(database.tenants, tenantId, async (em) => {
      const list = await em.findOne(StatusList, { id })
      if (!list) throw new Refusal('status_list.not_found', 'There is no such revocation list.')
      const rows = await em.execute<{ entry: number }[]>(SET_ENTRIES[list.purpose], [id])
      const dids = await em.execute<{ did: string }[]>('select did from dids where id = ? and deleted_at is null', [
        list.didId,
      ])
      return { list, entries: rows.map(({ entry }) => entry), did: dids[0]?.did }
    })
  }

  async function sign(tenantId: string, id: string): Promise<PublishedList> {
    const { list, entries, did } = await snapshot(tenantId, id)
    const { kind, purpose, proofType, size, changes } = list
    if (!did || !isProofType(proofType))
      throw new Refusal('status_list.issuer_gone', 'The issuer of this list was deleted; it cannot be signed any more.')
    const time = now()
    const validUntil = new Date(time.getTime() + VALID_MS)
    const { baseUrl } = await administration.tenantById(tenantId)
    const credential = statusListCredential({
      kind,
      id: `${baseUrl}/v1/revocation-lists/${id}`,
      issuerDid: did,
      purpose,
      bits: setBits(size, entries),
      validFrom: `${time.toISOString().slice(0, 19)}Z`,
      validUntil: `${validUntil.toISOString().slice(0, 19)}Z`,
    })
    const signer = issuers.signer(tenantId, await issuers.find(tenantId, did), proofType)
    const dataModel = kind === 'BitstringStatusList' ? '2.0' : '1.1'
    const signed = await signPublicly(documents, { credential, dataModel, proofType, signer, now: time })
    const etag = `"${createHash('sha256').update(JSON.stringify(signed)).digest('base64url')}"`
    await systemSql.query({
      text: `update status_lists set signed = $2, etag = $3, signed_at = $4, valid_until = $5, published_changes = $6
        where id = $1 and published_changes <= $6 and (signed_at is null or signed_at <= $4)`,
      values: [id, JSON.stringify(signed), etag, time, validUntil, changes],
    })
    return { credential: signed, etag, validUntil }
  }

  const flights = new Map<string, Promise<PublishedList>>()

  /** One flight per list: a thousand first looks, which anybody may take, cost one signature. */
  function signOnce(tenantId: string, id: string): Promise<PublishedList> {
    const flight = flights.get(id) ?? sign(tenantId, id).finally(() => flights.delete(id))
    flights.set(id, flight)
    return flight
  }

  const due = () =>
    asSystem(database.system, (em) =>
      em.execute<{ id: string; tenant_id: string }[]>(DUE.replace('$1', '?').replace('$2', '?'), [
        new Date(now().getTime() + RENEWED_BEFORE_MS),
        AT_ONCE,
      ]),
    )

  return {
    /** The signed list; made at the first look, for a list that nobody reads needs no signature. */
    async publishedList(tenantId: string, id: string): Promise<PublishedList> {
      const list = await inTenant(database.tenants, tenantId, (em) => em.findOne(StatusList, { id }))
      if (!list) throw new Refusal('status_list.not_found', 'There is no such revocation list.')
      const { signed, etag, validUntil } = list
      if (signed && etag && validUntil && validUntil > now()) return { credential: signed, etag, validUntil }
      return signOnce(tenantId, id).catch((error: unknown) => {
        if (error instanceof Refusal && error.code === 'status_list.issuer_gone')
          throw new Unavailable('keys', error.message, 3600)
        throw error
      })
    },

    /** Safe to retry. Signs every list that changed or nears its end; one that cannot be signed holds up no other. */
    async publishChangedLists(): Promise<{ signed: number; failed: number }> {
      let signed = 0
      let failed = 0
      for (const { id, tenant_id } of await due()) {
        try {
          await sign(tenant_id, id)
          signed++
        } catch (error) {
          if (error instanceof Unavailable) throw error
          failed++
          log.warn({ err: error, listId: id, tenantId: tenant_id }, 'a status list was not signed')
        }
      }
      return { signed, failed }
    },
  }
}

export type StatusPublisher = ReturnType<typeof createStatusPublisher>
