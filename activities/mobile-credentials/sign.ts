import { randomBytes } from 'node:crypto'
import type { PolicyGate } from '../../protocol/credentials/policy.ts'
import { momentOf } from '../../protocol/dates.ts'
import { overDocument, Refusal, within } from '../../protocol/errors.ts'
import {
  coseKeyOf,
  issue,
  MAX_SIGNED_BYTES,
  type NameSpaces,
  nameSpacesOf,
  tooLong,
  type Validity,
} from '../../protocol/mobile-credentials/issuer-signed.ts'
import { isSignedFor, MDL_NAMESPACE } from '../../protocol/mobile-credentials/namespaces.ts'
import type { Branding, MobilePayload } from '../../protocol/mobile-credentials/payload.ts'
import { nameSpacesToJson } from '../../protocol/mobile-credentials/shown.ts'
import { statusMember } from '../../protocol/mobile-credentials/status.ts'
import { statusListUrl } from '../../protocol/status-list/credential.ts'
import { lastHourOf } from '../../protocol/time.ts'
import type { Issuing } from '../credentials/issue.ts'
import type { SignedRow } from '../credentials/record.ts'
import type { StatusEntries } from '../credentials/status-lists/allocation.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Call } from '../frame/operations.ts'
import type { Tenants } from '../frame/tenants/index.ts'
import { type MobileSigner, type MobileSigners, notUsable } from './signers.ts'
import { invalidRequest, wholeSecond } from './terms.ts'

export interface MobileSignRequest {
  /** Default: the usable signer that was created or changed last. */
  documentSignerId?: string | null | undefined
  payload: MobilePayload
  /** Gives it an entry in a status list. */
  revocable?: boolean | undefined
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
    status?: { status_list: { idx: number; uri: string } }
  }
}

/** A signed mdoc with the columns of its row. */
export type SignedMobileRow = SignedRow & { document: Uint8Array; documentSignerId: string } & Pick<
    SignedMobileCredential,
    'decoded'
  >

/** Kind of the lists of mobile credentials. */
export const LIST_KIND = 'TokenStatusList'

const YEAR_DAYS = 365

/**
 * Throws `Refusal('request.invalid')` for times that an mdoc cannot have (ISO/IEC 18013-5, 9.1.2.4). The certificate of the
 * signer: before it begins nothing is signed, and after its end nobody verifies the credential (D-375).
 */
function validityOf(
  given: NonNullable<MobilePayload['validityInfo']>,
  at: Date,
  { notBefore, notAfter }: Pick<MobileSigner, 'notBefore' | 'notAfter'>,
): Validity {
  const signed = wholeSecond(at < notBefore ? notBefore : at)
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
  const aYear = validFrom.getTime() + YEAR_DAYS * 86_400_000
  const validUntil = read('validUntil') ?? new Date(Math.min(aYear, lastHourOf(notAfter, validFrom).getTime()))
  if (validFrom < signed) throw refuse('validFrom', 'expected a time that is not in the past')
  if (validFrom >= notAfter) throw refuse('validFrom', `expected a time before ${notAfter.toISOString()}, the end of the document signer's certificate`) // biome-ignore format: one line
  if (validUntil > notAfter) throw refuse('validUntil', `expected a time until ${notAfter.toISOString()}, the end of the document signer's certificate`) // biome-ignore format: one line
  if (validUntil <= validFrom) throw refuse('validUntil', 'expected a time after validFrom')
  return { signed, validFrom, validUntil, expectedUpdate: read('expectedUpdate') }
}

/** Verification would refuse the licence (D-322). */
function assertCountry(nameSpaces: NameSpaces, signer: MobileSigner): void {
  const issuingCountry = nameSpaces.get(MDL_NAMESPACE)?.get('issuing_country')
  if (issuingCountry === undefined || isSignedFor(issuingCountry, signer.country())) return
  throw new Refusal('credential.invalid', 'The document signer does not sign for this country.', [
    {
      path: within('payload.itemsToSign', MDL_NAMESPACE, 'issuing_country'),
      code: 'issuing_country',
      message: `expected ${signer.country()}, the country of the certificate of the document signer`,
    },
  ])
}

interface Parts extends Pick<Dependencies, 'now'> {
  issuing: Issuing
  entries: StatusEntries
  tenants: Pick<Tenants, 'byId'>
  mobileSigners: MobileSigners
  policyGate: Pick<PolicyGate, 'assertMayIssue'>
}

