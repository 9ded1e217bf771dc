import type { FormatName } from '../credentials/formats.ts'
import type { Attested, ChainNames, ListedIssuer, ListedProvider, Trust } from '../credentials/trust.ts'
import { bytesOfPem } from '../mobile-credentials/certificates.read.ts'
import type { HeldEntry } from './lists.ts'

/** A trust list as its row has it. */
export interface HeldList {
  id: string
  name: string
  formats: readonly FormatName[]
  /** What its entries are trusted for as wallet providers. */
  attests: readonly Attested[]
  /** false: it decides nothing. */
  enforced: boolean
  /** Of its source. */
  url: string | null
  entries: readonly HeldEntry[]
  /** From then on its entries count no more. */
  staleAt: Date | null
}

/** A list in which issuers are found. */
export interface IndexedList extends HeldList {
  /** By the name of the issuer, as policies know it. */
  issuers: ReadonlyMap<string, HeldEntry>
  /** By fingerprint, and by subject. */
  certificates: ReadonlyMap<string, readonly HeldEntry[]>
}

/** A certificate stands for its key, so that a renewed one needs no change of the list (D-327). */
export function indexed(list: HeldList): IndexedList {
  const issuers = new Map<string, HeldEntry>()
  const certificates = new Map<string, HeldEntry[]>()
  for (const entry of list.entries) {
    if (!issuers.has(entry.issuer)) issuers.set(entry.issuer, entry)
    for (const name of [entry.fingerprint, entry.subject])
      if (name !== undefined) certificates.set(name, [...(certificates.get(name) ?? []), entry])
  }
  return { ...list, issuers, certificates }
}

/** The entries whose certificates a chain can lead to, each once. */
function entriesFor({ certificates }: IndexedList, chain: ChainNames): HeldEntry[] {
  const names = new Set(chain.flatMap(({ fingerprint, issuerName }) => [fingerprint, issuerName]))
  return [...new Set([...names].flatMap((name) => certificates.get(name) ?? []))]
}

const isFresh = ({ staleAt }: HeldList, now: Date): boolean => !staleAt || staleAt > now

const listedIn = ({ id, name }: HeldList, entry: HeldEntry): ListedIssuer => ({
  listId: id,
  listName: name,
  ...(entry.name !== undefined && { entryName: entry.name }),
  ...(entry.identifier !== undefined && { identifier: entry.identifier }),
  ...(entry.fingerprint !== undefined && { certificateFingerprint: entry.fingerprint }),
})

/** What the enforced lists of a tenant say of issuers of a format; undefined where there is none. A stale one refuses all. */
export function trustOf(lists: readonly IndexedList[], format: FormatName, now: Date): Trust | undefined {
  const all = lists.filter(({ enforced, formats }) => enforced && formats.includes(format))
  if (all.length === 0) return undefined
  const enforced = all.filter((list) => isFresh(list, now))
  return {
    anchorsOf(chain) {
      return enforced
        .flatMap((list) => entriesFor(list, chain))
        .flatMap(({ certificate }) => (certificate === undefined ? [] : (bytesOfPem(certificate) ?? [])))
    },
    find(issuer = '') {
      for (const list of enforced) {
        const entry = list.issuers.get(issuer)
        if (entry) return { listed: listedIn(list, entry) }
      }
      const names = all.map(({ name, staleAt }) => (staleAt && staleAt <= now ? `${name} (stale)` : name)).join(', ')
      return { fault: `The issuer is in none of the trust lists for this format: ${names.slice(0, 500)}.` }
    },
  }
}

/** URLs of the lists for a format that have an issuer, and count; without an issuer, of all lists for the format. */
export const urlsOf = (lists: readonly IndexedList[], format: FormatName, now: Date, issuer?: string): string[] =>
  lists.flatMap(({ formats, url, staleAt, issuers }) => {
    if (url === null || !formats.includes(format)) return []
    return issuer === undefined || (issuers.has(issuer) && !(staleAt && staleAt <= now)) ? [url] : []
  })

const providerLists = (lists: readonly IndexedList[], attested: Attested, now: Date): IndexedList[] =>
  lists.filter((list) => list.enforced && list.attests.includes(attested) && isFresh(list, now))

/** Certificates of wallet providers that a chain can lead to, of the enforced lists that count now. */
export const providersOf = (
  lists: readonly IndexedList[],
  attested: Attested,
  chain: ChainNames,
  now: Date,
): ListedProvider[] =>
  providerLists(lists, attested, now).flatMap((list) =>
    entriesFor(list, chain).flatMap(({ certificate = '', fingerprint = '' }) => {
      const bytes = bytesOfPem(certificate)
      return bytes ? [{ listId: list.id, fingerprint, certificate: bytes }] : []
    }),
  )

export const listsProviders = (lists: readonly IndexedList[], attested: Attested, now: Date): boolean =>
  providerLists(lists, attested, now).length > 0
