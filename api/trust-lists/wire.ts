import type { NewTrustList, TrustListChanges } from '../../activities/trust-lists/lifecycle.ts'
import type { TrustListRecord, TrustListState } from '../../activities/trust-lists/records.ts'
import { type FormatSlug, formatOf } from '../../protocol/credentials/formats.ts'
import type { Attested } from '../../protocol/credentials/trust.ts'
import { givenEntry } from '../../protocol/trust-lists/lists.ts'
import {
  GRACE_HOURS,
  REFRESH_HOURS,
  type SourceFormat,
  type TrustSourceInput,
} from '../../protocol/trust-lists/sources.ts'
import type { Count, DateTime, Uuid } from '../frame/wire.ts'

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

/** A url or a document. */
export interface TrustSourceIn {
  format: TrustSourceFormat
  url?: TrustSourceUrl | null
  document?: TrustSourceDocument | null
  /** Needed with url; without, a document needs no signature. */
  signers?: TrustSourceSigners | null
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

export interface TrustSourceOut {
  format: TrustSourceFormat
  url: string | null
  signers: string[]
  serviceTypes: string[]
  refreshHours: Count
  graceHours: Count
}

/** What the list that was read last says of itself. */
export interface ImportedListOut {
  type: string | null
  sequenceNumber: Count
  issuedAt: DateTime
  nextUpdate: DateTime | null
  /** Identities of its services that do not count: they cannot be read, or are of another kind. */
  skipped: Count
}

export interface TrustFailureOut {
  code: string
  message: string
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

const toSource = (given: TrustSourceIn): TrustSourceInput => ({
  format: given.format,
  ...(typeof given.url === 'string' && { url: given.url }),
  ...(typeof given.document === 'string' && { document: given.document }),
  signers: given.signers ?? [],
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

export const summaryToWire = ({ entries, source, facts, ...record }: TrustListRecord): TrustListSummaryOut => ({
  ...record,
  attests: [...record.attests],
  entryCount: entries.length,
  source: source && {
    ...source,
    url: source.url ?? null,
    signers: [...source.signers],
    serviceTypes: [...source.serviceTypes],
  },
  imported: facts,
})

export const trustListToWire = (record: TrustListRecord): TrustListOut => ({
  ...summaryToWire(record),
  entries: record.entries.map(({ name, certificate, fingerprint, identifier }) => ({
    name: name ?? null,
    certificate: certificate ?? null,
    certificateFingerprint: fingerprint ?? null,
    identifier: identifier ?? null,
  })),
})

export const TRUST_LIST: TrustListOut = {
  id: '3f2a9c1e-6b47-4d0a-8e15-92c7d4b6a8f0',
  name: 'Universities of Example',
  formats: ['web-semantic', 'sd-jwt-vc'],
  attests: [],
  enforced: true,
  state: 'current',
  entryCount: 1,
  source: null,
  imported: null,
  fetchedAt: null,
  nextRefreshAt: null,
  staleAt: null,
  failure: null,
  createdAt: '2027-01-01T00:00:00.000Z',
  updatedAt: '2027-01-01T00:00:00.000Z',
  entries: [
    {
      name: 'Law school',
      certificate: null,
      certificateFingerprint: null,
      identifier: 'did:web:law.university.example',
    },
  ],
}

export const IMPORTED_LIST: TrustListOut = {
  id: '8d5b7c2a-4f1e-4b9a-a3d6-0c2e9f7b1a54',
  enforced: true,
  state: 'current',
  entryCount: 1,
  failure: null,
  createdAt: '2027-01-01T00:00:00.000Z',
  updatedAt: '2027-01-01T06:00:00.000Z',
  name: 'Providers of person identification data',
  formats: ['mobile', 'sd-jwt-vc'],
  attests: [],
  source: {
    format: 'ts-119-602',
    url: 'https://lists.example/pid-providers.jwt',
    signers: ['-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n'],
    serviceTypes: ['http://uri.etsi.org/19602/SvcType/PID/Issuance'],
    refreshHours: 6,
    graceHours: 24,
  },
  imported: {
    type: 'http://uri.etsi.org/19602/LoTEType/EUPIDProvidersList',
    sequenceNumber: 17,
    issuedAt: '2027-01-01T00:00:00.000Z',
    nextUpdate: '2027-01-08T00:00:00.000Z',
    skipped: 0,
  },
  fetchedAt: '2027-01-01T06:00:00.000Z',
  nextRefreshAt: '2027-01-01T12:00:00.000Z',
  staleAt: '2027-01-09T00:00:00.000Z',
  entries: [
    {
      name: 'Ministry of the Interior',
      certificate: '-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n',
      certificateFingerprint: 'b1c0a2f57f0a4c6d9e8b3a5d7c1f2e4b6a8d0c9e7f5b3a1d2c4e6f8a0b9c7d5e',
      identifier: null,
    },
  ],
}
