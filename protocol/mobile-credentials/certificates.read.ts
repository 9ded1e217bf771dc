import 'reflect-metadata'
import { createHash, X509Certificate as NativeCertificate } from 'node:crypto'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
} from '@peculiar/x509'
import { LRUCache } from 'lru-cache'
import { countElements } from '../credentials/certificate.elements.ts'
import type { Certificate } from '../credentials/certificate.ts'
import { Refusal } from '../errors.ts'
import { DAY_MS } from '../time.ts'
import { DOCUMENT_SIGNER_USAGE, MAX_SIGNER_DAYS } from './certificates.ts'

export type { Certificate }

/** A rule of a certificate profile that a certificate breaks. */
export interface CertificateFault {
  code: string
  message: string
}

const MAX_BYTES = 16_384
/** Elements of DER in one certificate: each takes the library up to 40 µs. Roots of browsers have up to 136. */
export const MAX_ELEMENTS = 500

/** The last ones that were read, by the bytes that they have: a chain is read by whoever looks for its anchors, and again to verify it. */
const known = new LRUCache<string, Certificate>({
  max: 1_000,
  maxSize: 2 * 1024 * 1024,
  sizeCalculation: ({ der }) => der.length,
})

/** SHA-256, in hex. */
export const fingerprintOf = (der: Uint8Array): string => createHash('sha256').update(der).digest('hex')

/** Extensions that are evaluated here, or say nothing that a verifier must refuse. */
const EVALUATED = ['2.5.29.19', '2.5.29.15', '2.5.29.37', '2.5.29.14', '2.5.29.35', '2.5.29.18', '2.5.29.31']

const hex = (bytes: ArrayBuffer | Uint8Array): string => Buffer.from(new Uint8Array(bytes)).toString('hex')

/** Throws for what is no certificate. Foreign bytes are for `readCertificate`, which bounds what they cost. */
export function parseCertificate(bytes: Uint8Array): Certificate {
  const der = new Uint8Array(bytes) // it is kept, and the bytes may be a part of much more
  const native = new NativeCertificate(der)
  const certificate = new X509Certificate(der)
  const field = (name: string): string | undefined => certificate.subjectName.getField(name)[0]
  const constraints = certificate.getExtension(BasicConstraintsExtension)
  return {
    der,
    fingerprint: fingerprintOf(der),
    serialNumber: certificate.serialNumber.toLowerCase(),
    subject: { country: field('C'), stateOrProvinceName: field('ST'), commonName: field('CN') },
    subjectName: hex(certificate.subjectName.toArrayBuffer()),
    issuerName: hex(certificate.issuerName.toArrayBuffer()),
    notBefore: certificate.notBefore,
    notAfter: certificate.notAfter,
    publicKey: native.publicKey,
    isAuthority: constraints?.ca ?? false,
    pathLength: constraints?.pathLength,
    keyUsage: certificate.getExtension(KeyUsagesExtension)?.usages,
    extendedKeyUsage: (certificate.getExtension(ExtendedKeyUsageExtension)?.usages ?? []).map(String),
    unknownCritical: certificate.extensions
      .filter(({ critical, type }) => critical && !EVALUATED.includes(type))
      .map(({ type }) => type),
    subjectKeyId: certificate.getExtension(SubjectKeyIdentifierExtension)?.keyId,
    authorityKeyId: certificate.getExtension(AuthorityKeyIdentifierExtension)?.keyId,
    native,
  }
}

/**
 * Reads a certificate in DER; undefined for what is none, for what is too long or has too many elements, and for other
 * bytes of the same certificate: with bytes after it, or with lengths that DER writes shorter.
 */
export function readCertificate(der: Uint8Array): Certificate | undefined {
  if (der.length > MAX_BYTES || countElements(der, MAX_ELEMENTS) > MAX_ELEMENTS) return undefined
  const before = known.get(fingerprintOf(der))
  if (before) return before
  try {
    const certificate = parseCertificate(der)
    if (!certificate.native.raw.equals(der)) return undefined
    known.set(certificate.fingerprint, certificate)
    return certificate
  } catch {
    return undefined // the libraries name no cause that a caller could use
  }
}

const [PEM_BEGIN, PEM_END] = ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----']
/** Longest PEM of a certificate that is read, with generous white space. */
const MAX_PEM = 2 * MAX_BYTES

