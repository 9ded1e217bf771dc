import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { DocumentSigner, Iaca } from '../../entities/mobile-credentials.ts'
import { inTenant } from '../../entities/orm.ts'
import { Refusal } from '../../protocol/errors.ts'
import { type Certificate, ownSignerFaults, readPem } from '../../protocol/mobile-credentials/certificates.read.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Call, Metadata, Operations } from '../frame/operations.ts'
import type { Tenants } from '../frame/tenants/index.ts'
import { createKeyRows } from '../keys/rows.ts'
import { assertRoom, columnsOf, createCertification, LIVE, type NewSigner, validityOf } from './certify.ts'
import { findIaca } from './iacas.ts'
import { type SignerRecord, signerRecord, storedCertificate, usabilityOf } from './records.ts'
import * as terms from './terms.ts'

export interface SignerChange {
  active?: boolean | undefined
  renew?: boolean | undefined
  certificatePem?: string | undefined
}

interface Parts extends Pick<Dependencies, 'database' | 'keys' | 'uuid' | 'now' | 'log'> {
  operations: Operations
  tenants: Pick<Tenants, 'byId'>
}

const notRenewable = () =>
  terms.invalidRequest(
    'renew',
    'imported',
    'expected false: another authority has the key of the IACA',
    'The platform cannot renew a document signer of an imported IACA.',
  )

const notUsable = (usability: string, more = '') =>
  new Refusal('document_signer.not_usable', `The document signer cannot sign: ${usability}. ${more}`.trim())

const signerNotFound = () => new Refusal('document_signer.not_found', 'There is no such document signer.')

/** Finds a document signer that is not deleted. Throws `Refusal('document_signer.not_found')`. */
async function findSigner(em: SqlEntityManager, id: string, lock = false): Promise<DocumentSigner> {
  const options = lock ? { lockMode: LockMode.PESSIMISTIC_WRITE } : {}
  const row = await em.findOne(DocumentSigner, { id, ...LIVE }, options)
  if (!row) throw signerNotFound()
  return row
}

/** Its signers cannot sign, as those of a deleted one. */
const NO_IACA = { active: false, deletedAt: null }

/** The IACA of the request, or else the newest usable one with a key here. */
async function chooseIaca(em: SqlEntityManager, iacaId: string | undefined, now: Date): Promise<Iaca> {
  if (iacaId === undefined) {
    const usable = { active: true, notBefore: { $lte: now }, notAfter: { $gt: now }, keyId: { $ne: null } }
    const row = await em.findOne(Iaca, { ...usable, ...LIVE }, { orderBy: { createdAt: 'desc', id: 'asc' } })
    if (row) return row
    throw new Refusal('iaca.missing', 'The tenant has no usable IACA of its own. Create one first, or name one.')
  }
  const row = await findIaca(em, iacaId)
  const usability = usabilityOf(row, now)
  if (usability === 'usable') return row
  throw new Refusal('iaca.not_usable', `The IACA cannot certify document signers: it is ${usability}.`)
}

/** Throws `Refusal('document_signer.certificate_invalid')` with each rule that the certificate breaks. */
function certificateFor(pem: string, row: DocumentSigner, iaca: Iaca, now: Date): Certificate {
  const certificate = readPem(pem, 'certificatePem')
  const faults = ownSignerFaults(certificate, storedCertificate(iaca.certificate), new Uint8Array(row.publicKey))
  if (certificate.notAfter <= now)
    faults.push({ code: 'expired', message: 'expected a certificate that has not expired' })
  if (faults.length === 0) return certificate
  throw new Refusal(
    'document_signer.certificate_invalid',
    'The certificate does not fit the document signer and its IACA; see errors.',
    faults.map((fault) => ({ path: 'certificatePem', ...fault })),
  )
}

/**
 * The lists that it may have signed are signed anew, by another signer of the IACA, or are away. As a change, so that one
 * which is being signed meanwhile is due again.
 */
const END_LISTS = `update status_lists set changes = changes + 1,
  changed_since = coalesce(changed_since, clock_timestamp()), valid_until = least(valid_until, ?::timestamptz)
where iaca_id = ? and signed_at is not null`

