import { constants, createHash, type KeyObject, type VerifyKeyObjectInput, verify } from 'node:crypto'
import type { SignedXml } from 'xml-crypto'

export const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'

/** Canonical XML without comments. Version 1.1 is no part of the library. */
export const CANONICAL = ['http://www.w3.org/2001/10/xml-exc-c14n#', 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315']

/** Without SHA-1. */
export const DIGESTS: ReadonlyMap<string, string> = new Map([
  ['http://www.w3.org/2001/04/xmlenc#sha256', 'sha256'],
  ['http://www.w3.org/2001/04/xmldsig-more#sha384', 'sha384'],
  ['http://www.w3.org/2001/04/xmlenc#sha512', 'sha512'],
])

interface Algorithm {
  hash: string
  /** Of keys, as node:crypto has them. */
  keys: readonly string[]
  options: Omit<VerifyKeyObjectInput, 'key'>
}

const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }

const rsa = (hash: string): Algorithm => ({ hash, keys: ['rsa'], options: { padding: constants.RSA_PKCS1_PADDING } })
const rsaPss = (hash: string): Algorithm => ({ hash, keys: ['rsa', 'rsa-pss'], options: PSS })
/** r and s side by side (XML Signature 1.1, section 6.4.3). */
const ecdsa = (hash: string): Algorithm => ({ hash, keys: ['ec'], options: { dsaEncoding: 'ieee-p1363' } })

/** Of RFC 9231, without SHA-1 and MACs. */
export const SIGNATURES: ReadonlyMap<string, Algorithm> = new Map([
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', rsa('sha256')],
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha384', rsa('sha384')],
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha512', rsa('sha512')],
  ['http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1', rsaPss('sha256')],
  ['http://www.w3.org/2007/05/xmldsig-more#sha384-rsa-MGF1', rsaPss('sha384')],
  ['http://www.w3.org/2007/05/xmldsig-more#sha512-rsa-MGF1', rsaPss('sha512')],
  ['http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256', ecdsa('sha256')],
  ['http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384', ecdsa('sha384')],
  ['http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512', ecdsa('sha512')],
])

type Signatures = SignedXml['SignatureAlgorithms']
type Digests = SignedXml['HashAlgorithms']

/** A key that may not be used so, such as one of RSASSA-PSS for another digest, has not signed: the next one is tried. */
function isSigned(hash: string, material: string, key: VerifyKeyObjectInput, value: string): boolean {
  try {
    return verify(hash, Buffer.from(material), key, Buffer.from(value, 'base64'))
  } catch {
    return false
  }
}

/** The algorithms in the form of the library: a signature is good if it is of one of these keys, which `onKey` is told. */
export function algorithmsFor(
  keys: readonly KeyObject[],
  onKey: (key: KeyObject) => void,
): { signatures: Signatures; digests: Digests } {
  const signatures = [...SIGNATURES].map(([name, { hash, keys: kinds, options }]) => {
    const verifySignature = (material: string, _key: unknown, value: string): boolean => {
      const signer = keys.find(
        (key) => kinds.includes(key.asymmetricKeyType ?? '') && isSigned(hash, material, { key, ...options }, value),
      )
      if (signer) onKey(signer)
      return signer !== undefined
    }
    class Verifier {
      verifySignature = verifySignature
      getAlgorithmName = () => name
      getSignature = (): string => {
        throw new Error('Lists are verified here, not signed.')
      }
    }
    return [name, Verifier] as const
  })
  const digests = [...DIGESTS].map(([name, hash]) => {
    class Digest {
      getAlgorithmName = () => name
      getHash = (xml: string) => createHash(hash).update(xml, 'utf8').digest('base64')
    }
    return [name, Digest] as const
  })
  return { signatures: Object.fromEntries(signatures), digests: Object.fromEntries(digests) }
}
