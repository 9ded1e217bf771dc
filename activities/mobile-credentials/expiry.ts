import { DocumentSigner, Iaca } from '../../entities/mobile-credentials.ts'
import { inTenant } from '../../entities/orm.ts'
import { Refusal, Unavailable } from '../../protocol/errors.ts'
import { IACA_EXPIRY_ENTRY, SIGNER_EXPIRY_ENTRY } from '../../protocol/mobile-credentials/entries.ts'
import { DAY_MS } from '../../protocol/time.ts'
import type { Dependencies } from '../dependencies.ts'
import { addLogEntry } from '../frame/log-entries.ts'
import { createFailures } from '../frame/slices.ts'
import { KeyLost } from '../keys/lost.ts'
import type { PublishedIacas } from './published.ts'
import type { Renewals } from './renewal.ts'

/** Days before the expiry at which the tenant's log gets an entry. */
export const NOTICE_DAYS = [60, 30, 7] as const

const AT_ONCE = 500

/** The system role finds the rows of all tenants; each is then changed as its tenant. */
const DUE_LISTS = `select tenant_id, id from mobile_iacas where key_id is not null and deleted_at is null and not_after > $1
  and (crl_due or crl_signed_at is null or crl_signed_at < $2) order by crl_signed_at nulls first limit ${AT_ONCE}`

const expiring = (table: string, and: string) => `select tenant_id, id from ${table} w
where w.deleted_at is null ${and} and w.not_after > $1 and exists (select from unnest($2::int[]) as days
  where w.not_after <= $1::timestamptz + make_interval(days => days) and (w.warned_days is null or w.warned_days > days))
order by w.not_after limit ${AT_ONCE}`

const KINDS = [
  { facts: IACA_EXPIRY_ENTRY, entity: Iaca, find: expiring('mobile_iacas', '') },
  {
    facts: SIGNER_EXPIRY_ENTRY,
    entity: DocumentSigner,
    find: expiring('mobile_document_signers', 'and w.revoked_at is null and w.renewed_by_id is null'),
  },
] as const

interface Found {
  tenant_id: string
  id: string
}

interface Parts extends Pick<Dependencies, 'database' | 'systemSql' | 'now' | 'uuid' | 'log'> {
  publishedIacas: PublishedIacas
  renewals: Renewals
}

export interface CertificateSweep {
  lists: number
  /** Absent in answers of an earlier release. */
  renewed?: number
  notices: number
}

/** Scheduled work on certificates of all tenants. */
export function createCertificateSweep({ database, systemSql, now, uuid, log, publishedIacas, renewals }: Parts) {
  /** Writes one notice per threshold: the row remembers the last one, in the same transaction. */
  async function notify(
    { facts, entity }: (typeof KINDS)[number],
    { tenant_id: tenantId, id }: Found,
  ): Promise<boolean> {
    return inTenant(database.tenants, tenantId, async (em) => {
      const row = await em.findOne<Iaca | DocumentSigner>(entity, { id })
      if (!row?.notAfter) return false
      const leftMs = row.notAfter.getTime() - now().getTime()
      const days = NOTICE_DAYS.filter((limit) => leftMs <= limit * DAY_MS).at(-1)
      if (days === undefined || (row.warnedDays ?? Number.POSITIVE_INFINITY) <= days) return false
      row.warnedDays = days
      const metadata = { id, days, notAfter: row.notAfter.toISOString() }
      const entry = { tenantId, requestId: uuid(), ...facts } as const
      addLogEntry(em, { now, uuid }, { ...entry, outcome: 'SUCCESS', metadata })
      log.warn({ tenantId, id, days }, 'a certificate that signs mobile credentials expires')
      return true
    })
  }

  return {
    /**
     * Signs lists of revoked certificates that are due, renews document signers, and writes a notice 60, 30 and 7 days
     * before a certificate expires that has no successor. Safe to retry: what was done is not due again.
     */
    async sweepCertificates(): Promise<CertificateSweep> {
      const sweep: CertificateSweep = { lists: 0, renewed: 0, notices: 0 }
      const time = now()
      const due = await systemSql.query<Found>({ text: DUE_LISTS, values: [time, new Date(time.getTime() - DAY_MS)] })
      for (const { tenant_id: tenantId, id } of due.rows) {
        try {
          await publishedIacas.publishedCrl(tenantId, id)
          sweep.lists += 1
        } catch (error) {
          // one whose key is lost, or that was deleted meanwhile, holds up nobody else's (D-1079)
          if (error instanceof Refusal || error instanceof KeyLost)
            log.error({ err: error, tenantId, iacaId: id }, 'a list of revoked certificates cannot be signed')
          else if (error instanceof Unavailable)
            log.warn({ err: error, tenantId, iacaId: id }, 'a list of revoked certificates waits for the key store')
          else throw error
        }
      }
      const failures = createFailures((error, part) =>
        log.error({ err: error, part }, 'a sweep of certificates goes on'),
      )
      await failures.attempt('renewals', async () => {
        sweep.renewed = await renewals.renewSigners()
      })
      for (const kind of KINDS) {
        const { rows } = await systemSql.query<Found>({ text: kind.find, values: [time, [...NOTICE_DAYS]] })
        for (const row of rows) if (await notify(kind, row)) sweep.notices += 1
      }
      failures.end('a part of the sweep of certificates failed')
      return sweep
    },
  }
}

export type CertificateSweeping = ReturnType<typeof createCertificateSweep>