/** The keys of a tenant that sign mobile credentials, each with a certificate of an IACA. */
export function createDocumentSigners(parts: Parts) {
  const { database, uuid, now, operations } = parts
  const certify = createCertification(parts)
  const { createKey } = createKeyRows(parts)
  const destroyKey = terms.createKeyRelease(parts)

  const shown = async (em: SqlEntityManager, row: DocumentSigner): Promise<SignerRecord> =>
    signerRecord(row, (await em.findOne(Iaca, { id: row.iacaId })) ?? NO_IACA, now())

  return {
    /**
     * Creates a key and its certificate; for an IACA whose key is elsewhere, the request for one (`csrPem`). Refusals:
     * `request.invalid`, `iaca.not_found`, `iaca.missing`, `iaca.not_usable`, `document_signer.too_many`.
     */
    async createSigner(call: Call, request: NewSigner): Promise<SignerRecord> {
      const { tenantId, idempotency } = call
      // an earlier attempt made the signer: make no second key
      if (idempotency && 'effect' in idempotency) return idempotency.effect as SignerRecord
      const iaca = await inTenant(database.tenants, tenantId, async (em) => {
        await assertRoom(em, now())
        const chosen = await chooseIaca(em, request.iacaId, now())
        if (chosen.keyId) validityOf(request.notAfter, chosen, now())
        else if (request.active)
          throw terms.invalidRequest(
            'active',
            'certificate',
            'expected false: the signer has no certificate before its update',
            'A document signer of an imported IACA cannot be active at once.',
          )
        if (!chosen.keyId && request.renew) throw notRenewable()
        return chosen
      })
      if (request.commonName !== undefined) terms.commonNameOf(request.commonName, 'commonName')
      const key = await createKey(tenantId, 'p256')
      const certificate = await certify(iaca, key, request)
      const id = uuid()
      const active = request.active ?? iaca.keyId != null
      const metadata: Metadata = { id, iacaId: iaca.id, active }
      return operations.change(call, 'createMobileCredentialsDocumentSigner', metadata, async (em) => {
        await terms.lockRows(em, tenantId, 'document signers')
        await assertRoom(em, now())
        await findIaca(em, iaca.id, 'use') // it may have been deleted meanwhile
        const publicKey = Buffer.from(key.publicKey)
        await terms.giveKey(em, key.keyId, id, { publicKey, custody: key.custody })
        const at = now()
        const owner = {
          id,
          tenantId,
          iacaId: iaca.id,
          keyId: key.keyId,
          publicKey,
          active,
          renew: request.renew ?? true,
        }
        const row = em.create(DocumentSigner, { ...owner, ...certificate, createdAt: at, updatedAt: at })
        await em.flush()
        return signerRecord(row, iaca, at)
      })
    },

    /**
     * Activates or deactivates a signer, or takes the certificate of its request. Refusals:
     * `document_signer.not_usable` for an activation without effect and for a certificate of a revoked signer,
     * `certificate.malformed`, `document_signer.certificate_invalid`; `document_signer.too_many` for a new certificate of an
     * expired signer.
     */
    updateSigner(call: Call, id: string, { active, renew, certificatePem }: SignerChange): Promise<SignerRecord> {
      const metadata: Metadata = { id, ...(active !== undefined && { active }), ...(renew !== undefined && { renew }) }
      return operations.change(call, 'updateMobileCredentialsDocumentSigner', metadata, async (em) => {
        // before the row, as those who create signers
        if (certificatePem !== undefined) await terms.lockRows(em, call.tenantId, 'document signers')
        const row = await findSigner(em, id, true)
        if (certificatePem !== undefined) {
          if (row.revokedAt) throw notUsable('revoked', 'It takes no certificate.')
          const iaca = await findIaca(em, row.iacaId, 'use')
          if (iaca.keyId)
            throw new Refusal('document_signer.certified', 'The IACA of this document signer certified it already.')
          // an expired one counted no more, and others may have its place
          if (row.notAfter && row.notAfter <= now()) await assertRoom(em, now())
          Object.assign(row, columnsOf(certificateFor(certificatePem, row, iaca, now())), { warnedDays: null })
        }
        if (active !== undefined) {
          const usability = usabilityOf({ ...row, active: true }, now())
          if (active && usability !== 'usable' && usability !== 'not_yet_valid') throw notUsable(usability)
          row.active = active
        }
        if (renew && row.csr) throw notRenewable()
        if (renew !== undefined) Object.assign(row, { renew, renewalFault: null })
        row.updatedAt = now()
        await em.flush()
        return shown(em, row)
      })
    },

    listSigners(tenantId: string, { limit, offset }: { limit: number; offset: number }) {
      return inTenant(database.tenants, tenantId, async (em) => {
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        const [rows, total] = await em.findAndCount(DocumentSigner, LIVE, { orderBy, limit, offset })
        const iacas = await em.find(Iaca, { id: { $in: rows.map(({ iacaId }) => iacaId) } })
        const iacaOf = new Map(iacas.map((iaca) => [iaca.id, iaca]))
        const signers = rows.map((row) => signerRecord(row, iacaOf.get(row.iacaId) ?? NO_IACA, now()))
        return { signers, total }
      })
    },

    readSigner: (tenantId: string, id: string): Promise<SignerRecord> =>
      inTenant(database.tenants, tenantId, async (em) => shown(em, await findSigner(em, id))),

    /**
     * Revokes the key for ever: it signs nothing more, no certificate of it verifies, and the list of its IACA names the
     * last one. Status lists that it signed end. Again: unchanged.
     */
    revokeSigner: (call: Call, id: string): Promise<SignerRecord> =>
      operations.change(call, 'revokeMobileCredentialsDocumentSigner', { id }, async (em) => {
        const row = await findSigner(em, id, true)
        if (!row.revokedAt) {
          Object.assign(row, { revokedAt: terms.wholeSecond(now()), active: false, updatedAt: now() })
          await em.nativeUpdate(Iaca, { id: row.iacaId }, { crlDue: true })
          await em.execute(END_LISTS, [now(), row.iacaId])
        }
        await em.flush()
        return shown(em, row)
      }),

    /** Destroys the key. Credentials that it signed stay valid; revoke the signer first where they must not. */
    async deleteSigner(call: Call, id: string): Promise<void> {
      const { keyId } = await operations.change(call, 'deleteMobileCredentialsDocumentSigner', { id }, async (em) => {
        const row = await findSigner(em, id, true)
        row.deletedAt = now()
        await terms.giveKey(em, row.keyId, null)
        return { keyId: row.keyId }
      })
      await destroyKey(call.tenantId, keyId)
    },
  }
}

export type DocumentSigners = ReturnType<typeof createDocumentSigners>
