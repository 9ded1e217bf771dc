import { KeyUsageFlags, SubjectAlternativeNameExtension, X509Certificate } from '@peculiar/x509'
import { anchorAmong, type Certificate, isIssuedBy, readCertificate } from '../mobile-credentials/certificates.read.ts'
import { DOCUMENT_SIGNER_USAGE } from '../mobile-credentials/certificates.ts'
import { mayIssue } from '../mobile-credentials/issued.ts'
import { type Clock, hasCome, isToCome } from '../time.ts'
import { faulty } from './faults.ts'

export interface ChainTrust extends Clock {
  /** Certificates of authorities that the verifier trusts, or of single signers. */
  trusted: readonly Certificate[]
  /** Whether the signer's certificate is one for what it has signed. Default: for credentials. */
  isForPurpose?(leaf: Certificate): boolean
  /** Whether the certificate was revoked. */
  isRevoked(certificate: Certificate): boolean
}

export interface TrustedChain {
  /** The signer's certificate. */
  leaf: Certificate
  /** The trusted one that the chain leads to. */
  anchor: Certificate
  /** Those of the header that were verified, the signer's first: what comes after the anchor says nothing. */
  path: readonly Certificate[]
}

const refuse = (code: string, message: string) => faulty('IssuerKey', code, message)

const isNow = ({ notBefore, notAfter }: Certificate, clock: Clock): boolean =>
  !isToCome(notBefore, clock) && !hasCome(notAfter, clock)

/** An authority issues certificates for other purposes as well (ISO/IEC 18013-5, table B.3; RFC 5280, section 4.2.1.12). */
const isForCredentials = ({ extendedKeyUsage: usages }: Certificate): boolean =>
  usages.length === 0 || usages.includes(DOCUMENT_SIGNER_USAGE)

const maySign = ({ isAuthority, keyUsage = KeyUsageFlags.digitalSignature }: Certificate): boolean =>
  !isAuthority && (keyUsage & KeyUsageFlags.digitalSignature) !== 0

/**
 * Validates the certificates of a header (RFC 5280, section 6.1): each is issued by the next one, the last one by one that is
 * trusted, all are valid now. Throws `Faulty`.
 */
export function verifyChain(
  chain: readonly Uint8Array[],
  { trusted, isRevoked, isForPurpose = isForCredentials, ...clock }: ChainTrust,
): TrustedChain {
  const certificates = chain.map((each) => readCertificate(each)).filter((each) => each !== undefined)
  const [leaf] = certificates
  if (!leaf || certificates.length < chain.length)
    throw refuse('x5c_unreadable', 'A certificate in the x5c of the header cannot be read.')
  if (!maySign(leaf) || !isForPurpose(leaf))
    throw refuse('certificate_usage', "The signer's certificate is not one for signatures of credentials.")
  const path: Certificate[] = []
  let anchor: Certificate | undefined
  for (const [at, certificate] of certificates.entries()) {
    const known = trusted.find(({ fingerprint }) => fingerprint === certificate.fingerprint)
    const issuer = certificates[at + 1]
    path.push(certificate)
    const issuedIt = (each: Certificate) => mayIssue(each, at) && isIssuedBy(certificate, each)
    anchor = known ?? anchorAmong(trusted, issuedIt, (each) => isNow(each, clock))
    if (anchor) break
    if (issuer && !(mayIssue(issuer, at) && isIssuedBy(certificate, issuer)))
      throw refuse('certificate_chain', 'A certificate in the x5c of the header is not issued by the one after it.')
  }
  if (!anchor) throw refuse('certificate_untrusted', "No trusted authority issued the signer's certificate.")
  const all = path.includes(anchor) ? path : [...path, anchor]
  if (!all.every((each) => isNow(each, clock)))
    throw refuse('certificate_expired', 'A certificate of the chain is not valid now.')
  if (path.some(({ unknownCritical }) => unknownCritical.some((type) => type !== SUBJECT_NAMES)))
    throw refuse('certificate_extension', 'A certificate of the chain has a critical extension that is not supported.')
  if (path.some(isRevoked)) throw refuse('certificate_revoked', 'A certificate of the chain was revoked.')
  return { leaf, anchor, path }
}

const SUBJECT_NAMES = '2.5.29.17'

/**
 * Whether a certificate is one of the issuer that `iss` names: by its URL, or by the host of it. Without this, whoever has
 * a trusted certificate could name any issuer (draft-ietf-oauth-sd-jwt-vc-19, section 7.2).
 */
export function isCertificateOf({ der }: Certificate, issuer: string): boolean {
  const names =
    new X509Certificate(new Uint8Array(der)).getExtension(SubjectAlternativeNameExtension)?.names.toJSON() ?? []
  const host = URL.canParse(issuer) ? new URL(issuer).hostname : undefined
  return names.some(
    ({ type, value }) =>
      (type === 'url' && value === issuer) || (type === 'dns' && host !== undefined && value.toLowerCase() === host),
  )
}