/** The bytes between the lines of PEM; undefined for any other text. */
export function bytesOfPem(text: string): Uint8Array | undefined {
  const pem = text.length > MAX_PEM ? '' : text.trim()
  if (!pem.startsWith(PEM_BEGIN) || !pem.endsWith(PEM_END)) return undefined
  const base64 = pem.slice(PEM_BEGIN.length, -PEM_END.length).replaceAll(/\s/g, '')
  const bytes = Buffer.from(base64, 'base64')
  return bytes.toString('base64') === base64 ? bytes : undefined
}

/** Reads one certificate in PEM (RFC 7468); undefined for any other text. */
export function certificateOfPem(text: string): Certificate | undefined {
  const bytes = bytesOfPem(text)
  return bytes && readCertificate(bytes)
}

/** The same. Throws `Refusal('certificate.malformed')` that names the field. */
export function readPem(text: string, path: string): Certificate {
  const certificate = certificateOfPem(text)
  if (certificate) return certificate
  throw new Refusal('certificate.malformed', 'The certificate cannot be read.', [
    { path, code: 'pem', message: 'expected one X.509 certificate in PEM, -----BEGIN CERTIFICATE-----' },
  ])
}

/** The country of a certificate that must have one, in capitals. */
export const countryOf = ({ subject }: Certificate): string => (subject.country ?? '').toUpperCase()

type Rule = (certificate: Certificate) => CertificateFault | undefined | false

/**
 * The P-256 key of a certificate as a compressed point in hex; undefined for a key of another curve. It says whose
 * certificate this is: with the n - s of its signature a certificate has other bytes, and its IACA can sign another one.
 */
