import { LRUCache } from 'lru-cache'
import { type FieldError, Refusal } from '../../protocol/errors.ts'
import { authorityOf } from '../../protocol/mobile-credentials/authority.ts'
import { countryOf, readCertificate } from '../../protocol/mobile-credentials/certificates.read.ts'
import type { Dependencies } from '../dependencies.ts'
import { byClock } from '../frame/caches.ts'
import type { Operations } from '../frame/operations.ts'
import { isKeyMissing, KeyLost } from '../keys/lost.ts'
import { storedCertificate, usabilityOf } from './records.ts'

interface Row {
  id: string
  iaca_id: string
  key_id: string
  active: boolean
  public_key: Buffer
  certificate: Buffer | null
  not_before: string | Date | null
  not_after: string | Date | null
  revoked_at: string | Date | null
  iaca_active: boolean
  iaca_certificate: Buffer
}

const SIGNER = `select s.id, s.iaca_id, s.key_id, s.active, s.public_key, s.certificate, s.not_before, s.not_after,
  s.revoked_at, i.active and i.deleted_at is null as iaca_active,
  i.certificate as iaca_certificate
from mobile_document_signers s join mobile_iacas i on i.tenant_id = s.tenant_id and i.id = s.iaca_id
where s.tenant_id = $1 and s.deleted_at is null`

const CAN_SIGN = `s.revoked_at is null and s.not_before <= $2 and s.not_after > $2 and i.deleted_at is null`

const NEWEST = `${SIGNER} and s.active and i.active and ${CAN_SIGN} order by s.updated_at desc, s.not_after desc, s.id limit 1`

/** A document signer is marked as deleted before its key is destroyed. */
const STANDS = `select 1 from mobile_document_signers where tenant_id = $1 and id = $2 and deleted_at is null`

/**
 * Lists are signed for as long as the IACA has a signer, also by one that signs no more credentials; the one whose certificate
 * lasts longest, which after a renewal is the successor.
 */
const OF_IACA = `${SIGNER} and ${CAN_SIGN} and s.iaca_id = $3
order by s.active desc, s.not_after desc, s.updated_at desc, s.id limit 1`

/** As long as a DID's keys are remembered (activities/dids/signers.ts); the record of a credential looks again. */
const REMEMBERED_MS = 5_000

/** A document signer that can sign now. */
export interface MobileSigner {
  id: string
  iacaId: string
  /** In DER. */
  certificate: Uint8Array
  /** Beginning of the certificate. */
  notBefore: Date
  /** End of the certificate. */
  notAfter: Date
  /** Of the certificate, in capitals. */
  country(): string
  /** The name of the key of the IACA, by which policies know it. */
  authority(): string
  /** Compressed point. */
  publicKey: Uint8Array
  /** Returns r‖s of ECDSA over SHA-256. Throws `document_signer.not_usable` for one deleted meanwhile, `KeyLost` for a lost key. */
  sign(data: Uint8Array): Promise<Uint8Array>
}

/** The pool reads times as texts. */
const dateIn = (value: string | Date | null): Date | null => (value === null ? null : new Date(value))

/** Where a request names its signer. */
const named = (code: string, message: string): FieldError => ({ path: 'documentSignerId', code, message })

export const notUsable = (why: string, errors: FieldError[] = []) =>
  new Refusal('document_signer.not_usable', `The document signer cannot sign: ${why}. Name another one.`, errors)

const unknownSigner = () =>
  new Refusal('document_signer.not_found', 'There is no such document signer.', [
    named('unknown', 'expected the id of a document signer of the tenant'),
  ])

const notSigning = (why: string) => notUsable(why, [named('not_usable', 'expected a document signer that is usable')])

/** Of rows that are remembered, so that not each signature reads the certificate. */
const countries = new WeakMap<Row, string>()

function countryOfRow(row: Row, stored: Uint8Array): string {
  const known = countries.get(row)
  if (known !== undefined) return known
  const certificate = readCertificate(stored)
  const country = certificate ? countryOf(certificate) : ''
  countries.set(row, country)
  return country
}

const authorities = new WeakMap<Row, string>()

function authorityOfRow(row: Row): string {
  const known = authorities.get(row)
  if (known !== undefined) return known
  const authority = authorityOf(storedCertificate(row.iaca_certificate))
  authorities.set(row, authority)
  return authority
}

