import { type EtsiList, type ListedService, sortedIdentifiers } from '../listed.ts'
import { timeOf } from '../lote.ts'
import type { XmlElement } from './parse.ts'
import {
  all,
  assertExtensions,
  assertSchemeExtensions,
  certificatesIn,
  need,
  readScheme,
  TSL,
  textOf,
} from './scheme.ts'

/**
 * Extensions of services by TS 119 612, section 5.5.9: they say more of a service, and nothing of whether it is granted. No
 * other one is critical in the lists of member states (D-861).
 */
const KNOWN = new Set([
  `${TSL} AdditionalServiceInformation`,
  `${TSL} ExpiredCertsRevocationInfo`,
  'http://uri.etsi.org/TrstSvc/SvcInfoExt/eSigDir-1999-93-EC-TrustedList/# Qualifications',
  'http://uri.etsi.org/02231/v2/additionaltypes# TakenOverBy',
])

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
  const certificates = certificatesIn(identities)
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

/**
 * Reads a trust-service status list (ETSI TS 119 612 V2.4.1): of each service what it is now, and nothing of its history.
 * Throws `Refusal('trust_list.source_invalid')`.
 */
export function readTsl(text: string): EtsiList {
  const { root, information, scheme } = readScheme(text)
  assertSchemeExtensions(information)
  return {
    ...scheme,
    services: all(root, 'TrustServiceProviderList', 'TrustServiceProvider').flatMap((provider) => {
      const name = nameOf(provider)
      return all(provider, 'TSPServices', 'TSPService').map((service) => serviceOf(service, name))
    }),
  }
}