/** Signs mdocs as document signers of the tenant. */
export function createMobileSigning({ now, issuing, entries, tenants, mobileSigners, policyGate }: Parts) {
  /** Takes an entry of a list of the signer's IACA: another signer of it can sign the list (D-279). */
  async function takeEntry(tenantId: string, { iacaId }: MobileSigner, together: number) {
    const owner = { tenantId, issuerId: iacaId, kind: LIST_KIND, purpose: 'revocation', proofType: 'ES256' } as const
    const { listId, index } = await entries.take(owner, together)
    return { listId, index, url: statusListUrl((await tenants.byId(tenantId)).baseUrl, listId, LIST_KIND) }
  }

  /** `together`: how many credentials the caller signs in a row. `at`: when they count as signed, at the latest now. */
  async function sign(
    tenantId: string,
    id: string,
    request: MobileSignRequest,
    together = 1,
    at = now(),
  ): Promise<SignedMobileRow> {
    const { docType, itemsToSign, branding, deviceKeyInfo, validityInfo = {} } = request.payload
    if (docType.length === 0 || docType.length > 255)
      throw invalidRequest(
        'payload.docType',
        'length',
        'expected 1 to 255 characters',
        'The document type is not valid.',
      )
    const [nameSpaces, deviceKey] = await overDocument(() => [
      nameSpacesOf(itemsToSign, 'payload.itemsToSign'),
      deviceKeyInfo && coseKeyOf(deviceKeyInfo.deviceKey, 'payload.deviceKeyInfo.deviceKey'),
    ])
    const signer = await mobileSigners.signerOf(tenantId, request.documentSignerId ?? undefined)
    const judged = { format: 'mobile', issuer: signer.authority(), types: [docType] } as const
    await policyGate.assertMayIssue(tenantId, judged, { issuer: 'documentSignerId', type: 'payload.docType' })
    const validity = validityOf(validityInfo, at, signer)
    assertCountry(nameSpaces, signer)
    const entry = request.revocable ? await takeEntry(tenantId, signer, together) : undefined
    const toIssue = {
      docType,
      nameSpaces,
      validity,
      deviceKey,
      status: entry && statusMember(entry),
      certificate: signer.certificate,
      random: (bytes: number) => new Uint8Array(randomBytes(bytes)),
    }
    const { issuerSigned, issuerAuth } = await overDocument(() => issue(toIssue, signer))
    if (issuerSigned.length > MAX_SIGNED_BYTES) throw tooLong('payload.itemsToSign')
    return {
      id,
      format: 'mobile',
      document: issuerSigned,
      decoded: {
        docType,
        ...(branding && { branding }),
        issuerAuth: Buffer.from(issuerAuth).toString('base64url'),
        namespaces: nameSpacesToJson(nameSpaces),
        ...(entry && { status: { status_list: { idx: entry.index, uri: entry.url } } }),
      },
      didId: null,
      documentSignerId: signer.id,
      issuer: signer.id,
      proofType: 'ES256',
      tag: null,
      types: [docType],
      issuanceDate: validity.signed.toISOString(),
      expirationDate: validity.validUntil.toISOString(),
      statusListId: entry?.listId ?? null,
      statusIndex: entry?.index ?? null,
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
    async signMobileCredential(call: Call, request: MobileSignRequest): Promise<SignedMobileCredential> {
      const { tenantId } = call
      let wasGone = false
      const format = {
        name: 'mobile' as const,
        areIdsOurs: true,
        sign,
        result: ({ id, document, decoded }: SignedMobileRow): SignedMobileCredential => ({
          id,
          encoded: Buffer.from(document).toString('base64url'),
          decoded,
        }),
        issuerGone: () => {
          wasGone = true
          mobileSigners.forget(tenantId)
          return notUsable('it was revoked, deactivated or deleted while the credential was being signed')
        },
      }
      return issuing.issueAs(call, format, request).catch((error: unknown) => {
        // nobody named the signer, and another process changed it since this one last looked
        if (!wasGone || request.documentSignerId) throw error
        return issuing.issueAs(call, format, request)
      })
    },
  }
}

export type MobileSigning = ReturnType<typeof createMobileSigning>
