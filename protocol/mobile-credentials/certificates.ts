import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  CRLDistributionPointsExtension,
  ExtendedKeyUsageExtension,
  Extension,
  IssuerAlternativeNameExtension,
  type JsonNameParams,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  Pkcs10CertificateRequestGenerator,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
  X509CrlGenerator,
} from '@peculiar/x509'
import { ECDSA, importPublicKey, type StoredKey, signingCrypto } from './signing-crypto.ts'

// Certificates by the profiles of ISO/IEC 18013-5, annex B: B.1.2 IACA root, B.1.4 document signer, B.1.6 CRL.

/** Extended key usage of a document signer (ISO/IEC 18013-5, B.1.1). */
export const DOCUMENT_SIGNER_USAGE = '1.0.18013.5.1.2'

/** Longest life of a document signer's certificate (ISO/IEC 18013-5, table B.3). */
export const MAX_SIGNER_DAYS = 457
/** Longest life of an IACA root certificate (ISO/IEC 18013-5, table B.1). */
export const MAX_IACA_YEARS = 20

export interface SubjectName {
  /** ISO 3166-1 alpha-2, in capitals. */
  country: string
  stateOrProvinceName?: string | undefined
  commonName: string
}

interface CertificateTerms {
  subject: SubjectName
  /** 16 random bytes. */
  random: Uint8Array
  notBefore: Date
  notAfter: Date
  /** Address of the CRL. */
  crlUrl: string
  /** Address where the issuing authority can be met. */
  contactUrl: string
}

/** The order of X.500: from the country to the name. */
const nameOf = ({ country, stateOrProvinceName, commonName }: SubjectName): JsonNameParams => [
  { C: [{ printableString: country }] },
  ...(stateOrProvinceName ? [{ ST: [{ utf8String: stateOrProvinceName }] }] : []),
  { CN: [{ utf8String: commonName }] },
]

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** Positive and 16 bytes long, with 126 random bits: ISO/IEC 18013-5, table B.1, asks for 63. */
const serialOf = (random: Uint8Array): string =>
  hex(new Uint8Array([0x40 | ((random[0] ?? 0) & 0x3f), ...random.subarray(1, 16)]))

const der = ({ rawData }: { rawData: ArrayBuffer }): Uint8Array => new Uint8Array(rawData)

const places = ({ crlUrl, contactUrl }: CertificateTerms): Extension[] => [
  new IssuerAlternativeNameExtension([{ type: 'url', value: contactUrl }]),
  new CRLDistributionPointsExtension([crlUrl]),
]

/** Signs an IACA root certificate by its own key; DER. */
export async function createIacaCertificate(key: StoredKey, terms: CertificateTerms): Promise<Uint8Array> {
  const { crypto, keys, key: publicKey } = await signingCrypto(key)
  const { random, notBefore, notAfter } = terms
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: serialOf(random),
      name: new Name(nameOf(terms.subject)),
      notBefore,
      notAfter,
      keys,
      signingAlgorithm: ECDSA,
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
        await SubjectKeyIdentifierExtension.create(publicKey, false, crypto),
        ...places(terms),
      ],
    },
    crypto,
  )
  return der(certificate)
}

/** An IACA with its certificate in DER. */
export interface IacaSigner extends StoredKey {
  certificate: Uint8Array
}

/** Signs the certificate of a document signer with this public key; DER. */
export async function createSignerCertificate(
  iaca: IacaSigner,
  publicKey: Uint8Array,
  terms: CertificateTerms,
): Promise<Uint8Array> {
  const { crypto, key: signingKey } = await signingCrypto(iaca)
  const issuer = new X509Certificate(new Uint8Array(iaca.certificate))
  const subjectKey = await importPublicKey(publicKey)
  const { random, notBefore, notAfter } = terms
  const certificate = await X509CertificateGenerator.create(
    {
      serialNumber: serialOf(random),
      subject: new Name(nameOf(terms.subject)),
      issuer: issuer.subjectName,
      notBefore,
      notAfter,
      publicKey: subjectKey,
      signingKey,
      signingAlgorithm: ECDSA,
      extensions: [
        await AuthorityKeyIdentifierExtension.create(signingKey, false, crypto),
        await SubjectKeyIdentifierExtension.create(subjectKey, false, crypto),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([DOCUMENT_SIGNER_USAGE], true),
        ...places(terms),
      ],
    },
    crypto,
  )
  return der(certificate)
}

/** Signs a request for a document signer's certificate (RFC 2986) by the signer's key; DER. */
export async function createSigningRequest(key: StoredKey, subject: SubjectName): Promise<Uint8Array> {
  const { crypto, keys } = await signingCrypto(key)
  const extensions = [
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([DOCUMENT_SIGNER_USAGE], true),
  ]
  const terms = { name: new Name(nameOf(subject)), keys, signingAlgorithm: ECDSA, extensions }
  return der(await Pkcs10CertificateRequestGenerator.create(terms, crypto))
}

export interface Revoked {
  /** Hexadecimal. */
  serialNumber: string
  revokedAt: Date
}

/** INTEGER in DER, of a number that is not negative. */
function derInteger(value: number): Uint8Array<ArrayBuffer> {
  const digits = value.toString(16)
  const even = digits.length % 2 ? `0${digits}` : digits
  const octets = Buffer.from(Number.parseInt(even.slice(0, 2), 16) > 0x7f ? `00${even}` : even, 'hex')
  return new Uint8Array([0x02, octets.length, ...octets])
}

const CRL_NUMBER = '2.5.29.20'

/** Signs the list of the IACA's revoked certificates (RFC 5280, section 5; ISO/IEC 18013-5, table B.8); DER. */
export async function createCrl(
  iaca: IacaSigner,
  terms: { number: number; thisUpdate: Date; nextUpdate: Date; revoked: readonly Revoked[] },
): Promise<Uint8Array> {
  const { crypto, key: signingKey } = await signingCrypto(iaca)
  const crl = await X509CrlGenerator.create(
    {
      issuer: new X509Certificate(new Uint8Array(iaca.certificate)).subjectName,
      thisUpdate: terms.thisUpdate,
      nextUpdate: terms.nextUpdate,
      signingAlgorithm: ECDSA,
      signingKey,
      extensions: [
        await AuthorityKeyIdentifierExtension.create(signingKey, false, crypto),
        new Extension(CRL_NUMBER, false, derInteger(terms.number)),
      ],
      entries: terms.revoked.map(({ serialNumber, revokedAt }) => ({ serialNumber, revocationDate: revokedAt })),
    },
    crypto,
  )
  return der(crl)
}

/** PEM (RFC 7468). */
export const toPem = (label: 'CERTIFICATE' | 'CERTIFICATE REQUEST', bytes: Uint8Array): string => {
  const lines =
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
