import type { TrustListChanges } from '../../activities/trust-lists/lifecycle.ts'
import type { TrustListRecord } from '../../activities/trust-lists/records.ts'
import { type FormatSlug, formatOf } from '../../protocol/credentials/formats.ts'
import { givenEntry, type TrustListInput } from '../../protocol/trust-lists/lists.ts'
import type { Count, DateTime, Uuid } from '../frame/wire.ts'

/** One line, for people. */
export type TrustListName = string

/** Formats of credentials whose issuers it lists. */
export type TrustListFormats = FormatSlug[]

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

export interface TrustListIn {
  name: TrustListName
  formats: TrustListFormats
  /** false: the list decides nothing. Default: true. */
  enforced?: boolean | null
  entries: TrustEntriesIn
}

/** A member that is absent does not change. */
export interface TrustListChangesIn {
  name?: TrustListName
  formats?: TrustListFormats
  enforced?: boolean
  entries?: TrustEntriesIn
}

export interface TrustEntryOut {
  name: string | null
  certificate: string | null
  /** SHA-256 of the certificate, in hex. */
  certificateFingerprint: string | null
  identifier: string | null
}

export interface TrustListSummaryOut {
  id: Uuid
  name: string
  formats: TrustListFormats
  enforced: boolean
  entryCount: Count
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

export const toTrustList = ({ name, formats, enforced, entries }: TrustListIn): TrustListInput => ({
  name,
  formats: formats.map(formatOf),
  enforced: enforced ?? true,
  entries: entries.map(givenEntry),
})

export const toTrustListChanges = ({ name, formats, enforced, entries }: TrustListChangesIn): TrustListChanges => ({
  name,
  formats: formats?.map(formatOf),
  enforced,
  entries: entries?.map(givenEntry),
})

export const summaryToWire = ({ entries, ...record }: TrustListRecord): TrustListSummaryOut => ({
  ...record,
  entryCount: entries.length,
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
  enforced: true,
  entryCount: 1,
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
