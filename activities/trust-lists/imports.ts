import { setImmediate } from 'node:timers/promises'
import type { FormatName } from '../../protocol/credentials/formats.ts'
import type { Attested } from '../../protocol/credentials/trust.ts'
import type { Refusal } from '../../protocol/errors.ts'
import {
  type EtsiList,
  identitiesOf,
  invalidSource,
  MAX_IDENTITIES,
  MAX_IMPORTED,
  MAX_OF_SUBJECT,
  nextStart,
  refuseSource,
  servicesInForce,
} from '../../protocol/trust-lists/etsi/listed.ts'
import { type HeldEntry, isUnattested, unnamedFormats } from '../../protocol/trust-lists/lists.ts'
import {
  type ListFacts,
  type ListsFacts,
  lapsedNow,
  signersNow,
  type TrustSource,
} from '../../protocol/trust-lists/sources.ts'
import { isOfOtherType, keysOf, nextUpdatesOf, staleAtOf } from '../../protocol/trust-lists/standing.ts'
import type { Dependencies } from '../dependencies.ts'
import { bundledOnly } from '../documents/index.ts'
import { createListOfLists, type ReadLists } from './list-of-lists.ts'
import { createReading } from './reading.ts'
import type { Sharing } from './texts.ts'

/** Identities that are looked at at a time, repeated ones too: requests go on in between. */
const AT_ONCE = 2

export interface ImportedList {
  facts: ListFacts
  entries: HeldEntry[]
  /** That the list has no issuer any more, which the one before it had: it counts, and trusts nobody. */
  emptied: Refusal | undefined
  /** From then on its entries count no more; null: the list names no next update. */
  staleAt: Date | null
  /** When the next of its services begins to count; null: none is to come. */
  startsAt: Date | null
  /** false: its list of lists names nobody any more, so that the list itself was not read. */
  wasRead: boolean
  lists: ReadLists | undefined
}

interface Known {
  formats: readonly FormatName[]
  attests: readonly Attested[]
  /** Of the list that it takes the place of. */
  facts: ListFacts | null
  /** That the source is new, and so what it has now was never there: without any issuer it is a mistake. */
  isNew: boolean
}

/** What a list is read with. */
interface HowRead {
  /** What `readLists` had. */
  lists?: ReadLists | undefined
  /** The list, in place of what the URL has. */
  document?: string | undefined
  sharing?: Sharing | undefined
}

type Parts = Pick<Dependencies, 'outbound' | 'documents' | 'now' | 'config' | 'log'>

const closedList = (): Refusal =>
  refuseSource(
    'trust_list.source_closed',
    'The operator has closed the list: its scheme has ended, no other list follows, and nothing in it counts.',
  )

/** Who signs the list is not known any more: nothing in the one that is known counts, and so nothing can become stale. */
export function emptiedBy(emptied: Refusal, known: ListFacts, lists: ReadLists): ImportedList {
  const facts = { ...known, listOfLists: lists.facts }
  return { facts, entries: [], emptied, staleAt: null, startsAt: null, wasRead: false, lists }
}

