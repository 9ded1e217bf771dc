import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { DocumentSigner, Iaca } from '../../entities/mobile-credentials.ts'
import { inTenant } from '../../entities/orm.ts'
import { Refusal } from '../../protocol/errors.ts'
import {
  type Certificate,
  iacaFaults,
  isSameCertificate,
  readPem,
} from '../../protocol/mobile-credentials/certificates.read.ts'
import { createIacaCertificate, MAX_IACA_YEARS } from '../../protocol/mobile-credentials/certificates.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Call, Operations } from '../frame/operations.ts'
import type { Tenants } from '../frame/tenants/index.ts'
import { createKeyRows } from '../keys/rows.ts'
import { type IacaRecord, iacaRecord, storedCertificate } from './records.ts'
import * as terms from './terms.ts'

/** Most IACAs of a tenant: own and imported ones. */
export const MAX_IACAS = 20
/** Life of an IACA without a given end, in years: the recommendation of ISO/IEC 18013-5, table B.1. */
const DEFAULT_YEARS = 9

export interface NewIaca {
  country: string
  commonName?: string | undefined
  stateOrProvinceName?: string | undefined
  notBefore?: string | undefined
  notAfter?: string | undefined
}

interface Parts extends Pick<Dependencies, 'database' | 'keys' | 'uuid' | 'now' | 'log'> {
  operations: Operations
  tenants: Pick<Tenants, 'byId'>
}

export const iacaNotFound = () => new Refusal('iaca.not_found', 'There is no such IACA.')

const iacaTaken = () => new Refusal('iaca.taken', 'The tenant has an IACA with this certificate already.')

const LOCKS = { change: LockMode.PESSIMISTIC_WRITE, use: LockMode.PESSIMISTIC_READ } as const

/**
 * Finds an IACA that is not deleted. `lock`: to `change` it, or to `use` it, so that nobody deletes it before this
 * transaction ends. Throws `Refusal('iaca.not_found')`.
 */
export async function findIaca(em: SqlEntityManager, id: string, lock?: keyof typeof LOCKS): Promise<Iaca> {
  const options = lock ? { lockMode: LOCKS[lock] } : {}
  const row = await em.findOne(Iaca, { id, ...LIVE }, options)
  if (!row) throw iacaNotFound()
  return row
}

const LIVE = { deletedAt: null } as const

const yearsAfter = (date: Date, years: number): Date => {
  const later = new Date(date)
  later.setUTCFullYear(later.getUTCFullYear() + years)
  return later
}

/** Throws `Refusal('request.invalid')` for times that an IACA certificate cannot have. */
function validityOf({ notBefore, notAfter }: Pick<NewIaca, 'notBefore' | 'notAfter'>, now: Date) {
  const from = notBefore === undefined ? terms.wholeSecond(now) : terms.dateOf(notBefore, 'notBefore')
  const until = notAfter === undefined ? yearsAfter(from, DEFAULT_YEARS) : terms.dateOf(notAfter, 'notAfter')
  const refuse = (expected: string) =>
    terms.invalidRequest('notAfter', 'validity', expected, 'The IACA cannot be valid for this time.')
  if (until <= from || until <= now) throw refuse('expected a time after notBefore, in the future')
  if (until > yearsAfter(from, MAX_IACA_YEARS))
    throw refuse(`expected at most ${MAX_IACA_YEARS} years after notBefore (ISO/IEC 18013-5, table B.1)`)
  if (until.getUTCFullYear() > 9999) throw refuse('expected a time before the year 10000 (RFC 5280, section 4.1.2.5.2)')
  return { notBefore: from, notAfter: until }
}

/** Throws `Refusal('request.invalid')` for names that an IACA certificate cannot have. */
export function checkIacaSubject({ country, stateOrProvinceName, commonName }: NewIaca, host: string) {
  const refuse = (path: string, expected: string) =>
    terms.invalidRequest(path, 'subject', expected, 'The name cannot stand in the certificate.')
  if (!/^[A-Z]{2}$/.test(country)) throw refuse('country', 'expected two capital letters (ISO 3166-1)')
  if (stateOrProvinceName !== undefined && !/^\S(.{0,126}\S)?$/u.test(stateOrProvinceName))
    throw refuse('stateOrProvinceName', 'expected 1 to 128 characters')
  const name = commonName === undefined ? terms.nameFor(host, 'IACA') : terms.commonNameOf(commonName, 'commonName')
  return { country, stateOrProvinceName, commonName: name }
}

/** Throws `Refusal('iaca.certificate_invalid')` for a certificate that breaks the profile, with each broken rule. */
function importedCertificate(pem: string, now: Date): Certificate {
  const certificate = readPem(pem, 'certificatePem')
  const faults = iacaFaults(certificate)
  if (certificate.notAfter <= now)
    faults.push({ code: 'expired', message: 'expected a certificate that has not expired' })
  if (faults.length === 0) return certificate
  throw new Refusal(
    'iaca.certificate_invalid',
    'The certificate is not an IACA root certificate of ISO/IEC 18013-5, annex B; see errors.',
    faults.map((fault) => ({ path: 'certificatePem', ...fault })),
  )
}

