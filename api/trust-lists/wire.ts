import type { NewTrustList, TrustListChanges } from '../../activities/trust-lists/lifecycle.ts'
import type { TrustListRecord, TrustListState, TrustListSummary } from '../../activities/trust-lists/records.ts'
import { type FormatSlug, formatOf } from '../../protocol/credentials/formats.ts'
import type { Attested } from '../../protocol/credentials/trust.ts'
import { givenEntry } from '../../protocol/trust-lists/lists.ts'
import {
  GRACE_HOURS,
  type ListFacts,
  type ListsFacts,
  type ListsSource,
  REFRESH_HOURS,
  type SourceFormat,
  type TrustSource,
  type TrustSourceInput,
} from '../../protocol/trust-lists/sources.ts'
import type { Count, DateTime, Uuid } from '../frame/wire.ts'
import { remedyOf } from './problems.ts'

/** One line, for people. */
export type TrustListName = string

/** Formats of credentials whose issuers it lists. */
export type TrustListFormats = FormatSlug[]

/** What its entries, as wallet providers, are trusted for. */
export type TrustListAttests = Attested[]

/** One X.509 certificate in PEM. */
export type TrustedCertificate = string

/** A DID, or the https address of an issuer of SD-JWT VC. */
export type TrustedIdentifier = string

/** A certificate or an identifier. */
export interface TrustEntryIn {
  name?: TrustListName | null
  /** Of an issuer, or of an authority that certifies issuers. */
  certificate?: TrustedCertificate | null
  identifier?: TrustedIdentifier | null
}

export type TrustEntriesIn = TrustEntryIn[]

/** The standard that the list is written by. */
export type TrustSourceFormat = SourceFormat

/** An https URL. */
export type TrustSourceUrl = string

/** The list itself. */
export type TrustSourceDocument = string

/** X.509 certificates in PEM, one in each text: one of them has signed the list. */
export type TrustSourceSigners = string[]

/** Where a list of lists says that the list is. */
export type TrustListLocation = string

/** URIs of types of services. */
export type TrustServiceTypes = string[]

/**
 * Hours between two reads of the URL at the most.
 * @isLong expected a whole number
 */
export type TrustRefreshHours = number

/**
 * Hours for which the list counts after its next update was due.
 * @isLong expected a whole number
 */
export type TrustGraceHours = number

/** A list of lists (LOTL) by the standard of the list: it names who signs that. */
export interface ListOfListsIn {
  url: TrustSourceUrl
  /** Of the list of lists. */
  signers: TrustSourceSigners
  /** Default: the url of the source. Needed with a document. */
  location?: TrustListLocation | null
  /** For ts-119-612: where none of the signers signed it, its pivots say who took their place. Default: false. */
  followPivots?: boolean | null
}

/** A url or a document. */
export interface TrustSourceIn {
  format: TrustSourceFormat
  url?: TrustSourceUrl | null
  document?: TrustSourceDocument | null
  /** Needed with url, unless a list of lists names them; without both, a document needs no signature. */
  signers?: TrustSourceSigners | null
  /** In place of signers: it is read with the list each time. */
  listOfLists?: ListOfListsIn | null
  /** The issuers of these services count. */
  serviceTypes: TrustServiceTypes
  refreshHours?: TrustRefreshHours | null
  graceHours?: TrustGraceHours | null
}

export interface TrustListIn {
  name: TrustListName
  /** Empty: it lists only wallet providers. */
  formats: TrustListFormats
  /** Default: none. */
  attests?: TrustListAttests | null
  /** false: the list decides nothing. Default: true. */
  enforced?: boolean | null
  /** Needed without source. */
  entries?: TrustEntriesIn | null
  /** In place of entries. */
  source?: TrustSourceIn | null
}

/** A member that is absent does not change. */
export interface TrustListChangesIn {
  name?: TrustListName
  formats?: TrustListFormats
  attests?: TrustListAttests
  enforced?: boolean
  entries?: TrustEntriesIn
  source?: TrustSourceIn
}

export interface TrustEntryOut {
  name: string | null
  certificate: string | null
  /** SHA-256 of the certificate, in hex. */
  certificateFingerprint: string | null
  identifier: string | null
}

export interface ListOfListsOut {
  url: string
  signers: string[]
  /** null: the url of the source. */
  location: string | null
  followPivots: boolean
}

export interface TrustSourceOut {
  format: TrustSourceFormat
  url: string | null
  signers: string[]
  /** null: the signers are those of the source. */
  listOfLists: ListOfListsOut | null
  serviceTypes: string[]
  refreshHours: Count
  graceHours: Count
}

