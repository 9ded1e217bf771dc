import { randomBytes } from 'node:crypto'
import { momentOf } from '../../protocol/dates.ts'
import type { PublicJwk } from '../../protocol/dids/jwk.ts'
import { Refusal } from '../../protocol/errors.ts'
import { coseKeyOf, issue, nameSpacesOf, type Validity } from '../../protocol/mobile-credentials/issuer-signed.ts'
import { nameSpacesToJson } from '../../protocol/mobile-credentials/shown.ts'
import type { Issuing } from '../credentials/issue.ts'
import type { SignedRow } from '../credentials/record.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Call } from '../frame/operations.ts'
import { signerNotFound } from './document-signers.ts'
import { usabilityOf } from './records.ts'
import { invalidRequest, wholeSecond } from './terms.ts'

export interface Branding {
  backgroundColor?: string
  description?: string
  issuerIcon?: string
  issuerLogo?: string
  name?: string
  watermarkImage?: string
}

export interface MobilePayload {
  docType: string
  /** Elements by namespace. */
  itemsToSign: Record<string, unknown>
  branding?: Branding | undefined
  deviceKeyInfo?: { deviceKey: PublicJwk } | undefined
  validityInfo?: { validFrom?: string; validUntil?: string; expectedUpdate?: string } | undefined
}

export interface MobileSignRequest {
  /** Default: the usable signer that was created or changed last. */
  documentSignerId?: string | null | undefined
  payload: MobilePayload
}

export interface SignedMobileCredential {
  id: string
  /** IssuerSigned in base64url. */
  encoded: string
  decoded: {
    docType: string
    branding?: Branding
    /** In base64url. */
    issuerAuth: string
    namespaces: Record<string, Record<string, unknown>>
  }
}

/** A signed mdoc with the columns of its row. */
export type SignedMobileRow = SignedRow & { document: Uint8Array; documentSignerId: string } & Pick<
    SignedMobileCredential,
    'decoded'
  >

interface SignerRow {
  id: string
  key_id: string
  active: boolean
  public_key: Buffer
  certificate: Buffer | null
  not_before: string | Date | null
  not_after: string | Date | null
  revoked_at: string | Date | null
  iaca_active: boolean
}

const SIGNER = `select s.id, s.key_id, s.active, s.public_key, s.certificate, s.not_before, s.not_after, s.revoked_at,
  i.active and i.deleted_at is null as iaca_active
from mobile_document_signers s join mobile_iacas i on i.tenant_id = s.tenant_id and i.id = s.iaca_id
where s.tenant_id = $1 and s.deleted_at is null`

const NEWEST = `${SIGNER} and s.active and s.revoked_at is null and s.not_before <= $2 and s.not_after > $2
  and i.active and i.deleted_at is null order by s.updated_at desc, s.id limit 1`

const YEAR_DAYS = 365

/** The pool reads times as texts. */
const dateIn = (value: string | Date | null): Date | null => (value === null ? null : new Date(value))

const notUsable = (why: string) =>
  new Refusal('document_signer.not_usable', `The document signer cannot sign: ${why}. Name another one.`)

/** Throws `Refusal('request.invalid')` for times that an mdoc cannot have (ISO/IEC 18013-5, 9.1.2.4). */
function validityOf(given: NonNullable<MobilePayload['validityInfo']>, now: Date): Validity {
  const signed = wholeSecond(now)
  const read = (name: 'validFrom' | 'validUntil' | 'expectedUpdate'): Date | undefined => {
    if (given[name] === undefined) return undefined
    const moment = momentOf(given[name], { zoneRequired: true })
    if (moment) return wholeSecond(moment)
    throw refuse(name, 'expected a date and time with its zone (RFC 3339)')
  }
  const refuse = (name: string, expected: string) =>
    invalidRequest(
      `payload.validityInfo.${name}`,
      'validity',
      expected,
      'The credential cannot be valid for this time.',
    )
  const validFrom = read('validFrom') ?? signed
  const validUntil = read('validUntil') ?? new Date(validFrom.getTime() + YEAR_DAYS * 86_400_000)
  if (validFrom < signed) throw refuse('validFrom', 'expected a time that is not in the past')
  if (validUntil <= validFrom) throw refuse('validUntil', 'expected a time after validFrom')
  return { signed, validFrom, validUntil, expectedUpdate: read('expectedUpdate') }
}

