import 'reflect-metadata'
import { KeyUsageFlags } from '@peculiar/x509'
import { authorityOf } from './authority.ts'
import { type Certificate, isIssuedBy } from './certificates.read.ts'

/** Of RSA, and of a curve with parameters of one's own, anybody can make a key that fits a signature that somebody else made. */
const isOfOneKey = ({ publicKey: { asymmetricKeyType: type, asymmetricKeyDetails: details } }: Certificate): boolean =>
  type === 'ed25519' || (type === 'ec' && details?.namedCurve !== undefined)

/** Whether a certificate may sign those below it: `below` counts the authorities between it and the signer. */
export const mayIssue = (
  { isAuthority, keyUsage = 0, pathLength = Number.POSITIVE_INFINITY }: Certificate,
  below = 0,
): boolean => isAuthority && (keyUsage & KeyUsageFlags.keyCertSign) !== 0 && pathLength >= below

/** Whether this authority has signed a certificate: so it is known even where nobody says that the authority is trusted. */
export const hasIssued = (authority: Certificate, certificate: Certificate): boolean =>
  mayIssue(authority) && isOfOneKey(authority) && isIssuedBy(certificate, authority)

/** Of these certificates those of who issued another one, each key once. */
export function issuersAmong(candidates: readonly Certificate[], certificate: Certificate): Certificate[] {
  const issuers = new Map<string, Certificate>()
  for (const each of candidates) if (hasIssued(each, certificate)) issuers.set(authorityOf(each), each)
  return [...issuers.values()]
}
