import type { MobileCredential } from '../../activities/mobile-credentials/read.ts'
import type { PublicJwk } from '../../protocol/dids/jwk.ts'
import type { ListedIssuerOut } from '../credentials/trust.wire.ts'
import type { Count, DateTime, JsonObject, Uri, Uuid } from '../frame/wire.ts'

/** A public JSON Web Key (RFC 7517). */
export type DeviceKey = JsonObject

/** The document type, such as org.iso.18013.5.1.mDL. */
export type DocType = string

/** Bytes in base64url (RFC 4648, section 5). */
export type MobileBytes = string

/** For the wallet that shows the credential; in the response only, because an mdoc has no place for it. */
export interface MobileBranding {
  backgroundColor?: string
  description?: string
  issuerIcon?: string
  issuerLogo?: string
  name?: string
  watermarkImage?: string
}

interface DeviceKeyInfo {
  deviceKey: DeviceKey
}

interface MobileValidity {
  /** Default: now. */
  validFrom?: DateTime
  /** Default: 365 days after validFrom. */
  validUntil?: DateTime
  expectedUpdate?: DateTime
}

/**
 * Elements by namespace. A value is JSON, or a text of it; {type, value} says what JSON cannot: binary (base64url or
 * base64), full-date, tdate. org.iso.18013.5.1 and eu.europa.ec.eudi.pid.1 have their own types.
 */
export type ItemsToSign = { [namespace: string]: JsonObject }

/** Elements by namespace: bytes in base64url, dates as texts. */
export type ShownItems = { [namespace: string]: JsonObject }

interface MobilePayload {
  branding?: MobileBranding
  docType: DocType
  itemsToSign: ItemsToSign
  /** Without it the credential is bound to no device, and no device can present it. */
  deviceKeyInfo?: DeviceKeyInfo
  validityInfo?: MobileValidity
}

export interface MobileSignIn {
  /** Default: the usable document signer that was created or changed last. */
  documentSignerId?: Uuid | null
  payload: MobilePayload
  /** Gives the credential an entry in a Token Status List. Default: false. */
  revocable?: boolean
}

/** Place of a credential in a Token Status List. */
interface MobileStatusList {
  idx: Count
  uri: Uri
}

interface MobileStatus {
  status_list: MobileStatusList
}

interface MobileDecoded {
  docType: string
  branding?: MobileBranding
  /** IssuerAuth (COSE_Sign1) in base64url. */
  issuerAuth: string
  namespaces: ShownItems
  /** Where a reader finds whether the credential is revoked; only with revocable true. */
  status?: MobileStatus
}

export interface MobileSignOut {
  id: Uuid
  /** IssuerSigned (ISO/IEC 18013-5, 8.3.2.1.2.2) in base64url. */
  encoded: string
  decoded: MobileDecoded
}

export interface MobileCredentialOut {
  id: Uuid
  docType: string
  documentSignerId: Uuid
  issuanceDate: DateTime
  expirationDate: DateTime
  revocable: boolean
  isRevoked: boolean
}

export interface MobileCredentialDetailsOut extends MobileCredentialOut {
  /** IssuerSigned in base64url. */
  encoded: string
  namespaces: ShownItems
}

export interface MobileCredentialPageOut {
  data: MobileCredentialOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

interface MobileSession {
  /** SessionTranscript in CBOR, in base64url. */
  transcript: MobileBytes
  /** The private key of the reader in this session, as a JSON Web Key: only for a response with a MAC. */
  readerPrivateKey?: JsonObject
}

export interface MobileVerifyIn {
  /** IssuerSigned, or a DeviceResponse, in base64url. */
  payload: MobileBytes
  /** Present: the device must have authenticated the response in this session. */
  session?: MobileSession
}

export interface MobileReason {
  type:
    | 'Syntax'
    | 'Certificate'
    | 'UntrustedIssuer'
    | 'IssuerNotListed'
    | 'IssuerNotAllowed'
    | 'VerifierNotAllowed'
    | 'CertificateRevoked'
    | 'Signature'
    | 'Digest'
    | 'DocType'
    | 'NotYetValid'
    | 'Expired'
    | 'Device'
    | 'Status'
    | 'Revoked'
    | 'StatusUnavailable'
  message: string
}

interface MobileValidityOut {
  signed: DateTime
  validFrom: DateTime
  validUntil: DateTime
}

interface VerifiedDocument {
  docType: string
  verified: boolean
  reason: MobileReason[]
  /** NoDevice: it is not from a device. DeviceNotChecked: no session was given. */
  warnings: string[]
  namespaces: ShownItems
  /** SHA-256 of the trusted certificate, in hex. */
  issuerFingerprint?: string
  /** Where an enforced trust list has the issuer; absent: none is enforced, or none has it. */
  trust?: ListedIssuerOut
  validityInfo: MobileValidityOut
}

export interface MobileVerifyOut {
  verified: boolean
  /** Every check that failed. */
  reason: MobileReason[]
  documents: VerifiedDocument[]
}

export const toSignRequest = ({ documentSignerId, payload, revocable = false }: MobileSignIn) => {
  const { branding, deviceKeyInfo, validityInfo, ...rest } = payload
  return {
    documentSignerId,
    revocable,
    payload: {
      ...rest,
      branding: branding && { ...branding },
      deviceKeyInfo: deviceKeyInfo && { deviceKey: deviceKeyInfo.deviceKey as PublicJwk },
      validityInfo: validityInfo && { ...validityInfo },
    },
  }
}

export const rowToWire = ({ row }: Pick<MobileCredential, 'row'>): MobileCredentialOut => ({
  id: row.id,
  docType: row.types[0] ?? '',
  documentSignerId: row.documentSignerId ?? '',
  issuanceDate: row.issuanceDate.toISOString(),
  expirationDate: (row.expirationDate ?? row.issuanceDate).toISOString(),
  revocable: row.statusListId != null,
  isRevoked: row.revoked,
})

export const detailsToWire = ({ row, encoded, namespaces }: MobileCredential): MobileCredentialDetailsOut => ({
  ...rowToWire({ row }),
  encoded,
  namespaces,
})
