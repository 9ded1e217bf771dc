import { refuseSignature as refuse } from '../signers.ts'
import { CANONICAL, DIGESTS, ENVELOPED, SIGNATURES } from './algorithms.ts'
import { childrenOf, elementsIn, type XmlElement } from './parse.ts'

export const DSIG = 'http://www.w3.org/2000/09/xmldsig#'
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'

/** Of the list, of the properties of XAdES, and of the key. */
const MAX_REFERENCES = 5

/** The one element of this name that is directly in another one. */
function only(element: XmlElement, name: string): XmlElement {
  const [found, ...more] = childrenOf(element, DSIG, name)
  if (found && more.length === 0) return found
  throw refuse(`The signature of the list has ${found ? 'more than one' : 'no'} ${name} in its ${element.name}.`)
}

const algorithmOf = (element: XmlElement): string => element.attributes.get('Algorithm') ?? ''

function assertKnown(element: XmlElement, known: Iterable<string>): void {
  if ([...known].includes(algorithmOf(element))) return
  const algorithm = algorithmOf(element).slice(0, 200)
  throw refuse(`The ${element.name} of the signature has an algorithm that is not taken: ${algorithm || 'none'}.`)
}

function assertChildren(element: XmlElement, known: readonly string[]): void {
  const other = element.children.find(({ name, namespace }) => namespace !== DSIG || !known.includes(name))
  if (other) throw refuse(`The ${element.name} of the signature has the unknown element ${other.name.slice(0, 100)}.`)
}

/** Namespaces that exclusive canonical XML keeps; nothing else may change what a transform does. */
const isPrefixes = ({ name, namespace }: XmlElement) => name === 'InclusiveNamespaces' && namespace === EXCLUSIVE

function transformsOf(reference: XmlElement): string[] {
  const [transforms, ...more] = childrenOf(reference, DSIG, 'Transforms')
  if (more.length > 0) throw refuse('The signature of the list has Transforms twice in one Reference.')
  if (!transforms) return []
  assertChildren(transforms, ['Transform'])
  return transforms.children.map((transform) => {
    assertKnown(transform, [ENVELOPED, ...CANONICAL])
    if (!transform.children.every(isPrefixes)) throw refuse('A Transform of the signature has unknown parameters.')
    return algorithmOf(transform)
  })
}

const idsOf = ({ attributes }: XmlElement): string[] => ['Id', 'ID', 'id'].flatMap((name) => attributes.get(name) ?? [])

/**
 * The list itself: without its signature and comments, in canonical form, and nothing but that. Anything else: a part of
 * the signature. So no element that is signed is taken for another one.
 */
function coversList(reference: XmlElement, root: XmlElement, inSignature: ReadonlySet<string>): boolean {
  assertChildren(reference, ['Transforms', 'DigestMethod', 'DigestValue'])
  assertKnown(only(reference, 'DigestMethod'), DIGESTS.keys())
  only(reference, 'DigestValue')
  const uri = reference.attributes.get('URI')
  const [first, ...others] = transformsOf(reference)
  const isOfList = uri === '' || (uri?.startsWith('#') && idsOf(root).includes(uri.slice(1)))
  if (isOfList) {
    const isWhole = first === ENVELOPED && others.length <= 1 && !others.includes(ENVELOPED)
    if (isWhole) return true
    throw refuse('The signature of the list is not of the whole list: expected it enveloped and in canonical form.')
  }
  if (uri === undefined || !uri.startsWith('#') || !inSignature.has(uri.slice(1)))
    throw refuse('The signature has a Reference to something else than the list and parts of the signature.')
  if (first === ENVELOPED || others.length > 0)
    throw refuse('The signature transforms a part of itself more than once.')
  return false
}

/**
 * Asserts that a list has one enveloped XAdES or XML signature of the whole of it (ETSI TS 119 612, section 5.7.1 and
 * annex B), and returns which of its references that is. Throws `Refusal('trust_list.source_signature')`.
 */
export function referenceToList(root: XmlElement): number {
  const elements = [...elementsIn(root)]
  const signatures = elements.filter(({ name, namespace }) => name === 'Signature' && namespace === DSIG)
  const [signature] = childrenOf(root, DSIG, 'Signature')
  if (signatures.length === 0) throw refuse('The list has no signature.')
  if (signatures.length > 1) throw refuse('The list has more than one signature.')
  if (!signature) throw refuse('The signature of the list is not directly in its root.')
  if (elements.filter(({ name }) => name === 'SignedInfo').length > 1)
    throw refuse('The list has more than one SignedInfo.')
  assertChildren(signature, ['SignedInfo', 'SignatureValue', 'KeyInfo', 'Object'])
  const info = only(signature, 'SignedInfo')
  only(signature, 'SignatureValue')
  assertChildren(info, ['CanonicalizationMethod', 'SignatureMethod', 'Reference'])
  const method = only(info, 'CanonicalizationMethod')
  assertKnown(method, CANONICAL)
  assertChildren(method, [])
  assertKnown(only(info, 'SignatureMethod'), SIGNATURES.keys())
  const references = childrenOf(info, DSIG, 'Reference')
  if (references.length > MAX_REFERENCES) throw refuse(`The signature has more than ${MAX_REFERENCES} references.`)
  const ids = elements.flatMap(idsOf)
  if (new Set(ids).size < ids.length) throw refuse('The list has the same Id twice.')
  const inSignature = new Set([...elementsIn(signature)].flatMap(idsOf))
  const covering = references.flatMap((reference, at) => (coversList(reference, root, inSignature) ? [at] : []))
  const [at, ...more] = covering
  if (at === undefined || more.length > 0) throw refuse('The signature is not of the list, or it is more than once.')
  return at
}
