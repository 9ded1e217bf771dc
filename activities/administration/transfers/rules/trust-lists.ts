import { isDeepStrictEqual } from 'node:util'
import type { OutboundConfig } from '../../../../config.ts'
import { FORMAT_NAMES, type FormatName } from '../../../../protocol/credentials/formats.ts'
import { ATTESTED, type Attested } from '../../../../protocol/credentials/trust.ts'
import type { FieldError } from '../../../../protocol/errors.ts'
import { isObject, type Json } from '../../../../protocol/json.ts'
import { earliestOf } from '../../../../protocol/time.ts'
import { MAX_IMPORTED, MAX_LISTED } from '../../../../protocol/trust-lists/etsi/listed.ts'
import { MAX_SIGNERS } from '../../../../protocol/trust-lists/etsi/pointers.ts'
import { MAX_PIVOTS } from '../../../../protocol/trust-lists/etsi/xml/pivots.ts'
import { checkTrustList, givenEntry, type HeldEntry } from '../../../../protocol/trust-lists/lists.ts'
import { checkSource, SOURCE_FORMATS } from '../../../../protocol/trust-lists/sources.ts'
import { nextUpdatesOf, staleAtOf } from '../../../../protocol/trust-lists/standing.ts'
import { assertCallable } from '../../../frame/outbound/url.ts'
import { AHEAD_MS, fault, isGiven } from './rows.ts'

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === 'string')

const isListsSource = (lists: unknown): boolean =>
  isObject(lists) &&
  typeof lists.url === 'string' &&
  isTexts(lists.signers) &&
  (lists.location === undefined || typeof lists.location === 'string') &&
  (lists.followPivots === undefined || typeof lists.followPivots === 'boolean')

/** Its members have the types that the rules of sources take. */
const isSource = (source: unknown): boolean =>
  isObject(source) &&
  SOURCE_FORMATS.some((format) => format === source.format) &&
  (!isGiven(source.url) || typeof source.url === 'string') &&
  isTexts(source.signers) &&
  (source.listOfLists === undefined || isListsSource(source.listOfLists)) &&
  isTexts(source.serviceTypes)

/** As the platform writes it. */
const isTime = (value: unknown): value is string =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value)) && new Date(value).toISOString() === value

const isCount = (value: unknown, most: number): boolean =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= most

/** What a list in JSON may have; those in XML have up to 15 digits. */
const MAX_SEQUENCE = Number.MAX_SAFE_INTEGER

const isDigest = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)

/** Of a list, and of a list of lists: one that no list reaches would keep the next ones out. */
const isAged = ({ sequenceNumber, issuedAt, nextUpdate, signedBy }: Json, now: Date): boolean =>
  isCount(sequenceNumber, MAX_SEQUENCE) &&
  isTime(issuedAt) &&
  Date.parse(issuedAt) <= now.getTime() + AHEAD_MS &&
  (nextUpdate === null || isTime(nextUpdate)) &&
  (signedBy === undefined || isDigest(signedBy))

const isPivots = (pivots: unknown): boolean =>
  isObject(pivots) &&
  isCount(pivots.followed, MAX_PIVOTS) &&
  isDigest(pivots.signers) &&
  (pivots.sequence === undefined || isCount(pivots.sequence, MAX_SEQUENCE))

const isListsFacts = (facts: unknown, now: Date): boolean =>
  isObject(facts) &&
  isAged(facts, now) &&
  isCount(facts.signers, MAX_SIGNERS) &&
  (facts.pivots === undefined || isPivots(facts.pivots))

const isFacts = (facts: unknown, now: Date): boolean =>
  isObject(facts) &&
  isAged(facts, now) &&
  isCount(facts.skipped, MAX_LISTED) &&
  (facts.type === null || typeof facts.type === 'string') &&
  (facts.listOfLists === undefined || isListsFacts(facts.listOfLists, now))

/** Of a closed list, or one whose list of lists is closed, nothing counts; in JSON it looks like one that names no end. */
const isClosed = (source: unknown, facts: unknown): boolean =>
  isObject(source) &&
  isObject(facts) &&
  ((source.format === 'ts-119-612' && facts.nextUpdate === null) ||
    (isObject(facts.listOfLists) && facts.listOfLists.nextUpdate === null))

/** A list of lists is the one that the source names. */
const fitTogether = (source: unknown, facts: unknown): boolean =>
  isObject(source) && isObject(facts) && (source.listOfLists === undefined) === (facts.listOfLists === undefined)

/** What the platform computes of the certificates is computed anew: a file says nothing of whose they are. */
export async function trustListErrors(
  { name, formats, attests, enforced, entries, source, facts }: Json,
  { now, outbound }: { now: Date; outbound: OutboundConfig },
): Promise<FieldError[]> {
  const list = entries as HeldEntry[]
  const known: readonly string[] = FORMAT_NAMES
  if (!Array.isArray(list) || !list.every(isObject) || !(formats as string[]).every((each) => known.includes(each)))
    return [fault('entries', 'list', 'expected entries, and formats of credentials')]
  const given = list.map(({ name, certificate, identifier }) => givenEntry({ name, certificate, identifier }))
  const isImported = isGiven(source)
  if (isImported && !(isSource(source) && isFacts(facts, now) && fitTogether(source, facts)))
    return [fault('source', 'source', 'expected a source, and facts of its list, as they are exported')]
  if (isObject(source)) {
    checkSource({ ...source, ...(isGiven(source.url) ? {} : { document: 'sent before' }) } as never)
    const lists = isObject(source.listOfLists) ? [source.listOfLists.url] : []
    for (const url of [...(isGiven(source.url) ? [source.url] : []), ...lists]) assertCallable(String(url), outbound)
    if (isClosed(source, facts) && list.length > 0)
      return [fault('entries', 'closed', 'expected none: the list, or its list of lists, is closed')]
  }
  if (isGiven(attests) && !(attests as string[]).every((each) => ATTESTED.some((known) => known === each)))
    return [fault('attests', 'choice', `expected ${ATTESTED.join(' and ')}`)]
  const input = {
    ...{ name: String(name), formats: formats as FormatName[], attests: (attests ?? []) as Attested[] },
    ...{ enforced: enforced === true, entries: given },
  }
  // one of a source may have been emptied by who publishes it
  const unread = isImported && given.length === 0
  const held = await checkTrustList(input, { ...(isImported && { most: MAX_IMPORTED }), unread })
  return isDeepStrictEqual(held, list)
    ? []
    : [fault('entries', 'computed', 'expected fingerprint, subject and issuer as the certificates have them')]
}

/** When its entries count no more: a file says nothing later than what it says of its list. */
export function trustListStaleAt({ entries, source, facts, staleAt }: Json): Date | null {
  const known = isGiven(staleAt) ? new Date(String(staleAt)) : null
  // of one without entries nothing can become stale
  if (!isObject(source) || !isObject(facts) || (entries as unknown[]).length === 0) return known
  const computed = staleAtOf(nextUpdatesOf(facts as never), Number(source.graceHours))
  return earliestOf(known, computed)
}