/** The certificate authorities of a tenant that certify document signers, and that verification trusts. */
export function createIacas(parts: Parts) {
  const { database, uuid, now, operations, tenants } = parts
  const { createKey } = createKeyRows(parts)
  const destroyKey = terms.createKeyRelease(parts)

  async function store(em: SqlEntityManager, row: Pick<Iaca, 'id' | 'tenantId' | 'keyId'>, certificate: Certificate) {
    await terms.lockRows(em, row.tenantId, 'iacas')
    const stored = await em.find(Iaca, LIVE)
    if (stored.length >= MAX_IACAS)
      throw new Refusal('iaca.too_many', `A tenant has at most ${MAX_IACAS} IACAs. Delete one first.`)
    if (stored.some((each) => isSameCertificate(storedCertificate(each.certificate), certificate))) throw iacaTaken()
    const { der, fingerprint, notBefore, notAfter } = certificate
    const at = now()
    const columns = { ...row, active: true, fingerprint, notBefore, notAfter, createdAt: at, updatedAt: at }
    const created = em.create(Iaca, { ...columns, certificate: Buffer.from(der) })
    await em.flush()
    return iacaRecord(created, at)
  }

  return {
    /** Creates an IACA with its key in the key store. Refusals: `request.invalid`, `iaca.too_many`. */
    async createIaca(call: Call, request: NewIaca): Promise<IacaRecord> {
      const { tenantId, idempotency } = call
      // an earlier attempt made the IACA: make no second key
      if (idempotency && 'effect' in idempotency) return idempotency.effect as IacaRecord
      const validity = validityOf(request, now())
      const { host, contactUrl, crlUrl } = await terms.addressesOf(tenants, tenantId)
      const subject = checkIacaSubject(request, host)
      const id = uuid()
      const key = await createKey(tenantId, 'p256')
      const { keyId, publicKey, custody } = key
      const signer = { publicKey, sign: (data: Uint8Array) => parts.keys.sign(key, data) }
      const places = { crlUrl: crlUrl(id), contactUrl, random: terms.random16() }
      const certificate = storedCertificate(await createIacaCertificate(signer, { ...validity, ...places, subject }))
      return operations.change(call, 'createMobileCredentialsIaca', { id, managed: true }, async (em) => {
        await terms.giveKey(em, keyId, id, { publicKey: Buffer.from(publicKey), custody })
        return store(em, { id, tenantId, keyId }, certificate)
      })
    },

    /**
     * Takes the certificate of an IACA whose key is elsewhere: verification trusts it, and it can certify document
     * signers by their requests. Refusals: `certificate.malformed`, `iaca.certificate_invalid`, `iaca.taken`,
     * `iaca.too_many`.
     */
    async importIaca(call: Call, certificatePem: string): Promise<IacaRecord> {
      const certificate = importedCertificate(certificatePem, now())
      const row = { id: uuid(), tenantId: call.tenantId, keyId: null }
      return operations
        .change(call, 'createMobileCredentialsIaca', { id: row.id, managed: false }, (em) =>
          store(em, row, certificate),
        )
        .catch((error: unknown) => {
          // of two concurrent requests the unique index lets one pass (mobile_iacas_once)
          if (!(error instanceof UniqueConstraintViolationException)) throw error
          throw iacaTaken()
        })
    },

    listIacas(tenantId: string, { limit, offset }: { limit: number; offset: number }) {
      return inTenant(database.tenants, tenantId, async (em) => {
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        const [rows, total] = await em.findAndCount(Iaca, LIVE, { orderBy, limit, offset })
        return { iacas: rows.map((row) => iacaRecord(row, now())), total }
      })
    },

    readIaca: (tenantId: string, id: string): Promise<IacaRecord> =>
      inTenant(database.tenants, tenantId, async (em) => iacaRecord(await findIaca(em, id), now())),

    /** An inactive IACA certifies no new signers, is not published, and is not trusted. */
    updateIaca: (call: Call, id: string, { active }: { active: boolean }): Promise<IacaRecord> =>
      operations.change(call, 'updateMobileCredentialsIaca', { id, active }, async (em) => {
        const row = await findIaca(em, id, 'change')
        Object.assign(row, { active, updatedAt: now() })
        await em.flush()
        return iacaRecord(row, now())
      }),

    /**
     * Refuses `iaca.in_use` while a document signer of it is not deleted, or a revoked one has not expired: only its list
     * tells verifiers elsewhere.
     */
    async deleteIaca(call: Call, id: string): Promise<void> {
      const { keyId } = await operations.change(call, 'deleteMobileCredentialsIaca', { id }, async (em) => {
        const row = await findIaca(em, id, 'change')
        if ((await em.count(DocumentSigner, { iacaId: id, ...LIVE })) > 0)
          throw new Refusal('iaca.in_use', 'The IACA has document signers. Delete them first.')
        const revoked = { iacaId: id, revokedAt: { $ne: null }, notAfter: { $gt: now() } }
        // another authority signs the list of an imported one
        const last = row.keyId
          ? await em.findOne(DocumentSigner, revoked, { orderBy: { notAfter: 'desc', id: 'asc' } })
          : null
        if (last?.notAfter)
          throw new Refusal(
            'iaca.in_use',
            `The list of the IACA names certificates that were revoked, the last of them until ${last.notAfter.toISOString()}.`,
          )
        row.deletedAt = now()
        if (row.keyId) await terms.giveKey(em, row.keyId, null)
        return { keyId: row.keyId }
      })
      if (keyId) await destroyKey(call.tenantId, keyId)
    },
  }
}

export type Iacas = ReturnType<typeof createIacas>
