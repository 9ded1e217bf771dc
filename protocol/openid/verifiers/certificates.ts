import 'reflect-metadata'
import { createHash } from 'node:crypto'
import {
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
} from '@peculiar/x509'
import type { FieldError } from '../../errors.ts'
import {
  type Certificate,
  certificateOfPem,
  isIssuedBy,
  keyIn,
  parseCertificate,
} from '../../mobile-credentials/certificates.read.ts'
import { toPem } from '../../mobile-credentials/certificates.ts'
import { ECDSA, type StoredKey, signingCrypto } from '../../mobile-credentials/signing-crypto.ts'
import { invalidVerifier } from './values.ts'

/** Certificates in DER as base64, the verifier's own first, as `x5c` has them (RFC 7515, section 4.1.6). */
export type CertificateChain = readonly string[]

const PATH = 'certificate_chain'
const MAX_CHAIN = 4

const at = (code: string, message: string): FieldError => ({ path: PATH, code, message })

/** Reads certificates in PEM, one after the other. Throws `Refusal('oidc_verifier.invalid')`. */
export function readChain(pem: string): string[] {
  const texts = pem.split(/(?<=-----END CERTIFICATE-----)/).filter((text) => text.trim() !== '')
  const certificates = texts.length > MAX_CHAIN ? [] : texts.map(certificateOfPem)
  const chain = certificates.flatMap((each) => (each ? [Buffer.from(each.der).toString('base64')] : []))
  if (chain.length > 0 && chain.length === texts.length) return chain
  throw invalidVerifier([at('pem', `expected 1 to ${MAX_CHAIN} X.509 certificates in PEM, the verifier's own first`)])
}

export const chainPem = (chain: CertificateChain): string =>
  chain.map((each) => toPem('CERTIFICATE', Buffer.from(each, 'base64'))).join('')

/** What the leaf says of itself. */
function leafFaults(leaf: Certificate, publicKey: Uint8Array): FieldError[] {
  const { isAuthority, keyUsage = KeyUsageFlags.digitalSignature } = leaf
  if (keyIn(leaf) !== Buffer.from(publicKey).toString('hex'))
    return [at('public_key', 'expected first the certificate of the P-256 key of the DID')]
  return isAuthority || !(keyUsage & KeyUsageFlags.digitalSignature)
    ? [at('key_usage', 'expected a certificate of no authority, with the key usage digitalSignature')]
    : []
}

/**
 * What forbids that a verifier signs with this chain: wallets verify it, and find the trust anchor on their own (OpenID4VC
 * High Assurance Interoperability Profile 1.0, section 5).
 */
export function chainFaults(chain: CertificateChain, publicKey: Uint8Array, now: Date): FieldError[] {
  const certificates = chain.map((each) => parseCertificate(Buffer.from(each, 'base64')))
  const [leaf] = certificates
  const last = certificates.at(-1)
  if (!leaf || !last) throw new Error('a chain has a certificate')
  const faults = leafFaults(leaf, publicKey)
  if (faults.length > 0) return faults
  if (isIssuedBy(last, last))
    return [at('trust_anchor', 'expected the chain without the certificate that wallets trust')]
  const isLinked = certificates.every((each, place) => {
    const issuer = certificates[place + 1]
    return !issuer || (issuer.isAuthority && isIssuedBy(each, issuer))
  })
  if (!isLinked) return [at('chain', 'expected each certificate to be signed by the authority after it')]
  const isNow = certificates.every(({ notBefore, notAfter }) => notBefore <= now && now < notAfter)
  return isNow ? [] : [at('validity', 'expected certificates that are valid now')]
}

/** SHA-256 of the leaf, by which wallets know a verifier (OpenID4VP 1.0, section 5.9.3, `x509_hash`). */
export const leafHash = ([leaf = '']: CertificateChain): string =>
  createHash('sha256').update(Buffer.from(leaf, 'base64')).digest('base64url')

/** Whether the leaf has this DNS name (section 5.9.3, `x509_san_dns`); names with a wildcard name nobody. */
export const isNamedBy = ([leaf = '']: CertificateChain, host: string): boolean =>
  parseCertificate(Buffer.from(leaf, 'base64')).native.subjectAltName?.split(', ').includes(`DNS:${host}`) ?? false

/** Longest common name (RFC 5280, appendix A.1). */
const MAX_NAME = 64

/** Asks an authority for a certificate of a verifier at this host, in PEM (RFC 2986); the key signs it. */
export async function certificateRequest(key: StoredKey, host: string): Promise<string> {
  const { crypto, keys } = await signingCrypto(key)
  const request = await Pkcs10CertificateRequestGenerator.create(
    {
      name: new Name([{ CN: [{ utf8String: host.slice(0, MAX_NAME) }] }]),
      keys,
      signingAlgorithm: ECDSA,
      extensions: [
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new SubjectAlternativeNameExtension([{ type: 'dns', value: host }]),
      ],
    },
    crypto,
  )
  return toPem('CERTIFICATE REQUEST', new Uint8Array(request.rawData))
}