export function keyIn({ publicKey }: Certificate): string | undefined {
  if (publicKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return undefined
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const isOdd = ((Buffer.from(y, 'base64url').at(-1) ?? 0) & 1) === 1
  return `${isOdd ? '03' : '02'}${Buffer.from(x, 'base64url').toString('hex')}`
}

/** Both ends of the time count (RFC 5280, section 4.1.2.5). */
export const isValidAt = ({ notBefore, notAfter }: Pick<Certificate, 'notBefore' | 'notAfter'>, at: Date): boolean =>
  notBefore <= at && at <= notAfter

/** Whether two certificates are the same but for the bytes of their signatures. */
export const isSameCertificate = (one: Certificate, other: Certificate): boolean =>
  one.issuerName === other.issuerName &&
  one.serialNumber === other.serialNumber &&
  one.publicKey.equals(other.publicKey)

const CURVES = [
  'prime256v1',
  'secp384r1',
  'secp521r1',
  'brainpoolP256r1',
  'brainpoolP320r1',
  'brainpoolP384r1',
  'brainpoolP512r1',
]

/** Of ISO/IEC 18013-5, table B.1. */
const IACA_RULES: readonly Rule[] = [
  ({ isAuthority }) =>
    !isAuthority && { code: 'basic_constraints', message: 'expected basic constraints with CA true' },
  ({ isAuthority, pathLength }) =>
    isAuthority &&
    pathLength !== 0 && { code: 'path_length', message: 'expected basic constraints with path length 0' },
  ({ keyUsage = 0 }) =>
    !(keyUsage & KeyUsageFlags.keyCertSign) && { code: 'key_usage', message: 'expected the key usage keyCertSign' },
  ({ subject }) =>
    !/^[A-Za-z]{2}$/.test(subject.country ?? '') && {
      code: 'country',
      message: 'expected a subject with a country of two letters (ISO 3166-1)',
    },
  ({ subject }) => !subject.commonName && { code: 'common_name', message: 'expected a subject with a common name' },
  ({ publicKey }) =>
    !CURVES.includes(publicKey.asymmetricKeyDetails?.namedCurve ?? publicKey.asymmetricKeyType ?? '') && {
      code: 'curve',
      message: 'expected an elliptic-curve key of ISO/IEC 18013-5, table B.1',
    },
  ({ unknownCritical: [type] }) =>
    type !== undefined && { code: 'extension', message: `expected no critical extension ${type}` },
  (certificate) =>
    !isIssuedBy(certificate, certificate) && {
      code: 'self_signed',
      message: 'expected a certificate that its own key signed',
    },
]

/** Of ISO/IEC 18013-5, table B.3, as far as a signer must not sign without it. */
const SIGNER_RULES: readonly Rule[] = [
  ({ isAuthority }) => isAuthority && { code: 'basic_constraints', message: 'expected a certificate of no authority' },
  ({ keyUsage = 0 }) =>
    !(keyUsage & KeyUsageFlags.digitalSignature) && {
      code: 'key_usage',
      message: 'expected the key usage digitalSignature',
    },
  ({ extendedKeyUsage }) =>
    !extendedKeyUsage.includes(DOCUMENT_SIGNER_USAGE) && {
      code: 'extended_key_usage',
      message: `expected the extended key usage ${DOCUMENT_SIGNER_USAGE}`,
    },
  ({ unknownCritical: [type] }) =>
    type !== undefined && { code: 'extension', message: `expected no critical extension ${type}` },
  ({ notBefore, notAfter }) =>
    notAfter.getTime() - notBefore.getTime() > MAX_SIGNER_DAYS * DAY_MS && {
      code: 'validity',
      message: `expected a validity of at most ${MAX_SIGNER_DAYS} days`,
    },
]

const stateOf = ({ subject }: Certificate): string | undefined => subject.stateOrProvinceName

/** Of the same table, what a certificate must have in common with its IACA. */
const rulesOf = (iaca: Certificate): Rule[] => [
  (certificate) =>
    countryOf(certificate) !== countryOf(iaca) && {
      code: 'country',
      message: `expected the country of the IACA, ${countryOf(iaca)}`,
    },
  (certificate) =>
    stateOf(certificate) !== undefined &&
    stateOf(iaca) !== undefined &&
    stateOf(certificate) !== stateOf(iaca) && {
      code: 'state',
      message: 'expected the stateOrProvinceName of the IACA',
    },
]

const broken = (rules: readonly Rule[], certificate: Certificate): CertificateFault[] =>
  rules.flatMap((rule) => rule(certificate) || [])

/** Whether the key of `issuer` signed the certificate, and the names and key identifiers agree (RFC 5280, 6.1.3). */
export function isIssuedBy(certificate: Certificate, issuer: Certificate): boolean {
  if (certificate.issuerName !== issuer.subjectName) return false
  const { authorityKeyId } = certificate
  if (authorityKeyId && issuer.subjectKeyId && authorityKeyId !== issuer.subjectKeyId) return false
  return certificate.native.verify(issuer.publicKey)
}

export const iacaFaults = (certificate: Certificate): CertificateFault[] => broken(IACA_RULES, certificate)

/** What forbids that this certificate of a document signer verifies, but for its validity now. */
export const signerFaults = (certificate: Certificate, iaca: Certificate | undefined): CertificateFault[] =>
  broken([...SIGNER_RULES, ...(iaca ? rulesOf(iaca) : [])], certificate)

/** What forbids that the platform signs with this certificate of an IACA. */
export function ownSignerFaults(
  certificate: Certificate,
  iaca: Certificate,
  publicKey: Uint8Array,
): CertificateFault[] {
  const { notBefore, notAfter } = certificate
  const rules: Rule[] = [
    () => !isIssuedBy(certificate, iaca) && { code: 'issuer', message: 'expected a certificate that the IACA signed' },
    () =>
      keyIn(certificate) !== hex(publicKey) && {
        code: 'public_key',
        message: 'expected the key of the certificate request',
      },
    () =>
      (stateOf(certificate) === undefined) !== (stateOf(iaca) === undefined) && {
        code: 'state',
        message: 'expected the stateOrProvinceName of the IACA, or none as the IACA',
      },
    () =>
      (notAfter > iaca.notAfter || notBefore < iaca.notBefore) && {
        code: 'validity',
        message: 'expected a validity inside that of the IACA',
      },
  ]
  return [...signerFaults(certificate, iaca), ...broken(rules, certificate)]
}

/**
 * Of the trusted certificates that a chain leads to, the first that is valid now; without one the first. Certificates of one
 * key follow one another, and one of them may be over (D-1076).
 */
export function anchorAmong(
  trusted: readonly Certificate[],
  fits: (certificate: Certificate) => boolean,
  isNow: (certificate: Certificate) => boolean,
): Certificate | undefined {
  let first: Certificate | undefined
  for (const each of trusted) {
    if (!fits(each)) continue
    if (isNow(each)) return each
    first ??= each
  }
  return first
}
