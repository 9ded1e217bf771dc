import { isDid } from '../../dids/index.ts'
import { Refusal } from '../../errors.ts'
import { fingerprintOf, readCertificate } from '../../mobile-credentials/certificates.read.ts'
import { toPem } from '../../mobile-credentials/certificates.ts'
import { isLabel } from '../../names.ts'
import { earliestOf, hasCome } from '../../time.ts'
import { type HeldEntry, heldCertificate, heldEntry } from '../lists.ts'

/** A service of a trusted entity, as both forms of lists have it. */
export interface ListedService {
  /** Name of the entity, in English where there is one. */
  entity: string | undefined
  type: string
  /** Absent where the list has none: then the entity is listed. */
  status: string | undefined
  statusSince: Date | undefined
  /** In DER. */
  certificates: readonly Uint8Array[]
  /** DIDs among the other identifiers. */
  identifiers: readonly string[]
  /** The other ones: nobody reads them. */
  unread: readonly string[]
}

/** What is read of a list. */
export interface EtsiList {
  type: string | undefined
  sequence: number
  issuedAt: Date
  /** undefined: the list says nothing of a next one. */
  nextUpdate: Date | undefined
  /** Its scheme has ended: no other list follows, and nothing in it counts. */
  isClosed: boolean
  services: readonly ListedService[]
}

/** An imported list has more entries than one that is typed. */
export const MAX_IMPORTED = 2_000
/** Identities that are read to find them, each once: one that cannot be read costs as much as another. */
export const MAX_IDENTITIES = 2 * MAX_IMPORTED
/** Certificates of one subject: a chain that names it is tried with each of them. */
export const MAX_OF_SUBJECT = 20
/** Services and their identities, of all types and with those that repeat others: what a thread answers with. */
export const MAX_LISTED = 10 * MAX_IDENTITIES
/** Characters of the name of an entity: each of its services has it. */
const MAX_NAME = 200
const MAX_DID = 2_048

export const refuseSource = (code: string, message: string, options?: ErrorOptions): Refusal =>
  new Refusal(code, message, [], options)

export const invalidSource = (message: string): Refusal => new Refusal('trust_list.source_invalid', message)

/** A system that reads a list rejects it for a critical extension that it does not know (TS 119 612 and TS 119 602, 5.3.17 and 6.3.17). */
export const unknownExtension = (name: string): Refusal =>
  refuseSource(
    'trust_list.source_extension',
    `The list has a critical extension that the platform does not know: ${name.slice(0, 200)}.`,
  )

/**
 * Statuses of services that count: granted (TS 119 612, section 5.5.4) and its former names, notified (TS 119 602, annexes).
 */
const COUNTS =
  /^http:\/\/uri\.etsi\.org\/(?:TrstSvc\/TrustedList\/Svcstatus\/(?:granted|recognisedatnationallevel)|19602\/(?:[A-Za-z]+\/)?SvcStatus\/notified)$/

const mayCount = ({ type, status }: ListedService, types: readonly string[]): boolean =>
  types.includes(type) && (status === undefined || COUNTS.test(status))

/** The services of these types that are in force. */
export const servicesInForce = (list: EtsiList, types: readonly string[], now: Date): ListedService[] =>
  list.services.filter(
    (service) => mayCount(service, types) && (!service.statusSince || hasCome(service.statusSince, { now })),
  )

/** When the first of the services of these types comes into force that are not yet; null: there is none. */
export const nextStart = (list: EtsiList, types: readonly string[], now: Date): Date | null =>
  list.services.reduce<Date | null>(
    (first, service) =>
      service.statusSince && mayCount(service, types) && !hasCome(service.statusSince, { now })
        ? earliestOf(first, service.statusSince)
        : first,
    null,
  )

/** An identity of a service. */
export interface Identity {
  /** The same for the same identity: the fingerprint of a certificate. */
  key: string
  /** undefined for what cannot be read, or is of a kind that does not count. A certificate takes a millisecond. */
  read(): HeldEntry | undefined
}

/** The other identifiers of a service, each once. */
export function sortedIdentifiers(texts: Iterable<string>): Pick<ListedService, 'identifiers' | 'unread'> {
  const [identifiers, unread]: [string[], string[]] = [[], []]
  for (const text of new Set(texts)) (text.length <= MAX_DID && isDid(text) ? identifiers : unread).push(text)
  return { identifiers, unread }
}

/** What leaves the thread that read a list: bounded, whatever the list repeats. Throws `trust_list.source_too_large`. */
export function boundedList<List extends EtsiList>(list: List): List {
  const size = list.services.reduce(
    (sum, { certificates, identifiers, unread }) => sum + 1 + certificates.length + identifiers.length + unread.length,
    0,
  )
  if (size > MAX_LISTED)
    throw refuseSource('trust_list.source_too_large', `The list has more than ${MAX_LISTED} services and identities.`)
  const services = list.services.map(({ entity, ...service }) => ({ ...service, entity: entity?.slice(0, MAX_NAME) }))
  return { ...list, services }
}

const nameOf = (entity = ''): { name?: string } => (isLabel(entity) ? { name: entity } : {})

function certifiedIssuer(entity: string | undefined, der: Uint8Array): HeldEntry | undefined {
  const certificate = readCertificate(der)
  return certificate && heldCertificate(nameOf(entity), toPem('CERTIFICATE', der), certificate)
}

/** The issuers of a service, one by one. */
export function* identitiesOf({ entity, certificates, identifiers, unread }: ListedService): Generator<Identity> {
  for (const der of certificates) yield { key: fingerprintOf(der), read: () => certifiedIssuer(entity, der) }
  for (const identifier of identifiers)
    yield { key: identifier, read: () => heldEntry({ ...nameOf(entity), identifier }) }
  for (const text of unread) yield { key: text, read: () => undefined }
}
