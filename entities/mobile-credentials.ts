import { defineEntity, p } from '@mikro-orm/core'
import { EVERYTHING, owned, ownedByTenant, type Rights } from './base.ts'

/** An issuing authority certificate authority (ISO/IEC 18013-5, annex B): our own, or one whose key is elsewhere. */
const IacaSchema = defineEntity({
  name: 'Iaca',
  tableName: 'mobile_iacas',
  filters: ownedByTenant,
  properties: {
    ...owned,
    /** Its key in the key store; null for an imported one. */
    keyId: p.uuid().nullable(),
    active: p.boolean(),
    /** DER. */
    certificate: p.blob(),
    /** SHA-256 of the certificate, in hex. */
    fingerprint: p.text(),
    notBefore: p.datetime(),
    notAfter: p.datetime(),
    /** The published list of revoked certificates in DER; null before the first, and for an imported one. */
    crl: p.blob().nullable(),
    /** Number of the last list; each has a higher one. */
    crlNumber: p.integer().default(0),
    crlSignedAt: p.datetime().nullable(),
    /** Set by a revocation until the list has it. */
    crlDue: p.boolean().default(false),
    /** Days before its expiry of the last warning. */
    warnedDays: p.integer().nullable(),
    updatedAt: p.datetime(),
    deletedAt: p.datetime().nullable(),
  },
})
export class Iaca extends IacaSchema.class {}
IacaSchema.setClass(Iaca)

/** A key with a certificate of an IACA, which signs mobile credentials. */
const DocumentSignerSchema = defineEntity({
  name: 'DocumentSigner',
  tableName: 'mobile_document_signers',
  filters: ownedByTenant,
  properties: {
    ...owned,
    iacaId: p.uuid(),
    /** Its key in the key store. */
    keyId: p.uuid(),
    /** Compressed point. */
    publicKey: p.blob(),
    active: p.boolean(),
    /** The request for a certificate (PKCS #10, DER), where another authority signs it. */
    csr: p.blob().nullable(),
    /** DER; null until another authority has signed it. */
    certificate: p.blob().nullable(),
    fingerprint: p.text().nullable(),
    serialNumber: p.text().nullable(),
    notBefore: p.datetime().nullable(),
    notAfter: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
    /** Days before its expiry of the last warning. */
    warnedDays: p.integer().nullable(),
    /** Whether a new signer takes its place before it expires; only where its IACA has its key here. */
    renew: p.boolean().default(true),
    /** Why its renewal was last refused, which the tenant's log says once. */
    renewalFault: p.text().nullable(),
    /** The signer that renewed it. */
    renewedById: p.uuid().nullable(),
    updatedAt: p.datetime(),
    /** The row stays: its credentials, and the list of revoked certificates, name it. */
    deletedAt: p.datetime().nullable(),
  },
})
export class DocumentSigner extends DocumentSignerSchema.class {}
DocumentSignerSchema.setClass(DocumentSigner)

export const RIGHTS = {
  mobile_iacas: { app: EVERYTHING, system: EVERYTHING },
  mobile_document_signers: { app: EVERYTHING, system: EVERYTHING },
} satisfies Rights
