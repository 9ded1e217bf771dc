import type { KeyObject } from 'node:crypto'
import { createRequire } from 'node:module'
import { SignedXml } from 'xml-crypto'
import { authorityOf } from '../../../mobile-credentials/authority.ts'
import { type Certificate, readCertificate } from '../../../mobile-credentials/certificates.read.ts'
import { assertSigners, notSigned, refuseSignature, type Signers } from '../signers.ts'
import { algorithmsFor, CANONICAL, ENVELOPED } from './algorithms.ts'
import { childrenOf, elementsIn, parseForeignXml, type XmlElement } from './parse.ts'
import { DSIG, referenceToList } from './shape.ts'

interface Nodes {
  length: number
  item(index: number): object | null
}

/** What is used of the parser that the library uses: its own types bring all those of browsers. */
interface Dom {
  DOMParser: new () => {
    parseFromString(text: string, type: string): { getElementsByTagNameNS(namespace: string, name: string): Nodes }
  }
}

const { DOMParser }: Dom = createRequire(import.meta.url)('@xmldom/xmldom')

/** Exactly the algorithms that a list may use, so that the library takes no other one. */
function verifierFor(signers: readonly Certificate[], onKey: (key: KeyObject) => void): SignedXml {
  const keys = signers.map(({ publicKey }) => publicKey)
  // the library wants a key, which is one of those that the algorithms try
  const verifier = new SignedXml({ publicCert: keys[0], getCertFromKeyInfo: () => null })
  const { signatures, digests } = algorithmsFor(keys, onKey)
  const known = Object.entries(verifier.CanonicalizationAlgorithms)
  verifier.CanonicalizationAlgorithms = Object.fromEntries(
    known.filter(([name]) => name === ENVELOPED || CANONICAL.includes(name)),
  )
  verifier.SignatureAlgorithms = signatures
  verifier.HashAlgorithms = digests
  return verifier
}

interface Signed {
  /** What the library says was signed, in canonical form. */
  texts: string[]
  key: KeyObject | undefined
}

function signedBy(text: string, signers: readonly Certificate[]): Signed {
  const found = new DOMParser().parseFromString(text, 'text/xml').getElementsByTagNameNS(DSIG, 'Signature')
  const signature = found.item(0)
  let key: KeyObject | undefined
  if (!signature || found.length > 1) return { texts: [], key }
  const verifier = verifierFor(signers, (each) => {
    key = each
  })
  verifier.loadSignature(signature)
  const texts = verifier.checkSignature(text) ? verifier.getSignedReferences() : []
  return { texts, key }
}

/** The first certificate that a signature has of its key. */
function namedIn(root: XmlElement): Certificate | undefined {
  const infos = childrenOf(root, DSIG, 'Signature').flatMap((signature) => childrenOf(signature, DSIG, 'KeyInfo'))
  const [first] = infos
    .flatMap((info) => [...elementsIn(info)])
    .filter(({ name, namespace }) => namespace === DSIG && name === 'X509Certificate')
  return first && readCertificate(Buffer.from(first.text, 'base64'))
}

/**
 * Verifies the enveloped signature of a list by one of these certificates: what certificates it brings itself says
 * nothing. Returns the text that is signed, and nothing else of the list may be read, and the name of the key. Throws
 * `Refusal('trust_list.source_signature')`, and `trust_list.source_invalid` for what is no XML.
 */
export function verifiedXml(text: string, signers: Signers): { text: string; signedBy: string } {
  const root = parseForeignXml(text)
  const at = referenceToList(root)
  assertSigners(signers)
  let signed: Signed
  try {
    signed = signedBy(text, signers.valid)
  } catch (cause) {
    throw notSigned(signers, namedIn(root), { cause })
  }
  const { key, texts } = signed
  const content = texts[at]
  if (content === undefined || !key)
    throw refuseSignature('The list has another content than the one that was signed (its digest differs).')
  return { text: content, signedBy: authorityOf({ publicKey: key }) }
}
