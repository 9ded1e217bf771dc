import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { DocumentSigner, type Iaca } from '../../entities/mobile-credentials.ts'
import { inTenant } from '../../entities/orm.ts'
import { Refusal, Unavailable } from '../../protocol/errors.ts'
import { SIGNER_RENEWAL_ENTRY } from '../../protocol/mobile-credentials/entries.ts'
import { NIL_UUID } from '../../protocol/uuid.ts'
import type { Dependencies } from '../dependencies.ts'
import { addLogEntry } from '../frame/log-entries.ts'
import { createFailures } from '../frame/slices.ts'
import type { Tenants } from '../frame/tenants/index.ts'
import { KeyLost } from '../keys/lost.ts'
import { createKeyRows } from '../keys/rows.ts'
import { assertRoom, createCertification, LIVE } from './certify.ts'
import { findIaca } from './iacas.ts'
import { storedCertificate, usabilityOf } from './records.ts'
import * as terms from './terms.ts'

/** A signer is renewed so long before it expires, but not before its last third. */
export const RENEWED_BEFORE_DAYS = 30
const AT_ONCE = 500

/** Name of the log entries of renewals. */
/** Where the IACA ends with the signer, a new certificate would end with it as well. */
const DUE = `select s.tenant_id as "tenantId", s.id, s.not_after::text as "notAfter" from mobile_document_signers s
join mobile_iacas i on i.tenant_id = s.tenant_id and i.id = s.iaca_id
where s.renew and s.active and s.deleted_at is null and s.revoked_at is null and s.renewed_by_id is null
  and s.not_after > $1::timestamptz
  and s.not_after <= $1::timestamptz + least(make_interval(days => $2), (s.not_after - s.not_before) / 3)
  and i.key_id is not null and i.active and i.deleted_at is null and i.not_after > s.not_after
  and (s.not_after, s.id) > ($3::timestamptz, $4::uuid)
order by s.not_after, s.id limit ${AT_ONCE}`

interface Found {
  tenantId: string
  id: string
  /** As PostgreSQL writes it. */
  notAfter: string
}

interface Parts extends Pick<Dependencies, 'database' | 'systemSql' | 'keys' | 'now' | 'uuid' | 'log'> {
  tenants: Pick<Tenants, 'byId'>
}

/** Renews document signers whose certificates end soon: each gets a successor with a key of its own. */
export function createRenewals(parts: Parts) {
  const { database, systemSql, now, uuid, log } = parts
  const { createKey } = createKeyRows(parts)
  const certify = createCertification(parts)

  const canBeRenewed = (row: DocumentSigner | null): row is DocumentSigner =>
    row?.renew === true && !row.renewedById && usabilityOf(row, now()) === 'usable'

  const note = (
    em: SqlEntityManager,
    tenantId: string,
    outcome: 'SUCCESS' | 'FAIL',
    metadata: Record<string, string>,
  ) => addLogEntry(em, { now, uuid }, { ...SIGNER_RENEWAL_ENTRY, tenantId, requestId: uuid(), outcome, metadata })

  /** The certificate of the successor: the same name, and as long a life within that of the IACA. */
  const requestFor = ({ certificate, notBefore, notAfter }: DocumentSigner, iaca: Iaca) => {
    if (!certificate || !notBefore || !notAfter) throw new Error('a usable document signer has no certificate')
    const end = now().getTime() + notAfter.getTime() - notBefore.getTime()
    const lasting = new Date(Math.min(end, iaca.notAfter.getTime()))
    const { commonName } = storedCertificate(certificate).subject
    return { commonName, notAfter: terms.wholeSecond(lasting).toISOString() }
  }

  /**
   * Safe to repeat after a crash at any point: the successor, the mark on the renewed signer and the log entry are one
   * transaction, and a key that no transaction took is destroyed by the reaper. Throws `document_signer.too_many`.
   */
  async function renew({ tenantId, id }: Pick<Found, 'tenantId' | 'id'>): Promise<boolean> {
    const due = await inTenant(database.tenants, tenantId, async (em) => {
      const row = await em.findOne(DocumentSigner, { id, ...LIVE })
      if (!canBeRenewed(row)) return undefined
      await assertRoom(em, now())
      return { row, iaca: await findIaca(em, row.iacaId) }
    })
    if (!due) return false
    const key = await createKey(tenantId, 'p256')
    const certificate = await certify(due.iaca, key, requestFor(due.row, due.iaca))
    return inTenant(database.tenants, tenantId, async (em) => {
      await terms.lockRows(em, tenantId, 'document signers')
      const row = await em.findOne(DocumentSigner, { id, ...LIVE }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      if (!canBeRenewed(row)) return false // changed or renewed meanwhile
      await assertRoom(em, now())
      await findIaca(em, row.iacaId, 'use')
      const publicKey = Buffer.from(key.publicKey)
      const [newId, at] = [uuid(), now()]
      await terms.giveKey(em, key.keyId, newId, { publicKey, custody: key.custody })
      const owner = { id: newId, tenantId, iacaId: row.iacaId, keyId: key.keyId, publicKey, active: true, renew: true }
      // it signs where the renewed one would, and not before another one that was made since
      em.create(DocumentSigner, { ...owner, ...certificate, createdAt: at, updatedAt: row.updatedAt })
      Object.assign(row, { renewedById: newId, renewalFault: null })
      note(em, tenantId, 'SUCCESS', { id, renewedById: newId })
      return true
    })
  }

  /** One entry for each reason: the row remembers the last, in the same transaction. */
  const notify = ({ tenantId, id }: Found, { code, message }: Refusal): Promise<void> =>
    inTenant(database.tenants, tenantId, async (em) => {
      const row = await em.findOne(DocumentSigner, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      if (!row || row.renewalFault === code) return
      row.renewalFault = code
      log.warn({ tenantId, id, code }, 'a document signer could not be renewed')
      note(em, tenantId, 'FAIL', { id, code, message })
    })

  /** Whether it was renewed; not, where the reason is the tenant's or passes. */
  async function attempt(found: Found): Promise<boolean> {
    try {
      return await renew(found)
    } catch (error) {
      const { tenantId, id } = found
      if (error instanceof Refusal) await notify(found, error)
      else if (error instanceof KeyLost) await notify(found, error.refusal)
      else if (error instanceof Unavailable) log.warn({ err: error, tenantId, id }, 'a renewal waits for the key store')
      else throw error
      return false
    }
  }

  return {
    /**
     * Renews all that is due; returns how many. A tenant without room gets a notice that says what to do. One that fails
     * holds up no other one; throws at its end where some did.
     */
    async renewSigners(): Promise<number> {
      const failures = createFailures((error, id) => log.error({ err: error, id }, 'a document signer was not renewed'))
      const at = now()
      let renewed = 0
      for (let last = { notAfter: '-infinity', id: NIL_UUID }; ; ) {
        const values = [at, RENEWED_BEFORE_DAYS, last.notAfter, last.id]
        const { rows } = await systemSql.query<Found>({ text: DUE, values })
        for (const found of rows)
          await failures.attempt(found.id, async () => {
            if (await attempt(found)) renewed += 1
          })
        const next = rows.at(-1)
        if (!next || rows.length < AT_ONCE) break
        last = next
      }
      failures.end('document signers were not renewed')
      return renewed
    },
  }
}

export type Renewals = ReturnType<typeof createRenewals>
