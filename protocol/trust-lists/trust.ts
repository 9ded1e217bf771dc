import { LRUCache } from 'lru-cache'
import type { FormatName } from '../credentials/formats.ts'
import type { Attested, ChainNames, ListedIssuer, ListedProvider, Trust } from '../credentials/trust.ts'
import { type Certificate, certificateOfPem } from '../mobile-credentials/certificates.read.ts'
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

/** A certificate of an authority stands for its key, so that a renewed one needs no change of the list (D-327, D-1184). */
export function indexed(list: HeldList): IndexedList {
  const issuers = new Map<string, HeldEntry>()
  const certificates = new Map<string, HeldEntry[]>()
  for (const entry of list.entries) {
    if (!issuers.has(entry.issuer)) issuers.set(entry.issuer, entry)
    for (const name of [entry.fingerprint, entry.subject])
      if (name !== undefined) {
        const same = certificates.get(name)
        if (same) same.push(entry)
        else certificates.set(name, [entry])
      }
  }
  return { ...list, issuers, certificates }
}

/** Certificates that a chain is tried with at most: of one subject a list that is imported has 20. */
const MAX_TRIED = 100

/** Reading one takes a millisecond. */
const parsed = new LRUCache<string, Certificate>({ max: 1_000 })

/** Of an entry; the fingerprint is that of what the PEM has. */
function certificateOf({ certificate: pem = '', fingerprint = '' }: HeldEntry): Certificate | undefined {
  const known = parsed.get(fingerprint)
  if (known) return known
  const certificate = certificateOfPem(pem)
  if (certificate) parsed.set(certificate.fingerprint, certificate)
  return certificate
}

/** The certificates that a chain can lead to, each once, with the list that has it first: its own before others. */
function certificatesFor(lists: readonly IndexedList[], chain: ChainNames): ListedProvider[] {
  const names = new Set([...chain.map(({ fingerprint }) => fingerprint), ...chain.map(({ issuerName }) => issuerName)])
  const found = new Map<string, ListedProvider>()
  for (const name of names)
    for (const { id, certificates } of lists)
      for (const entry of certificates.get(name) ?? []) {
        if (found.size === MAX_TRIED) return [...found.values()]
        const { fingerprint = '' } = entry
        const certificate = found.has(fingerprint) ? undefined : certificateOf(entry)
        if (certificate) found.set(fingerprint, { listId: id, fingerprint, certificate })
      }
  return [...found.values()]
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
      return certificatesFor(enforced, chain).map(({ certificate }) => certificate)
    },
    find(issuer = '') {
      for (const list of enforced) {
        // nobody is named by nothing, whatever an entry has
        const entry = issuer === '' ? undefined : list.issuers.get(issuer)
        if (entry) return { listed: listedIn(list, entry) }
      }
      const names = all.map(({ name, staleAt }) => (staleAt && staleAt <= now ? `${name} (stale)` : name)).join(', ')
      return { fault: `The issuer is in none of the trust lists for this format: ${names.slice(0, 500)}.` }
    },
  }
}

/** URLs of the lists for a format that have one of these issuers, and count; without, of all lists for the format. */
export const urlsOf = (
  lists: readonly IndexedList[],
  format: FormatName,
  now: Date,
  of?: readonly string[],
): string[] =>
  lists.flatMap(({ formats, url, staleAt, issuers }) => {
    if (url === null || !formats.includes(format)) return []
    return !of || (of.some((issuer) => issuers.has(issuer)) && !(staleAt && staleAt <= now)) ? [url] : []
  })

const providerLists = (lists: readonly IndexedList[], attested: Attested, now: Date): IndexedList[] =>
  lists.filter((list) => list.enforced && list.attests.includes(attested) && isFresh(list, now))

/** Certificates of wallet providers that a chain can lead to, of the enforced lists that count now. */
export const providersOf = (
  lists: readonly IndexedList[],
  attested: Attested,
  chain: ChainNames,
  now: Date,
): ListedProvider[] => certificatesFor(providerLists(lists, attested, now), chain)

export const listsProviders = (lists: readonly IndexedList[], attested: Attested, now: Date): boolean =>
  providerLists(lists, attested, now).length > 0
