import { type SaxesAttributeNS, SaxesParser } from 'saxes'
import { invalidSource } from '../listed.ts'

/** An element, with what is directly in it. Comments are left out, as the canonical form without comments has it. */
export interface XmlElement {
  /** Without prefix. */
  name: string
  /** Empty: of none. */
  namespace: string
  /** Those of no namespace, such as `Id`, but for declarations of namespaces. */
  attributes: ReadonlyMap<string, string>
  /** `xml:lang`. */
  language: string | undefined
  children: readonly XmlElement[]
  /** Its own text, CDATA included. */
  text: string
}

interface Limits {
  /** Levels of elements. */
  depth: number
  elements: number
  /** Elements that are directly in one: with many of them some libraries need a time that grows with the square. */
  children: number
  /** Of one element, declarations of namespaces included. */
  attributes: number
}

interface Open extends XmlElement {
  children: XmlElement[]
}

/** A list of a country has 16,000 elements in 15 levels. */
const LIMITS: Limits = { depth: 64, elements: 100_000, children: 2_000, attributes: 64 }

const XML = 'http://www.w3.org/XML/1998/namespace'
const XMLNS = 'http://www.w3.org/2000/xmlns/'

function elementOf({ local, uri, attributes }: { local: string; uri: string; attributes: SaxesAttributeNS[] }): Open {
  const own = attributes.filter(({ uri: namespace, name }) => namespace === '' && name !== 'xmlns')
  return {
    name: local,
    namespace: uri,
    attributes: new Map(own.map(({ local: name, value }) => [name, value])),
    language: attributes.find(({ uri: namespace, local: name }) => namespace === XML && name === 'lang')?.value,
    children: [],
    text: '',
  }
}

/**
 * Parses untrusted XML 1.0 in UTF-8 with namespaces. What brings in something from elsewhere, or means another thing to
 * other parsers, is refused: a document type with its entities, and processing instructions. Throws
 * `Refusal('trust_list.source_invalid')`.
 */
export function parseForeignXml(text: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true, position: true })
  const open: Open[] = []
  let root: XmlElement | undefined
  let elements = 0

  parser.on('xmldecl', ({ version = '1.0', encoding = 'UTF-8' }) => {
    if (version !== '1.0') throw invalidSource('The document is XML of another version than 1.0.')
    if (encoding.toUpperCase() !== 'UTF-8') throw invalidSource('The document says that it is not in UTF-8.')
  })
  parser.on('doctype', () => {
    throw invalidSource('The document has a document type (DOCTYPE), which may define entities.')
  })
  parser.on('processinginstruction', () => {
    throw invalidSource('The document has a processing instruction.')
  })
  parser.on('error', ({ message }) => {
    throw invalidSource(`The document is not XML with namespaces (${message.slice(0, 200)}).`)
  })
  parser.on('opentag', ({ local, uri, attributes }) => {
    elements += 1
    const given = Object.values(attributes).filter((attribute) => typeof attribute !== 'string')
    if (elements > LIMITS.elements) throw invalidSource(`The document has more than ${LIMITS.elements} elements.`)
    if (open.length >= LIMITS.depth) throw invalidSource(`The document is nested deeper than ${LIMITS.depth} levels.`)
    if (given.length > LIMITS.attributes)
      throw invalidSource(`An element of the document has more than ${LIMITS.attributes} attributes.`)
    const element = elementOf({ local, uri, attributes: given.filter(({ uri: namespace }) => namespace !== XMLNS) })
    const siblings = open.at(-1)?.children
    siblings?.push(element)
    if (siblings && siblings.length > LIMITS.children)
      throw invalidSource(`An element of the document has more than ${LIMITS.children} others in it.`)
    open.push(element)
    root ??= element
  })
  const addText = (more: string) => {
    const element = open.at(-1)
    if (element) element.text += more
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => {
    open.pop()
  })
  parser.write(text).close()
  if (!root) throw invalidSource('The document has no element.')
  return root
}

/** Those of this name and namespace that are directly in an element. */
export const childrenOf = (element: XmlElement, namespace: string, name: string): XmlElement[] =>
  element.children.filter((child) => child.name === name && child.namespace === namespace)

/** The element and all that are in it, in the order of the document. */
export function* elementsIn(element: XmlElement): Generator<XmlElement> {
  yield element
  for (const child of element.children) yield* elementsIn(child)
}
