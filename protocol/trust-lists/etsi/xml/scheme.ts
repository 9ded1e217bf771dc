import { invalidSource, unknownExtension } from '../listed.ts'
import { timeOf } from '../lote.ts'
import { childrenOf, parseForeignXml, type XmlElement } from './parse.ts'

export const TSL = 'http://uri.etsi.org/02231/v2#'

/** Of TS 119 612 V2.1.1 and V2.3.1. */
const VERSIONS = ['5', '6']

const MAX_TEXT = 2_048

export function find(element: XmlElement, name: string): XmlElement | undefined {
  const [found, ...more] = childrenOf(element, TSL, name)
  if (more.length > 0) throw invalidSource(`The list has ${name} twice in one ${element.name}.`)
  return found
}

export function need(element: XmlElement, name: string): XmlElement {
  const found = find(element, name)
  if (found) return found
  throw invalidSource(`The list has no ${name} in a ${element.name}.`)
}

export function textOf(element: XmlElement, name: string): string {
  const text = need(element, name).text.trim()
  if (text.length > 0 && text.length <= MAX_TEXT) return text
  throw invalidSource(`The ${name} of the list is no text of 1 to ${MAX_TEXT} characters.`)
}

export const all = (element: XmlElement, list: string, item: string): XmlElement[] => {
  const found = find(element, list)
  return found ? childrenOf(found, TSL, item) : []
}

/** One that does not say that it is not critical is. */
export function assertExtensions(element: XmlElement, list: string, known: ReadonlySet<string> = new Set()): void {
  for (const { attributes, children } of all(element, list, 'Extension')) {
    if (['false', '0'].includes(attributes.get('Critical')?.trim() ?? '')) continue
    const names = children.map(({ name, namespace }) => `${namespace} ${name}`)
    const unknown = names.find((name) => !known.has(name))
    if (unknown !== undefined || names.length === 0) throw unknownExtension(unknown ?? list)
  }
}

/** The certificates in DER among these identities, each once. */
export function certificatesIn(identities: readonly XmlElement[]): Buffer[] {
  const own = identities.filter(({ name, namespace }) => namespace === TSL && name === 'X509Certificate')
  const encoded = own.map(({ text }) => text.replaceAll(/\s/g, ''))
  return [...new Set(encoded)].map((text) => Buffer.from(text, 'base64'))
}

function sequenceOf(scheme: XmlElement): number {
  const text = textOf(scheme, 'TSLSequenceNumber')
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw invalidSource('The TSLSequenceNumber of the list is no whole number.')
}

/** Empty: the list is closed, and no other one follows (TS 119 612, section 5.3.15). */
function nextUpdateOf(scheme: XmlElement): Date | undefined {
  const element = need(scheme, 'NextUpdate')
  const next = find(element, 'dateTime')
  if (next) return timeOf(next.text.trim(), 'NextUpdate')
  if (element.children.length === 0 && element.text.trim() === '') return undefined
  throw invalidSource(`The NextUpdate of the list is neither empty nor a dateTime of ${TSL}.`)
}

/** What a list says of itself. */
export interface Scheme {
  type: string
  sequence: number
  issuedAt: Date
  /** undefined: the list is closed. */
  nextUpdate: Date | undefined
  isClosed: boolean
}

/** Throws `Refusal('trust_list.source_extension')` where the scheme of a list has a critical one. */
export const assertSchemeExtensions = (information: XmlElement): void =>
  assertExtensions(information, 'SchemeExtensions')

/**
 * Reads what a list in XML says of itself, whether it lists services or lists, but for its extensions. Throws
 * `Refusal('trust_list.source_…')`.
 */
export function readScheme(text: string): { root: XmlElement; information: XmlElement; scheme: Scheme } {
  const root = parseForeignXml(text)
  if (root.name !== 'TrustServiceStatusList' || root.namespace !== TSL)
    throw invalidSource(`The root of the list is not the TrustServiceStatusList of ${TSL}.`)
  const information = need(root, 'SchemeInformation')
  if (!VERSIONS.includes(textOf(information, 'TSLVersionIdentifier')))
    throw invalidSource(`The TSLVersionIdentifier of the list is none of ${VERSIONS.join(' and ')}.`)
  const nextUpdate = nextUpdateOf(information)
  const scheme: Scheme = {
    type: textOf(information, 'TSLType'),
    sequence: sequenceOf(information),
    issuedAt: timeOf(textOf(information, 'ListIssueDateTime'), 'ListIssueDateTime'),
    nextUpdate,
    isClosed: nextUpdate === undefined,
  }
  return { root, information, scheme }
}
