import type { IacaRecord, SignerRecord, Usability } from '../../activities/mobile-credentials/records.ts'
import type { Count, DateTime, JsonObject, Uuid } from '../frame/wire.ts'

/** ISO 3166-1 alpha-2, in capitals. */
export type Country = string

/** 1 to 64 characters of a PrintableString (X.680). */
export type CommonName = string

export type StateOrProvince = string

/** One X.509 certificate in PEM (RFC 7468). */
export type CertificatePem = string

/** With certificatePem alone: imports an IACA whose key is elsewhere. Otherwise: creates one with a key of its own. */
export interface IacaIn {
  country?: Country
  /** Default: the tenant's host and "IACA". */
  commonName?: CommonName
  stateOrProvinceName?: StateOrProvince
  /** Default: now. */
  notBefore?: DateTime
  /** Default: 9 years after notBefore; at most 20. */
  notAfter?: DateTime
  certificatePem?: CertificatePem
}

export interface IacaUpdateIn {
  /** An inactive IACA certifies no new signers, is not published, and is not trusted. */
  active: boolean
}

export interface CertificateDataOut {
  commonName?: string
  country?: string
  stateOrProvinceName?: string
  notBefore: DateTime
  notAfter: DateTime
}

/** usable, or what keeps it from signing now; `iaca_inactive`: that the IACA of the document signer is inactive. */
export type UsabilityOut =
  | 'usable'
  | 'inactive'
  | 'iaca_inactive'
  | 'no_certificate'
  | 'not_yet_valid'
  | 'expired'
  | 'revoked'

export interface IacaOut {
  id: Uuid
  active: boolean
  /** true: the platform has its key. false: imported; another authority signs for it. */
  managed: boolean
  usability: UsabilityOut
  certificatePem: string
  /**
   * SHA-256 of the certificate, in hex.
   * @pattern ^[0-9a-f]{64}$
   */
  certificateFingerprint: string
  certificateData: CertificateDataOut
}

export interface IacaPageOut {
  data: IacaOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

export interface DocumentSignerIn {
  /** Default: true, and false for an imported IACA. */
  active?: boolean
  /** Default: the tenant's host and "Document Signer". */
  commonName?: CommonName
  /** Default: 365 days from now; at most 457, and not after the IACA. Only for an IACA of the platform. */
  notAfter?: DateTime
  /** Default: the newest usable IACA whose key the platform has. */
  iacaId?: Uuid
  /** Whether a new signer takes its place before it expires. Default: true for an IACA of the platform, else false. */
  renew?: boolean
}

export interface DocumentSignerUpdateIn {
  active?: boolean
  /** Whether a new signer takes its place before it expires; only for an IACA of the platform. */
  renew?: boolean
  /** The certificate that the imported IACA signed for csrPem. */
  certificatePem?: CertificatePem
}

export interface DocumentSignerOut {
  id: Uuid
  iacaId: Uuid
  active: boolean
  usability: UsabilityOut
  publicKey: JsonObject
  /** The request for a certificate (PKCS #10), where the IACA is an imported one. */
  csrPem?: string
  certificatePem?: string
  /**
   * SHA-256 of the certificate, in hex.
   * @pattern ^[0-9a-f]{64}$
   */
  certificateFingerprint?: string
  certificateData?: CertificateDataOut
  revoked: boolean
  revocationDate?: DateTime
  /** Whether a new signer takes its place before it expires. */
  renew: boolean
  /** The signer that renewed this one. */
  renewedById?: Uuid
}

export interface DocumentSignerPageOut {
  data: DocumentSignerOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

const shownUsability = (usability: Usability): UsabilityOut => {
  if (usability === 'deleted') throw new Error('what is deleted is not shown')
  return usability
}

export const iacaToWire = ({ usability, ...record }: IacaRecord): IacaOut => ({
  ...record,
  usability: shownUsability(usability),
})

export const signerToWire = ({ usability, publicKey, ...record }: SignerRecord): DocumentSignerOut => ({
  ...record,
  publicKey: { ...publicKey },
  usability: shownUsability(usability),
})
