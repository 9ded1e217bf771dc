import { LockMode } from '@mikro-orm/core'
import { DocumentSigner, Iaca } from '../../entities/mobile-credentials.ts'
import { inTenant } from '../../entities/orm.ts'
import { isDatabaseAway, Refusal, Unavailable } from '../../protocol/errors.ts'
import { createCrl } from '../../protocol/mobile-credentials/certificates.ts'
import { DAY_MS } from '../../protocol/time.ts'
import type { Dependencies } from '../dependencies.ts'
import { singleFlight } from '../frame/caches.ts'
import { KeyLost, orLost } from '../keys/lost.ts'
import { findIaca, iacaNotFound } from './iacas.ts'
import { storedCertificate } from './records.ts'
import { wholeSecond } from './terms.ts'

/** A list of revoked certificates is signed anew after a day, and valid for a week: it survives days without a worker. */
const RENEWED_AFTER_MS = DAY_MS
export const CRL_DAYS = 7

const PUBLISHED = `select i.certificate from mobile_iacas i
where i.tenant_id = $1 and i.active and i.deleted_at is null and i.not_after > $2 and (i.key_id is not null
  or exists (select from mobile_document_signers s where s.tenant_id = i.tenant_id and s.iaca_id = i.id
    and s.certificate is not null and s.deleted_at is null))
order by i.created_at desc, i.id`

export interface Crl {
  der: Uint8Array
  number: number
}

/** Also a refusal of the store, as of a key that it cannot read. */
const isStoreFault = (error: unknown): boolean =>
  error instanceof Unavailable || (error instanceof Refusal && error.code.startsWith('key.'))

/** What a tenant publishes of its IACAs. */
export function createPublishedIacas({
  database,
  systemSql,
  keys,
  now,
  log,
}: Pick<Dependencies, 'database' | 'systemSql' | 'keys' | 'now' | 'log'>) {
  const isFresh = ({ crlDue, crlSignedAt }: Iaca) =>
    !crlDue && crlSignedAt != null && now().getTime() - crlSignedAt.getTime() < RENEWED_AFTER_MS

  const isValid = ({ crlSignedAt }: Iaca) =>
    crlSignedAt != null && now().getTime() - crlSignedAt.getTime() < CRL_DAYS * DAY_MS

  const shown = ({ crl, crlNumber }: Iaca): Crl | undefined =>
    crl ? { der: new Uint8Array(crl), number: crlNumber } : undefined

  const revokedOf = (id: string) => ({ iacaId: id, revokedAt: { $ne: null } })

  /** Signs the list where that is due, outside of a transaction: the key store may take its time. */
  async function sign(tenantId: string, id: string): Promise<Crl | undefined> {
    const { row, revoked } = await inTenant(database.tenants, tenantId, async (em) => ({
      row: await em.findOne(Iaca, { id, deletedAt: null }),
      revoked: await em.find(DocumentSigner, revokedOf(id), { orderBy: { id: 'asc' } }),
    }))
    if (!row?.keyId || isFresh(row)) return row ? shown(row) : undefined
    const ref = { tenantId, keyId: row.keyId, keyType: 'p256' } as const
    const thisUpdate = wholeSecond(now())
    const number = row.crlNumber + 1
    const der = await createCrl(
      {
        certificate: storedCertificate(row.certificate).der,
        publicKey: await keys.publicKey(ref).catch(orLost('the key of the IACA')),
        sign: (data) => keys.sign(ref, data).catch(orLost('the key of the IACA')),
      },
      {
        number,
        thisUpdate,
        nextUpdate: new Date(thisUpdate.getTime() + CRL_DAYS * DAY_MS),
        // an expired certificate needs no entry once a list was published after its expiry (RFC 5280, 3.3)
        revoked: revoked.flatMap(({ serialNumber, revokedAt, notAfter }) =>
          serialNumber && revokedAt && notAfter && notAfter > (row.crlSignedAt ?? new Date(0))
            ? [{ serialNumber, revokedAt }]
            : [],
        ),
      },
    )
    return inTenant(database.tenants, tenantId, async (em) => {
      const current = await em.findOne(Iaca, { id, deletedAt: null }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      // another process has signed it, or the IACA was deleted
      if (!current || current.crlNumber !== row.crlNumber) return current ? shown(current) : undefined
      // a revocation sets the mark as it commits: one that came meanwhile keeps it
      const crlDue = (await em.count(DocumentSigner, revokedOf(id))) > revoked.length
      Object.assign(current, { crl: Buffer.from(der), crlNumber: number, crlSignedAt: thisUpdate, crlDue })
      await em.flush()
      return shown(current)
    })
  }

  /** One flight per IACA: a thousand concurrent reads, which anybody may send, cost one signature. */
  const flight = singleFlight<Crl | undefined>()

  return {
    /** Certificates in DER of the IACAs that certify the tenant's signers. */
    async publishedCertificates(tenantId: string): Promise<Uint8Array[]> {
      const { rows } = await systemSql.query<{ certificate: Buffer }>({
        name: 'published-iacas',
        text: PUBLISHED,
        values: [tenantId, now()],
      })
      return rows.map(({ certificate }) => new Uint8Array(certificate))
    },

    /** The certificate in DER. Throws `Refusal('iaca.not_found')`. */
    async publishedCertificate(tenantId: string, id: string): Promise<Uint8Array> {
      const { certificate } = await inTenant(database.tenants, tenantId, (em) => findIaca(em, id))
      return new Uint8Array(certificate)
    },

    /**
     * The list of revoked certificates, signed anew where it is a day old or lacks a revocation. Where the key store does
     * not sign, whatever its fault is, or the database is away, the last one is served until it ends. Throws `Refusal('iaca.not_found')`, also for an imported IACA, whose
     * list another authority signs; `Unavailable('keys')`.
     */
    async publishedCrl(tenantId: string, id: string): Promise<Crl> {
      const row = await inTenant(database.tenants, tenantId, (em) => findIaca(em, id))
      const last = shown(row)
      if (last && isFresh(row)) return last
      try {
        const crl = await flight(`${tenantId} ${id}`, () => sign(tenantId, id))
        if (crl) return crl
      } catch (error) {
        const isAway = isDatabaseAway(error)
        if (!((isStoreFault(error) || isAway) && last && isValid(row))) throw error
        const passes = isAway || (error instanceof Unavailable && !(error instanceof KeyLost))
        const level = passes ? 'warn' : 'error'
        log[level]({ err: error, tenantId, iacaId: id }, 'a list of revoked certificates could not be signed anew')
        return last
      }
      throw iacaNotFound()
    },
  }
}

export type PublishedIacas = ReturnType<typeof createPublishedIacas>
