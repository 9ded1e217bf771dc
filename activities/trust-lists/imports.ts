import { setImmediate } from 'node:timers/promises'
import type { FormatName } from '../../protocol/credentials/formats.ts'
import type { Attested } from '../../protocol/credentials/trust.ts'
import { DocumentFault, isOutboundFault, Refusal } from '../../protocol/errors.ts'
import { HOUR_MS, hasCome, isToCome, LAST_MOMENT } from '../../protocol/time.ts'
import {
  type EtsiList,
  identitiesOf,
  invalidSource,
  MAX_IDENTITIES,
  MAX_IMPORTED,
  MAX_OF_SUBJECT,
  refuseSource,
  servicesInForce,
} from '../../protocol/trust-lists/etsi/listed.ts'
import { type HeldEntry, isUnattested, unnamedFormats } from '../../protocol/trust-lists/lists.ts'
import { type ListFacts, type SourceFormat, signersNow, type TrustSource } from '../../protocol/trust-lists/sources.ts'
import type { Dependencies } from '../dependencies.ts'
import { bundledOnly } from '../documents/index.ts'

const MAX_BYTES = 8 * 1024 * 1024
const TIMEOUT_MS = 15_000
/** Identities that are looked at at a time, repeated ones too: requests go on in between. */
const AT_ONCE = 5

export interface ImportedList {
  facts: ListFacts
  entries: HeldEntry[]
  /** That the list has no issuer any more, which the one before it had: it counts, and trusts nobody. */
  emptied: Refusal | undefined
  /** From then on its entries count no more; null: the list names no next update. */
  staleAt: Date | null
}

interface Known {
  formats: readonly FormatName[]
  attests: readonly Attested[]
  /** Of the list that it takes the place of. */
  facts: ListFacts | null
}

const ACCEPT: Readonly<Record<SourceFormat, string>> = {
  'ts-119-602': 'application/jose, application/jwt, application/json;q=0.9, */*;q=0.1',
  'ts-119-612': 'application/vnd.etsi.tsl+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1',
}

type Parts = Pick<Dependencies, 'outbound' | 'documents' | 'now' | 'config' | 'log'>

const closedList = (): Refusal =>
  refuseSource(
    'trust_list.source_closed',
    'The operator has closed the list: its scheme has ended, no other list follows, and nothing in it counts.',
  )

/** Reads lists of ETSI: fetches or takes them, verifies who signed them, and takes the issuers out of them. */
export function createTrustImports({ outbound, documents, now, config, log }: Parts) {
  async function fetched(tenantId: string, { url = '', format }: TrustSource): Promise<string> {
    try {
      const request = { url, accept: ACCEPT[format], maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS, readFor: tenantId }
      const { status, body } = await outbound.fetch(request)
      if (status === 200) return Buffer.from(body).toString('utf8')
      throw refuseSource('trust_list.source_unavailable', `The address of the list answered with status ${status}.`)
    } catch (error) {
      const isOfNetwork = isOutboundFault(error) || (error instanceof Refusal && error.code.startsWith('outbound.'))
      if (!isOfNetwork) throw error
      throw refuseSource('trust_list.source_unavailable', `The list could not be read. ${error.message}`)
    }
  }

  /** A list that our own code fails over is one that cannot be read: the other lists of the schedule go on. */
  async function readIn(tenantId: string, text: string, source: TrustSource): Promise<EtsiList> {
    try {
      const list = { format: source.format, text, signers: signersNow(source, now()) }
      return await documents.readTrustList(list, bundledOnly(tenantId))
    } catch (err) {
      if (!(err instanceof DocumentFault)) throw err
      log.error({ err, tenantId, url: source.url }, 'a trust list could not be processed')
      throw invalidSource('The list could not be processed.')
    }
  }

  async function entriesIn(list: EtsiList, { serviceTypes }: TrustSource) {
    const entries = new Map<string, HeldEntry>()
    const seen = new Set<string>()
    const subjects = new Map<string, number>()
    let [visited, skipped] = [0, 0]
    for (const service of servicesInForce(list, serviceTypes, now()))
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

  /** A list that is over, or that was replaced by the one that is known, comes from somebody who kept it. */
  function assertNewest({ sequence, issuedAt }: EtsiList, staleAt: Date | null, { facts }: Known): void {
    if (isToCome(issuedAt, { now: now(), toleranceMs: config.clockToleranceMs }))
      throw invalidSource('The list says that it was issued in the future.')
    if (staleAt && hasCome(staleAt, { now: now() }))
      throw refuseSource(
        'trust_list.source_expired',
        'The next update of the list was due, and its time of grace is over.',
      )
    const isOlder =
      facts &&
      (sequence < facts.sequenceNumber ||
        (sequence === facts.sequenceNumber && issuedAt.getTime() < Date.parse(facts.issuedAt)))
    if (isOlder) throw refuseSource('trust_list.source_older', 'The list is older than the one that is known.')
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
     * `document`: the list, in place of what the URL has. Throws `Refusal('trust_list.source_…')`, `Exhausted` where the
     * tenant has read too much of the host, and `Unavailable('documents')` where threads are busy.
     */
    async read(tenantId: string, source: TrustSource, known: Known, document?: string): Promise<ImportedList> {
      const list = await readIn(tenantId, document ?? (await fetched(tenantId, source)), source)
      const { nextUpdate } = list
      const graceMs = source.graceHours * HOUR_MS
      const staleAt = nextUpdate ? new Date(Math.min(nextUpdate.getTime() + graceMs, LAST_MOMENT)) : null
      assertNewest(list, staleAt, known)
      const { entries, skipped } = list.isClosed ? { entries: [], skipped: 0 } : await entriesIn(list, source)
      const emptied = list.isClosed ? closedList() : emptyOf(known, entries)
      // of a source that is new this is a mistake; of one that is known, the last issuer was withdrawn
      if (emptied && !known.facts) throw emptied
      const facts = {
        type: list.type ?? null,
        sequenceNumber: list.sequence,
        issuedAt: list.issuedAt.toISOString(),
        nextUpdate: nextUpdate?.toISOString() ?? null,
        skipped,
      }
      return { facts, entries, emptied, staleAt }
    },
  }
}

export type TrustImports = ReturnType<typeof createTrustImports>
