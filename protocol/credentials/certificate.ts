import type { KeyObject, X509Certificate as NativeCertificate } from 'node:crypto'

/** What the platform reads of an X.509 certificate. */
export interface Certificate {
  der: Uint8Array
  /** SHA-256 of the certificate, in hex. */
  fingerprint: string
  /** Hexadecimal, in lower case. */
  serialNumber: string
  subject: { country?: string | undefined; stateOrProvinceName?: string | undefined; commonName?: string | undefined }
  /** Distinguished names as DER in hex, to be compared. */
  subjectName: string
  issuerName: string
  notBefore: Date
  notAfter: Date
  publicKey: KeyObject
  isAuthority: boolean
  pathLength?: number | undefined
  keyUsage?: number | undefined
  extendedKeyUsage: readonly string[]
  /** Critical extensions that nobody here evaluates, by their OIDs. */
  unknownCritical: readonly string[]
  subjectKeyId?: string | undefined
  authorityKeyId?: string | undefined
  native: NativeCertificate
}