/** What the list of lists that was read last says of itself. */
export interface ReadListOfListsOut {
  sequenceNumber: Count
  issuedAt: DateTime
  nextUpdate: DateTime | null
  /** Certificates of the signers of the list. */
  signers: Count
  /** Pivots that were followed to who signed it; 0: it was one of the signers that the source names. */
  pivots: Count
}

/** What the list that was read last says of itself. */
export interface ImportedListOut {
  type: string | null
  sequenceNumber: Count
  issuedAt: DateTime
  nextUpdate: DateTime | null
  /** Identities of its services that do not count: they cannot be read, or are of another kind. */
  skipped: Count
  listOfLists: ReadListOfListsOut | null
}

export interface TrustFailureOut {
  /** `trust_list.lotl_…`: of the list of lists. Else of the list. */
  code: string
  message: string
  /** What to do. */
  remedy: string | null
  since: DateTime
}

export interface TrustListSummaryOut {
  id: Uuid
  name: string
  formats: TrustListFormats
  attests: TrustListAttests
  enforced: boolean
  /** failing: it counts, but could not be read again. stale: its entries count no more. */
  state: TrustListState
  entryCount: Count
  /** null: the tenant wrote the entries. */
  source: TrustSourceOut | null
  imported: ImportedListOut | null
  /** When the list was read last. */
  fetchedAt: DateTime | null
  /** When its URL is read again by the schedule; null: it has none. */
  nextRefreshAt: DateTime | null
  /** When its entries count no more. */
  staleAt: DateTime | null
  /** Why it could not be read again. */
  failure: TrustFailureOut | null
  createdAt: DateTime
  updatedAt: DateTime
}

export interface TrustListOut extends TrustListSummaryOut {
  entries: TrustEntryOut[]
}

export interface TrustListPageOut {
  data: TrustListSummaryOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

const toLists = ({ url, signers, location, followPivots }: ListOfListsIn): ListsSource => ({
  url,
  signers,
  ...(typeof location === 'string' && { location }),
  ...(followPivots === true && { followPivots }),
})

const toSource = (given: TrustSourceIn): TrustSourceInput => ({
  format: given.format,
  ...(typeof given.url === 'string' && { url: given.url }),
  ...(typeof given.document === 'string' && { document: given.document }),
  signers: given.signers ?? [],
  ...(given.listOfLists && { listOfLists: toLists(given.listOfLists) }),
  serviceTypes: given.serviceTypes,
  refreshHours: given.refreshHours ?? REFRESH_HOURS.default,
  graceHours: given.graceHours ?? GRACE_HOURS.default,
})

export const toTrustList = ({ name, formats, attests, enforced, entries, source }: TrustListIn): NewTrustList => ({
  name,
  formats: formats.map(formatOf),
  attests: attests ?? [],
  enforced: enforced ?? true,
  entries: entries?.map(givenEntry),
  source: source ? toSource(source) : undefined,
})

export const toTrustListChanges = (changes: TrustListChangesIn): TrustListChanges => ({
  name: changes.name,
  formats: changes.formats?.map(formatOf),
  attests: changes.attests,
  enforced: changes.enforced,
  entries: changes.entries?.map(givenEntry),
  source: changes.source && toSource(changes.source),
})

const sourceToWire = ({ url, signers, listOfLists, serviceTypes, ...source }: TrustSource): TrustSourceOut => ({
  ...source,
  url: url ?? null,
  signers: [...signers],
  listOfLists: listOfLists
    ? { location: null, followPivots: false, ...listOfLists, signers: [...listOfLists.signers] }
    : null,
  serviceTypes: [...serviceTypes],
})

const listsToWire = ({ signedBy: _, pivots, ...facts }: ListsFacts): ReadListOfListsOut => ({
  ...facts,
  pivots: pivots?.followed ?? 0,
})

const importedToWire = ({ signedBy: _, listOfLists: lists, ...facts }: ListFacts): ImportedListOut => ({
  ...facts,
  listOfLists: lists ? listsToWire(lists) : null,
})

export const summaryToWire = ({ source, facts, failure, ...record }: TrustListSummary): TrustListSummaryOut => ({
  ...record,
  attests: [...record.attests],
  source: source && sourceToWire(source),
  imported: facts && importedToWire(facts),
  failure: failure && { ...failure, remedy: remedyOf(failure.code) },
})

export const trustListToWire = ({ entries, ...summary }: TrustListRecord): TrustListOut => ({
  ...summaryToWire(summary),
  entries: entries.map(({ name, certificate, fingerprint, identifier }) => ({
    name: name ?? null,
    certificate: certificate ?? null,
    certificateFingerprint: fingerprint ?? null,
    identifier: identifier ?? null,
  })),
})
