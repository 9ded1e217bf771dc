import { createHash } from 'node:crypto'
import { authorityOf } from '../mobile-credentials/authority.ts'
import { certificateOfPem } from '../mobile-credentials/certificates.read.ts'
import { HOUR_MS, LAST_MOMENT } from '../time.ts'
import type { ListFacts, ListsFacts, ListsSource, TrustSource } from './sources.ts'

/** What a list, or a list of lists, says of its age. */
export interface Aged {
  sequence: number
  issuedAt: Date
}

/** What is known of the one that it takes the place of. */
export type KnownAge = Pick<ListFacts, 'sequenceNumber' | 'issuedAt' | 'signedBy'>

/** The names of the keys of certificates in PEM: a certificate has successors, which keep its key (D-327). */
export const keysOf = (pems: readonly string[]): string[] =>
  pems.flatMap((pem) => {
    const certificate = certificateOfPem(pem)
    return certificate ? [authorityOf(certificate)] : []
  })

/** One text for a set of signers, by the names of their keys. */
export const signersDigest = (keys: readonly string[]): string =>
  createHash('sha256')
    .update([...new Set(keys)].sort().join(' '))
    .digest('hex')

/**
 * Whether who signed a list is still named as its signer. `keys`: those that are named now, whether their certificates are
 * valid or not; undefined: nobody says. `unknown` too where the key of the list was not kept.
 */
export function standingOf(
  signedBy: string | undefined,
  keys: readonly string[] | undefined,
): 'named' | 'dropped' | 'unknown' {
  if (signedBy === undefined || keys === undefined) return 'unknown'
  return keys.includes(signedBy) ? 'named' : 'dropped'
}

/**
 * Whether a list is older than the known one. That one says nothing where its signer is named no more: a thief may have
 * signed it, with a number that no list reaches (D-1004).
 */
export const isOlder = (
  { sequence, issuedAt }: Aged,
  known: KnownAge | undefined,
  keys: readonly string[] | undefined,
): boolean =>
  known !== undefined &&
  standingOf(known.signedBy, keys) !== 'dropped' &&
  (sequence < known.sequenceNumber ||
    (sequence === known.sequenceNumber && issuedAt.getTime() < Date.parse(known.issuedAt)))

/**
 * Whether a list is of another type than the known one, whose signer is still named: one operator signs several lists, and
 * another of them in its place would keep the right one out by its number.
 */
export const isOfOtherType = (
  { type }: { type: string | undefined },
  known: Pick<ListFacts, 'type' | 'signedBy'> | undefined,
  keys: readonly string[] | undefined,
): boolean =>
  known !== undefined && known.type !== null && known.type !== type && standingOf(known.signedBy, keys) !== 'dropped'

export const locationOf = ({ url, listOfLists }: TrustSource): string | undefined => listOfLists?.location ?? url

/** Whether both sources read one list of lists, by the same signers and in the same way. */
export const isSameLists = (one: TrustSource, other: TrustSource): boolean => {
  const [a, b] = [one.listOfLists, other.listOfLists]
  return (
    a !== undefined &&
    b !== undefined &&
    one.format === other.format &&
    a.url === b.url &&
    (a.followPivots ?? false) === (b.followPivots ?? false) &&
    signersDigest(keysOf(a.signers)) === signersDigest(keysOf(b.signers))
  )
}

interface Before {
  source?: TrustSource | null | undefined
  facts?: ListFacts | null | undefined
}

/** Where other signers are named, pivots lead from these on, and what was followed from the former ones says nothing. */
function rememberedLists(facts: ListsFacts | undefined, from: ListsSource, to: ListsSource): ListsFacts | undefined {
  if (!facts || signersDigest(keysOf(from.signers)) === signersDigest(keysOf(to.signers))) return facts
  const { pivots: _, ...others } = facts
  return others
}

/** What stays known where another source takes the place of one: an update lets no older list in (D-1006). */
export function remembered(
  { source, facts }: Before,
  next: TrustSource,
): { facts: ListFacts | null; lists: ListsFacts | undefined } {
  if (!source || !facts) return { facts: null, lists: undefined }
  const isSameList =
    next.url !== undefined &&
    source.url === next.url &&
    source.format === next.format &&
    locationOf(source) === locationOf(next)
  const [from, to] = [source.listOfLists, next.listOfLists]
  const lists = from && to && from.url === to.url ? rememberedLists(facts.listOfLists, from, to) : undefined
  return { facts: isSameList ? facts : null, lists }
}

/** When lists count no more whose next updates are these: when the first of them was due, and its grace is over. */
export function staleAtOf(nextUpdates: readonly (Date | undefined)[], graceHours: number): Date | null {
  const due = nextUpdates.flatMap((next) => (next ? [next.getTime()] : []))
  return due.length === 0 ? null : new Date(Math.min(Math.min(...due) + graceHours * HOUR_MS, LAST_MOMENT))
}

/** When the list, and the list of lists that names its signers, are due to be replaced. */
export const nextUpdatesOf = ({ nextUpdate, listOfLists }: ListFacts): Date[] =>
  [nextUpdate, listOfLists?.nextUpdate].flatMap((at) => (at ? [new Date(at)] : []))