interface Parts extends Pick<Dependencies, 'systemSql' | 'keys' | 'now'> {
  issuing: Issuing
}

/** Signs mdocs as document signers of the tenant. */
export function createMobileSigning({ systemSql, keys, now, issuing }: Parts) {
  /** Throws `document_signer.not_found`, `document_signer.not_usable` or `document_signer.missing`. */
  async function signerOf(tenantId: string, id: string | undefined): Promise<SignerRow & { certificate: Buffer }> {
    const time = now()
    const query =
      id === undefined
        ? { name: 'newest-document-signer', text: NEWEST, values: [tenantId, time] }
        : { name: 'document-signer', text: `${SIGNER} and s.id = $2`, values: [tenantId, id] }
    const [row] = (await systemSql.query<SignerRow>(query)).rows
    if (!row) {
      if (id !== undefined) throw signerNotFound()
      throw new Refusal('document_signer.missing', 'The tenant has no usable document signer. Create one first.')
    }
    const { active, certificate } = row
    const [notBefore, notAfter, revokedAt] = [row.not_before, row.not_after, row.revoked_at].map(dateIn)
    const usability = usabilityOf({ active, notBefore, notAfter, revokedAt }, time)
    if (usability !== 'usable' || !certificate) throw notUsable(usability)
    if (!row.iaca_active) throw notUsable('its IACA is inactive')
    return { ...row, certificate }
  }

  async function sign(tenantId: string, id: string, request: MobileSignRequest): Promise<SignedMobileRow> {
    const { docType, itemsToSign, branding, deviceKeyInfo, validityInfo = {} } = request.payload
    if (docType.length === 0 || docType.length > 255)
      throw invalidRequest(
        'payload.docType',
        'length',
        'expected 1 to 255 characters',
        'The document type is not valid.',
      )
    const nameSpaces = nameSpacesOf(itemsToSign, 'payload.itemsToSign')
    const validity = validityOf(validityInfo, now())
    const deviceKey = deviceKeyInfo && coseKeyOf(deviceKeyInfo.deviceKey, 'payload.deviceKeyInfo.deviceKey')
    const signer = await signerOf(tenantId, request.documentSignerId ?? undefined)
    const ref = { tenantId, keyId: signer.key_id, keyType: 'p256' } as const
    const deleted = (error: unknown): never => {
      if (error instanceof Refusal && error.code === 'key.not_found') throw notUsable('it was deleted')
      throw error
    }
    const { issuerSigned, issuerAuth } = await issue(
      {
        docType,
        nameSpaces,
        validity,
        deviceKey,
        certificate: new Uint8Array(signer.certificate),
        random: (bytes) => new Uint8Array(randomBytes(bytes)),
      },
      { publicKey: new Uint8Array(signer.public_key), sign: (data) => keys.sign(ref, data).catch(deleted) },
    )
    return {
      id,
      format: 'mobile',
      document: issuerSigned,
      decoded: {
        docType,
        ...(branding && { branding }),
        issuerAuth: Buffer.from(issuerAuth).toString('base64url'),
        namespaces: nameSpacesToJson(nameSpaces),
      },
      didId: null,
      documentSignerId: signer.id,
      issuer: signer.id,
      proofType: 'ES256',
      tag: null,
      types: [docType],
      issuanceDate: validity.signed.toISOString(),
      expirationDate: validity.validUntil.toISOString(),
      statusListId: null,
      statusIndex: null,
      suspensionListId: null,
      suspensionIndex: null,
    }
  }

  return {
    sign,

    /**
     * Signs and records a mobile credential. Refusals: `request.invalid`, `credential.invalid` with the fields,
     * `document_signer.not_found`, `document_signer.not_usable`, `document_signer.missing`; `Unavailable('keys')`.
     */
    signMobileCredential: (call: Call, request: MobileSignRequest): Promise<SignedMobileCredential> =>
      issuing.issueAs(
        call,
        {
          name: 'mobile',
          sign,
          result: ({ id, document, decoded }: SignedMobileRow): SignedMobileCredential => ({
            id,
            encoded: Buffer.from(document).toString('base64url'),
            decoded,
          }),
          issuerGone: () => notUsable('it was revoked, deactivated or deleted while the credential was being signed'),
        },
        request,
      ),
  }
}

export type MobileSigning = ReturnType<typeof createMobileSigning>