/** The document signers of a tenant that can sign. */
export function createMobileSigners({ systemSql, keys, now }: Pick<Dependencies, 'systemSql' | 'keys' | 'now'>) {
  const cache = new LRUCache<string, Row>({ max: 10_000, ttl: REMEMBERED_MS, ...byClock(now) })

  async function find(tenantId: string, id: string | undefined): Promise<Row | undefined> {
    const name = `${tenantId} ${id ?? ''}`
    const cached = cache.get(name)
    if (cached) return cached
    const query =
      id === undefined
        ? { name: 'newest-document-signer', text: NEWEST, values: [tenantId, now()] }
        : { name: 'document-signer', text: `${SIGNER} and s.id = $2`, values: [tenantId, id] }
    const [row] = (await systemSql.query<Row>(query)).rows
    if (row) cache.set(name, row)
    return row
  }

  function forget(tenantId: string): void {
    for (const name of cache.keys()) if (name.startsWith(tenantId)) cache.delete(name)
  }

  function signerOfRow(tenantId: string, row: Row, stored: Buffer): MobileSigner {
    const [notBefore, notAfter] = [dateIn(row.not_before), dateIn(row.not_after)]
    if (!notBefore || !notAfter) throw new Error('a document signer has a certificate without a beginning or an end')
    const certificate = new Uint8Array(stored)
    const ref = { tenantId, keyId: row.key_id, keyType: 'p256' } as const
    const missing = async (error: unknown): Promise<never> => {
      if (!isKeyMissing(error)) throw error
      forget(tenantId)
      const query = { name: 'document-signer-stands', text: STANDS, values: [tenantId, row.id] }
      if ((await systemSql.query<object>(query)).rows.length > 0)
        throw new KeyLost('the key of a document signer', error)
      throw notUsable('it was deleted')
    }
    return {
      id: row.id,
      iacaId: row.iaca_id,
      certificate,
      notBefore,
      notAfter,
      country: () => countryOfRow(row, certificate),
      authority: () => authorityOfRow(row),
      publicKey: new Uint8Array(row.public_key),
      sign: (data) => keys.sign(ref, data).catch(missing),
    }
  }

  return {
    /**
     * `id`: by default the usable signer that was created or changed last. Throws `document_signer.not_found`,
     * `document_signer.not_usable` or `document_signer.missing`.
     */
    async signerOf(tenantId: string, id: string | undefined): Promise<MobileSigner> {
      const row = await find(tenantId, id)
      if (!row) {
        if (id !== undefined) throw unknownSigner()
        throw new Refusal(
          'document_signer.missing',
          'The tenant has no usable document signer. Create one, or activate one of those there are, or its IACA.',
        )
      }
      const { active, certificate } = row
      const [notBefore, notAfter, revokedAt] = [row.not_before, row.not_after, row.revoked_at].map(dateIn)
      const usability = usabilityOf({ active, notBefore, notAfter, revokedAt }, now())
      if (usability !== 'usable' || !certificate) {
        forget(tenantId)
        throw notSigning(usability)
      }
      if (!row.iaca_active) throw notSigning('its IACA is inactive')
      return signerOfRow(tenantId, row, certificate)
    },

    /** Signs the lists of an IACA. Throws `document_signer.missing` where it has no valid document signer. */
    async listSigner(tenantId: string, iacaId: string): Promise<MobileSigner> {
      const values = [tenantId, now(), iacaId]
      const [row] = (await systemSql.query<Row>({ name: 'list-signer', text: OF_IACA, values })).rows
      if (row?.certificate) return signerOfRow(tenantId, row, row.certificate)
      throw new Refusal(
        'document_signer.missing',
        'The IACA of this list has no document signer that is valid now, so the list cannot be signed.',
      )
    },

    forget,

    /** The unit of work of a change of signers or IACAs: this process looks at them again. */
    changing: (operations: Operations): Operations => ({
      ...operations,
      async change(call, ...work) {
        try {
          return await operations.change(call, ...work)
        } finally {
          forget(call.tenantId)
        }
      },
    }),
  }
}

export type MobileSigners = ReturnType<typeof createMobileSigners>
