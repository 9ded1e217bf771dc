import { type EtsiList, invalidSource, type ListedService, sortedIdentifiers, unknownExtension } from '../listed.ts'
import { timeOf } from '../lote.ts'
import { childrenOf, parseForeignXml, type XmlElement } from './parse.ts'

const TSL = 'http://uri.etsi.org/02231/v2#'

/** Of TS 119 612 V2.1.1 and V2.3.1. */
const VERSIONS = ['5', '6']

const MAX_TEXT = 2_048

/** Extensions of services by TS 119 612, section 5.5.9: they say more of a service, and nothing of whether it is granted. */
const KNOWN = new Set([
  `${TSL} AdditionalServiceInformation`,
  `${TSL} ExpiredCertsRevocationInfo`,
  'http://uri.etsi.org/TrstSvc/SvcInfoExt/eSigDir-1999-93-EC-TrustedList/# Qualifications',
  'http://uri.etsi.org/02231/v2/additionaltypes# TakenOverBy',
])

function find(element: XmlElement, name: string): XmlElement | undefined {
  const [found, ...more] = childrenOf(element, TSL, name)
  if (more.length > 0) throw invalidSource(`The list has ${name} twice in one ${element.name}.`)
  return found
}

function need(element: XmlElement, name: string): XmlElement {
  const found = find(element, name)
  if (found) return found
  throw invalidSource(`The list has no ${name} in a ${element.name}.`)
}

function textOf(element: XmlElement, name: string): string {
  const text = need(element, name).text.trim()
  if (text.length > 0 && text.length <= MAX_TEXT) return text
  throw invalidSource(`The ${name} of the list is no text of 1 to ${MAX_TEXT} characters.`)
}

const all = (element: XmlElement, list: string, item: string): XmlElement[] => {
  const found = find(element, list)
  return found ? childrenOf(found, TSL, item) : []
}

/** One that does not say that it is not critical is. */
function assertExtensions(element: XmlElement, list: string, known: ReadonlySet<string> = new Set()): void {
  for (const { attributes, children } of all(element, list, 'Extension')) {
    if (['false', '0'].includes(attributes.get('Critical')?.trim() ?? '')) continue
    const names = children.map(({ name, namespace }) => `${namespace} ${name}`)
    const unknown = names.find((name) => !known.has(name))
    if (unknown !== undefined || names.length === 0) throw unknownExtension(unknown ?? list)
  }
}

/** In English where there is such a name. */
function nameOf(provider: XmlElement): string | undefined {
  const information = need(provider, 'TSPInformation')
  assertExtensions(information, 'TSPInformationExtensions')
  const names = all(information, 'TSPName', 'Name')
  return (names.find(({ language }) => language === 'en') ?? names[0])?.text.trim()
}

/**
 * Certificates name a service, and so do, besides, the subjects and key identifiers of the same: these say nothing of
 * their own. A service without a certificate is counted by what it has, of which DIDs count.
 */
function identitiesOf(information: XmlElement): Pick<ListedService, 'certificates' | 'identifiers' | 'unread'> {
  const identities = all(information, 'ServiceDigitalIdentity', 'DigitalId').flatMap(({ children }) => children)
  const own = identities.filter(({ namespace }) => namespace === TSL)
  const encoded = own.filter(({ name }) => name === 'X509Certificate').map(({ text }) => text.replaceAll(/\s/g, ''))
  const certificates = [...new Set(encoded)].map((text) => Buffer.from(text, 'base64'))
  const { identifiers, unread } = sortedIdentifiers(identities.map(({ text }) => text.trim()))
  return { certificates, identifiers, unread: certificates.length > 0 ? [] : unread }
}

function serviceOf(service: XmlElement, entity: string | undefined): ListedService {
  const information = need(service, 'ServiceInformation')
  assertExtensions(information, 'ServiceInformationExtensions', KNOWN)
  return {
    entity,
    type: textOf(information, 'ServiceTypeIdentifier'),
    status: textOf(information, 'ServiceStatus'),
    statusSince: timeOf(textOf(information, 'StatusStartingTime'), 'StatusStartingTime'),
    ...identitiesOf(information),
  }
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

/**
 * Reads a trust-service status list (ETSI TS 119 612 V2.4.1): of each service what it is now, and nothing of its history.
 * Throws `Refusal('trust_list.source_invalid')`.
 */
export function readTsl(text: string): EtsiList {
  const root = parseForeignXml(text)
  if (root.name !== 'TrustServiceStatusList' || root.namespace !== TSL)
    throw invalidSource(`The root of the list is not the TrustServiceStatusList of ${TSL}.`)
  const scheme = need(root, 'SchemeInformation')
  if (!VERSIONS.includes(textOf(scheme, 'TSLVersionIdentifier')))
    throw invalidSource(`The TSLVersionIdentifier of the list is none of ${VERSIONS.join(' and ')}.`)
  assertExtensions(scheme, 'SchemeExtensions')
  const nextUpdate = nextUpdateOf(scheme)
  return {
    type: textOf(scheme, 'TSLType'),
    sequence: sequenceOf(scheme),
    issuedAt: timeOf(textOf(scheme, 'ListIssueDateTime'), 'ListIssueDateTime'),
    nextUpdate,
    isClosed: nextUpdate === undefined,
    services: all(root, 'TrustServiceProviderList', 'TrustServiceProvider').flatMap((provider) => {
      const name = nameOf(provider)
      return all(provider, 'TSPServices', 'TSPService').map((service) => serviceOf(service, name))
    }),
  }
}