/** Reads lists of ETSI: fetches or takes them, verifies who signed them, and takes the issuers out of them. */
export function createTrustImports({ outbound, documents, now, config, log }: Parts) {
  const reading = createReading({ outbound, now, config, log })
  const readListOfLists = createListOfLists({ documents, now, reading })

  async function entriesIn(list: EtsiList, { serviceTypes }: TrustSource, at: Date) {
    const entries = new Map<string, HeldEntry>()
    const seen = new Set<string>()
    const subjects = new Map<string, number>()
    let [visited, skipped] = [0, 0]
    for (const service of servicesInForce(list, serviceTypes, at))
      for (const { key, read } of identitiesOf(service)) {
        visited += 1
        if (visited % AT_ONCE === 0) await setImmediate()
        if (seen.has(key)) continue
        seen.add(key)
        const entry = read()
        if (entry) entries.set(key, entry)
        else skipped += 1
        const ofSubject = entry?.subject === undefined ? 0 : (subjects.get(entry.subject) ?? 0) + 1
        if (entry?.subject !== undefined) subjects.set(entry.subject, ofSubject)
        if (ofSubject > MAX_OF_SUBJECT)
          throw refuseSource(
            'trust_list.source_too_large',
            `The list has more than ${MAX_OF_SUBJECT} certificates of one subject in services of these types.`,
          )
        if (entries.size > MAX_IMPORTED || seen.size > MAX_IDENTITIES)
          throw refuseSource(
            'trust_list.source_too_large',
            `The list has more than ${MAX_IMPORTED} issuers of these types, or more than ${MAX_IDENTITIES} identities.`,
          )
      }
    return { entries: [...entries.values()], skipped }
  }

  /** Why nothing would verify by these entries. */
  function emptyOf({ formats, attests }: Known, entries: readonly HeldEntry[]): Refusal | undefined {
    const [unnamed] = unnamedFormats(formats, entries)
    if (unnamed !== undefined)
      return refuseSource(
        'trust_list.source_empty',
        `The list has no service of these types that is in force and names issuers of ${unnamed}.`,
      )
    if (!isUnattested(attests, entries)) return undefined
    return refuseSource(
      'trust_list.source_empty',
      'The list has no service of these types that is in force and has a certificate of a wallet provider.',
    )
  }

  return {
    /**
     * The list of lists of the source, which comes before the list: it says who signs that; undefined: there is none. Throws
     * `Refusal('trust_list.lotl_…')`, and `Exhausted` and `Unavailable('documents')` as `read` does.
     */
    async readLists(
      tenantId: string,
      source: TrustSource,
      known: ListsFacts | undefined,
      sharing?: Sharing,
    ): Promise<ReadLists | undefined> {
      const { listOfLists } = source
      return listOfLists && readListOfLists(tenantId, listOfLists, source, known, sharing)
    },

    /**
     * Throws `Refusal('trust_list.source_…')`, `Exhausted` where the tenant has read too much of the host, and
     * `Unavailable('documents')` where threads are busy.
     */
    async read(
      tenantId: string,
      source: TrustSource,
      known: Known,
      { lists, document, sharing }: HowRead = {},
    ): Promise<ImportedList> {
      if (lists?.closed) {
        if (known.isNew || !known.facts) throw lists.closed
        return emptiedBy(lists.closed, known.facts, lists)
      }
      if (lists?.refusal) throw lists.refusal
      const { url = '', format, graceHours } = source
      const text = document ?? (await reading.fetched(tenantId, url, format, sharing))
      const signers = signersNow(source, now(), lists?.signers)
      const whose = lists && 'whom its list of lists names'
      const input = { format, text, signers, lapsed: lapsedNow(source.signers, now()), whose }
      const list = await reading.processed(tenantId, source.url, () =>
        documents.readTrustList(input, bundledOnly(tenantId)),
      )
      const { nextUpdate } = list
      const keys = source.listOfLists ? lists?.keys : keysOf(source.signers)
      const { type } = list
      if (isOfOtherType({ type }, known.facts ?? undefined, keys))
        throw invalidSource(
          `The list is of another type than the one that is known: ${type?.slice(0, 200) ?? 'none'}. Expected ${known.facts?.type?.slice(0, 200)}.`,
        )
      reading.assertNewest(list, known.facts ?? undefined, keys)
      const overdue = reading.overdue(staleAtOf([nextUpdate], graceHours))
      if (overdue) throw overdue
      // one moment for both: a service that came into force in between would be in neither
      const at = now()
      const startsAt = list.isClosed ? null : nextStart(list, source.serviceTypes, at)
      const { entries, skipped } = list.isClosed ? { entries: [], skipped: 0 } : await entriesIn(list, source, at)
      const emptied = list.isClosed ? closedList() : emptyOf(known, entries)
      // of a source that is new this is a mistake; of one that is known, the last issuer was withdrawn
      if (emptied && known.isNew) throw emptied
      const facts = {
        type: type ?? null,
        sequenceNumber: list.sequence,
        issuedAt: list.issuedAt.toISOString(),
        nextUpdate: nextUpdate?.toISOString() ?? null,
        skipped,
        ...(list.signedBy !== undefined && { signedBy: list.signedBy }),
        ...(lists && { listOfLists: lists.facts }),
      }
      const staleAt = staleAtOf(nextUpdatesOf(facts), graceHours)
      return { facts, entries, emptied, staleAt, startsAt, wasRead: true, lists }
    },
  }
}

export type TrustImports = ReturnType<typeof createTrustImports>
