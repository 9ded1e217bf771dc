import { isObject, type Json } from '../../json.ts'
import { LAST_MOMENT } from '../../time.ts'
import { type EtsiList, invalidSource, type ListedService, sortedIdentifiers, unknownExtension } from './listed.ts'

export const objects = (value: unknown, what: string): Json[] => {
  if (value === undefined) return []
  if (Array.isArray(value) && value.every(isObject)) return value
  throw invalidSource(`The ${what} of the list is no list of objects.`)
}

const textOf = (value: unknown, what: string): string => {
  if (typeof value === 'string' && value.length > 0 && value.length <= 2_048) return value
  throw invalidSource(`The list has no ${what} that is a text.`)
}

/** RFC 3339 with a zone. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

export function timeOf(value: unknown, what: string): Date {
  const time = typeof value === 'string' && TIME.test(value) ? new Date(value) : undefined
  if (time && time.getTime() <= LAST_MOMENT) return time
  throw invalidSource(`The ${what} of the list is no time of RFC 3339 until the year 9999.`)
}

/** In English where there is such a name. */
function nameOf(names: unknown): string | undefined {
  const known = Array.isArray(names) ? names.filter(isObject) : []
  const [name] = [...known.filter(({ lang }) => lang === 'en'), ...known]
  return typeof name?.value === 'string' ? name.value.trim() : undefined
}

/** What is no text counts as one that nobody reads. */
const onceEach = (values: readonly unknown[]): string[] => [
  ...new Set(values.map((each) => (typeof each === 'string' ? each : ''))),
]

/** The certificates in DER of these identities, each once. */
export const certificatesIn = (identities: readonly Json[]): Buffer[] =>
  onceEach(
    identities
      .flatMap(({ X509Certificates: certificates }) => objects(certificates, 'X509Certificates'))
      .map(({ val }) => val),
  ).map((text) => Buffer.from(text, 'base64'))

/** Which of them are critical, where they say so, by either name; none is known here. */
function assertExtensions(extensions: unknown, name: string): void {
  for (const { Critical, critical } of objects(extensions ?? [], name))
    if ([Critical, critical].some((each) => each !== undefined && each !== false && each !== 'false'))
      throw unknownExtension(name)
}

function serviceOf(service: Json, entity: string | undefined): ListedService {
  const { ServiceInformation: information } = service
  if (!isObject(information)) throw invalidSource('A service of the list has no ServiceInformation.')
  const {
    ServiceTypeIdentifier: type,
    ServiceStatus: status,
    StatusStartingTime: since,
    ServiceDigitalIdentity: identity,
    ServiceInformationExtensions: extensions,
  } = information
  assertExtensions(extensions, 'ServiceInformationExtensions')
  const named = isObject(identity) ? identity : {}
  const { OtherIds: others } = named
  return {
    entity,
    type: type === undefined ? '' : textOf(type, 'ServiceTypeIdentifier'),
    status: status === undefined ? undefined : textOf(status, 'ServiceStatus'),
    statusSince: since === undefined ? undefined : timeOf(since, 'StatusStartingTime'),
    certificates: certificatesIn([named]),
    ...sortedIdentifiers(Array.isArray(others) ? onceEach(others) : []),
  }
}

/** Throws `Refusal('trust_list.source_extension')` where the scheme of a list has a critical one. */
export const assertSchemeExtensions = ({ SchemeExtensions: extensions }: Json): void =>
  assertExtensions(extensions, 'SchemeExtensions')

/**
 * Reads what a list in JSON says of itself, whether it lists entities or lists, but for its extensions. Throws
 * `Refusal('trust_list.source_…')`.
 */
export function readLoteScheme(document: unknown): {
  root: Json
  information: Json
  scheme: Omit<EtsiList, 'services'>
} {
  const root = isObject(document) && isObject(document.LoTE) ? document.LoTE : document
  if (!isObject(root)) throw invalidSource('The list is no JSON object.')
  const { ListAndSchemeInformation: information } = root
  if (!isObject(information)) throw invalidSource('The list has no ListAndSchemeInformation.')
  const { LoTESequenceNumber: sequence = 0, LoTEType: type, NextUpdate: nextUpdate } = information
  if (!Number.isSafeInteger(sequence) || Number(sequence) < 0)
    throw invalidSource('The LoTESequenceNumber of the list is no whole number.')
  const scheme = {
    type: type === undefined ? undefined : textOf(type, 'LoTEType'),
    sequence: Number(sequence),
    issuedAt: timeOf(information.ListIssueDateTime ?? information.ListIssueDatetime, 'ListIssueDateTime'),
    nextUpdate: nextUpdate === undefined || nextUpdate === null ? undefined : timeOf(nextUpdate, 'NextUpdate'),
    isClosed: nextUpdate === null,
  }
  return { root, information, scheme }
}

/**
 * Reads the JSON of a list of trusted entities (ETSI TS 119 602 V1.1.1, JSON binding), with its root `LoTE` or, as lists of
 * before the standard have it, without. Throws `Refusal('trust_list.source_invalid')`.
 */
export function readLote(document: unknown): EtsiList {
  const { root, information, scheme } = readLoteScheme(document)
  assertSchemeExtensions(information)
  return {
    ...scheme,
    services: objects(root.TrustedEntitiesList, 'TrustedEntitiesList').flatMap((entity) => {
      const { TrustedEntityInformation: information, TrustedEntityServices: services } = entity
      const name = isObject(information) ? nameOf(information.TEName) : undefined
      if (isObject(information)) assertExtensions(information.TEInformationExtensions, 'TEInformationExtensions')
      return objects(services, 'TrustedEntityServices').map((service) => serviceOf(service, name))
    }),
  }
}
