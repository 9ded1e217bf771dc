import { Refusal } from '../../protocol/errors.ts'
import { authorityOf } from '../../protocol/mobile-credentials/authority.ts'
import { certificateOfPem, isValidAt } from '../../protocol/mobile-credentials/certificates.read.ts'
import { refuseSource } from '../../protocol/trust-lists/etsi/listed.ts'
import type { SignedListOfLists } from '../../protocol/trust-lists/etsi/read.ts'
import { MAX_PIVOTS } from '../../protocol/trust-lists/etsi/xml/pivots.ts'
import type { ListsSource, PivotFacts } from '../../protocol/trust-lists/sources.ts'
import { signersDigest } from '../../protocol/trust-lists/standing.ts'
import type { Dependencies } from '../dependencies.ts'
import { bundledOnly } from '../documents/index.ts'
import type { Reading } from './reading.ts'
import type { Sharing } from './texts.ts'

/** Of all pivots of a list of lists together: one of the EU has 0.4 MB. */
const MAX_BYTES = 16 * 1024 * 1024
const MAX_MS = 30_000

/** The list of lists whose signers are looked for. */
interface Wanted {
  tenantId: string
  lists: ListsSource
  /** As it was fetched; nothing of it is verified yet. */
  text: string
  known: PivotFacts | undefined
  sharing: Sharing | undefined
}

/** Who signs the list of lists by its pivots. */
export interface Followed {
  /** PEM: those whom the newest pivot names, valid or not. */
  signers: readonly string[]
  /** Of the newest pivot. */
  sequence: number
  facts: PivotFacts
}

const refuse = (message: string) => refuseSource('trust_list.lotl_pivot', message)

const tooMuch = () =>
  refuse(`The pivots take more than ${MAX_MS / 1_000} seconds or ${MAX_BYTES / 1024 / 1024} MiB in all.`)

export const isUnsigned = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.code === 'trust_list.source_signature'

/** What is wrong with a pivot; any other error stays. */
function ofPivot<Failure>(error: Failure, address: string): Failure | Refusal {
  if (!(error instanceof Refusal)) return error
  const message = `The pivot ${address.slice(0, 300)} of the list of the lists: ${error.message}`
  const options = { cause: error }
  return error.code === 'trust_list.source_unavailable'
    ? refuseSource('trust_list.lotl_pivot_unavailable', message, options)
    : refuseSource('trust_list.lotl_pivot', message, options)
}

/** A certificate counts that was valid when the pivot was issued: those of the first signers expire before the last pivot. */
function assertValidThen({ signedBy, issuedAt }: SignedListOfLists, signers: readonly string[]): void {
  const wasValid = signers.some((pem) => {
    const certificate = certificateOfPem(pem)
    return certificate && authorityOf(certificate) === signedBy && isValidAt(certificate, issuedAt)
  })
  if (!wasValid) throw refuse('The certificate of its signer was not valid when it was issued.')
}

/** A pivot that leads on. */
type Passed = Required<Pick<PivotFacts, 'signers' | 'sequence'>>

/** By its number too: signers who come back are named by an earlier pivot as well, behind which others once signed. */
const leadsOver = (passed: readonly Passed[], { signers, sequence }: PivotFacts): boolean =>
  passed.some((pivot) => pivot.signers === signers && (sequence === undefined || pivot.sequence === sequence))

/** Follows the pivots of a list of lists in XML (ETSI TS 119 615, section 4.1; D-867). */
export function createPivots({
  documents,
  now,
  reading,
}: Pick<Dependencies, 'documents' | 'now'> & { reading: Reading }) {
  /** The texts of pivots, one by one, within the bounds of all of them. */
  function createFetch({ tenantId, sharing }: Wanted) {
    const end = now().getTime() + MAX_MS
    let left = MAX_BYTES
    const leftMs = () => end - now().getTime()
    return async (address: string): Promise<string> => {
      if (leftMs() <= 0 || left <= 0) throw tooMuch()
      const bounds = { timeoutMs: leftMs(), maxBytes: left, exceeded: tooMuch }
      const text = await reading.fetched(tenantId, address, 'ts-119-612', sharing, bounds)
      left -= Buffer.byteLength(text)
      // a text that is kept, or that another list waits for, knows nothing of these bounds
      if (leftMs() <= 0 || left < 0) throw tooMuch()
      return text
    }
  }

  /** `named`: by the pivot before it; undefined: it is the first one. Throws `Refusal('trust_list.…')`. */
  async function verified({ tenantId, lists }: Wanted, address: string, text: string, named?: readonly string[]) {
    const signers = named ?? lists.signers
    const whose = named && 'whom the pivot before it names'
    const input = { format: 'ts-119-612', text, signers, whose, location: lists.url, now: undefined } as const
    const pivot = await reading.processed(tenantId, address, () =>
      documents.readListOfLists(input, bundledOnly(tenantId)),
    )
    assertValidThen(pivot, signers)
    if (pivot.isClosed) throw refuse('It is closed.')
    if (pivot.unnamed) throw refuse(pivot.unnamed.message)
    return pivot
  }

  /** From the oldest one on. Those before the first one that a named signer signed belong to former signers. */
  async function follow(wanted: Wanted, addresses: readonly string[]): Promise<Followed> {
    const fetch = createFetch(wanted)
    const passed: Passed[] = []
    let newest: SignedListOfLists | undefined
    for (const address of addresses.toReversed())
      try {
        const text = await fetch(address)
        // the newest one is the list of lists itself until the next issue of that
        if (text.trim() === wanted.text.trim()) continue
        const pivot = await verified(wanted, address, text, newest?.signers)
        if (newest && pivot.sequence <= newest.sequence)
          throw refuse('Its sequence number is not above that of the pivot before it.')
        newest = pivot
        passed.push({ signers: signersDigest(pivot.keys ?? []), sequence: pivot.sequence })
      } catch (error) {
        if (newest || !isUnsigned(error)) throw ofPivot(error, address)
      }
    if (!newest) throw refuse('None of the signers of listOfLists signed a pivot of the list of the lists.')
    // whoever has the key of a former signer cannot lead past those who took its place (D-868)
    if (wanted.known && !leadsOver(passed, wanted.known))
      throw refuseSource('trust_list.source_older', 'Its pivots do not lead over the one that was followed last.')
    const { sequence } = newest
    const facts = { followed: passed.length, signers: signersDigest(newest.keys ?? []), sequence }
    return { signers: newest.signers, sequence, facts }
  }

  /** undefined: it has no pivots. Throws `Refusal('trust_list.lotl_pivot…')`, and as readings of lists do. */
  return async (wanted: Wanted): Promise<Followed | undefined> => {
    const { tenantId, lists, text, known } = wanted
    const addresses = await reading.processed(tenantId, lists.url, () =>
      documents.readPivots(text, bundledOnly(tenantId)),
    )
    if (addresses.length > MAX_PIVOTS) throw refuse(`The list of the lists has more than ${MAX_PIVOTS} pivots.`)
    if (addresses.length > 0) return follow(wanted, addresses)
    if (known) throw refuseSource('trust_list.source_older', 'It has no pivots any more, which were followed before.')
    return undefined
  }
}

export type FollowPivots = ReturnType<typeof createPivots>
