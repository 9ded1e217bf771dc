import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { LRUCache } from 'lru-cache'
import { DocumentSigner, type Iaca } from '../../entities/mobile-credentials.ts'
import { type PublicJwk, toJwk } from '../../protocol/dids/jwk.ts'
import { authorityOf } from '../../protocol/mobile-credentials/authority.ts'
import {
  type Certificate,
  fingerprintOf,
  parseCertificate,
} from '../../protocol/mobile-credentials/certificates.read.ts'
import { toPem } from '../../protocol/mobile-credentials/certificates.ts'
import { hasIssued } from '../../protocol/mobile-credentials/issued.ts'

/** Data of a certificate that lists show. */
export interface CertificateData {
  commonName?: string | undefined
  country?: string | undefined
  stateOrProvinceName?: string | undefined
  notBefore: string
  notAfter: string
}

/** What keeps something from signing now; `usable` where nothing does. */
export type Usability =
  | 'usable'
  | 'inactive'
  | 'iaca_inactive'
  | 'deleted'
  | 'no_certificate'
  | 'not_yet_valid'
  | 'expired'
  | 'revoked'

export interface IacaRecord {
  id: string
  active: boolean
  /** The platform has its key. */
  managed: boolean
  usability: Usability
  certificatePem: string
  certificateFingerprint: string
  certificateData: CertificateData
}

export interface SignerRecord {
  id: string
  iacaId: string
  active: boolean
  usability: Usability
  publicKey: PublicJwk
  csrPem?: string
  certificatePem?: string
  certificateFingerprint?: string
  certificateData?: CertificateData
  revoked: boolean
  revocationDate?: string
  /** Whether a new signer takes its place before it expires. */
  renew: boolean
  renewedById?: string
}

/** Each verification needs those of all IACAs of its tenant. */
const stored = new LRUCache<string, Certificate>({
  max: 2_000,
  maxSize: 4 * 1024 * 1024,
  sizeCalculation: ({ der }) => der.length,
})

/** A certificate of our own rows; imports of earlier releases may have bytes after it. */
export function storedCertificate(bytes: Uint8Array): Certificate {
  const name = fingerprintOf(bytes)
  const before = stored.get(name)
  if (before) return before
  const certificate = parseCertificate(bytes)
  stored.set(name, certificate)
  return certificate
}

/**
 * Whether a list is of the authority that a credential leads to: by its key, since certificates have successors (D-327). A
 * credential may lead to another certificate than that of the authority whose list it is (D-279), as to that of its signer
 * alone, where a trust list has it: then it counts that the authority has issued the signer's certificate (D-1087).
 */
export const isOfAuthority =
  (iaca: Certificate | undefined, signer?: Certificate) =>
  ({ iaca: stored }: { iaca: Uint8Array | null }): boolean => {
    if (!iaca || stored === null) return false
    const authority = storedCertificate(stored)
    return authorityOf(authority) === authorityOf(iaca) || (signer !== undefined && hasIssued(authority, signer))
  }

/** Whether a document signer has this id; it may be deleted. */
export const isDocumentSigner = async (em: SqlEntityManager, id: string): Promise<boolean> =>
  (await em.count(DocumentSigner, { id })) > 0

const dataOf = ({ subject, notBefore, notAfter }: Certificate): CertificateData => ({
  ...subject,
  notBefore: notBefore.toISOString(),
  notAfter: notAfter.toISOString(),
})

interface Lasting {
  active: boolean
  notBefore?: Date | null
  notAfter?: Date | null
  revokedAt?: Date | null
  deletedAt?: Date | null
}

/** Says whether an IACA or a document signer can sign now, and what keeps it from that. */
export function usabilityOf({ active, notBefore, notAfter, revokedAt, deletedAt }: Lasting, now: Date): Usability {
  if (deletedAt) return 'deleted'
  if (revokedAt) return 'revoked'
  if (!notBefore || !notAfter) return 'no_certificate'
  if (notAfter <= now) return 'expired'
  if (notBefore > now) return 'not_yet_valid'
  return active ? 'usable' : 'inactive'
}

export function iacaRecord(row: Iaca, now: Date): IacaRecord {
  const certificate = storedCertificate(row.certificate)
  return {
    id: row.id,
    active: row.active,
    managed: row.keyId != null,
    usability: usabilityOf(row, now),
    certificatePem: toPem('CERTIFICATE', certificate.der),
    certificateFingerprint: certificate.fingerprint,
    certificateData: dataOf(certificate),
  }
}

/** `iaca`: the row of its IACA. */
export function signerRecord(row: DocumentSigner, iaca: Pick<Iaca, 'active' | 'deletedAt'>, now: Date): SignerRecord {
  const certificate = row.certificate ? storedCertificate(row.certificate) : undefined
  const usability = usabilityOf(row, now)
  return {
    id: row.id,
    iacaId: row.iacaId,
    active: row.active,
    usability: usability === 'usable' && (!iaca.active || iaca.deletedAt) ? 'iaca_inactive' : usability,
    publicKey: toJwk({ keyType: 'p256', publicKey: new Uint8Array(row.publicKey) }),
    ...(row.csr && { csrPem: toPem('CERTIFICATE REQUEST', row.csr) }),
    ...(certificate && {
      certificatePem: toPem('CERTIFICATE', certificate.der),
      certificateFingerprint: certificate.fingerprint,
      certificateData: dataOf(certificate),
    }),
    revoked: row.revokedAt != null,
    ...(row.revokedAt && { revocationDate: row.revokedAt.toISOString() }),
    renew: row.renew && !row.csr,
    ...(row.renewedById && { renewedById: row.renewedById }),
  }
}
