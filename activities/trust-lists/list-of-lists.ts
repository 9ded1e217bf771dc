import { Refusal } from '../../protocol/errors.ts'
import { refuseSource } from '../../protocol/trust-lists/etsi/listed.ts'
import type { SignedListOfLists } from '../../protocol/trust-lists/etsi/read.ts'
import {
  type ListsFacts,
  type ListsSource,
  lapsedNow,
  type PivotFacts,
  type TrustSource,
  validNow,
} from '../../protocol/trust-lists/sources.ts'
import { keysOf, staleAtOf } from '../../protocol/trust-lists/standing.ts'
import type { Dependencies } from '../dependencies.ts'
import { bundledOnly } from '../documents/index.ts'
import { createPivots, type FollowPivots, isUnsigned } from './pivots.ts'
import type { Reading } from './reading.ts'
import type { Sharing } from './texts.ts'

/** A list of lists as it was read: an older one is not taken any more, whomever it names. */
export interface ReadLists {
  facts: ListsFacts
  /** PEM: who may have signed the list now. */
  signers: readonly string[]
  /** The names of the keys of all signers, whose certificates are valid or not; undefined: it does not say who they are. */
  keys: readonly string[] | undefined
  /** That its scheme has ended: it names nobody. */
  closed: Refusal | undefined
  /** Why no list can be read by it. */
  refusal: Refusal | undefined
}

/** What is wrong with a list, where it is the list of the lists. */
const OF_LISTS: Readonly<Record<string, string>> = {
  'trust_list.source_expired': 'trust_list.lotl_expired',
  'trust_list.source_extension': 'trust_list.lotl_extension',
  'trust_list.source_invalid': 'trust_list.lotl_invalid',
  'trust_list.source_older': 'trust_list.lotl_older',
  'trust_list.source_signature': 'trust_list.lotl_signature',
  'trust_list.source_unavailable': 'trust_list.lotl_unavailable',
}

/** The same refusal with the name of the list that it is about; any other error stays. */
export function ofLists<Failure>(error: Failure): Failure | Refusal {
  if (!(error instanceof Refusal)) return error
  const renamed = { code: OF_LISTS[error.code] }
  if (renamed.code === undefined) return error
  return new Refusal(renamed.code, `The list of the lists: ${error.message}`, [], { cause: error })
}

const closedLists = (): Refusal =>
  refuseSource(
    'trust_list.lotl_closed',
    'The operator has closed the list of the lists: its scheme has ended, no other one follows, and it names nobody.',
  )

type Parts = Pick<Dependencies, 'documents' | 'now'> & { reading: Reading }

type By = (signers: readonly string[], whose?: string) => Promise<SignedListOfLists>

/** A list of lists that was verified, and by whom. */
interface Signed {
  list: SignedListOfLists
  /** PEM: all that may have signed it, whose certificates are valid or not. */
  signers: readonly string[]
  pivots?: PivotFacts
}

/** Reads lists of lists: fetches them, verifies who signed them, and takes the signers of one list out of them. */
export function createListOfLists({ documents, now, reading }: Parts) {
  const follow = createPivots({ documents, now, reading })

  /** By a signer of its source; else, or where pivots were followed before, by one whom they name. */
  async function signed(by: By, wanted: Parameters<FollowPivots>[0]): Promise<Signed> {
    const { signers, followPivots = false } = wanted.lists
    let unsigned: Refusal | undefined
    if (!(followPivots && wanted.known))
      try {
        return { list: await by(signers), signers }
      } catch (error) {
        if (!followPivots || !isUnsigned(error)) throw error
        unsigned = error
      }
    const followed = await follow(wanted)
    if (!followed) throw unsigned
    const list = await by(followed.signers, 'whom its newest pivot names')
    if (list.sequence < followed.sequence)
      throw refuseSource('trust_list.source_older', 'Its sequence number is below that of its newest pivot.')
    return { list, signers: followed.signers, pivots: followed.facts }
  }

  async function read(
    tenantId: string,
    lists: ListsSource,
    { format, url: listUrl = '', graceHours }: Pick<TrustSource, 'format' | 'url' | 'graceHours'>,
    known: ListsFacts | undefined,
    sharing: Sharing | undefined,
  ): Promise<ReadLists> {
    const { url, location = listUrl } = lists
    const text = await reading.fetched(tenantId, url, format, sharing)
    const by: By = (named, whose) => {
      const may = { signers: validNow(named, now()), lapsed: lapsedNow(named, now()), whose }
      const input = { format, text, ...may, location, now: now() }
      return reading.processed(tenantId, url, () => documents.readListOfLists(input, bundledOnly(tenantId)))
    }
    const { list, signers, pivots } = await signed(by, { tenantId, lists, text, known: known?.pivots, sharing })
    reading.assertNewest(list, known, known && keysOf(signers))
    const { unnamed } = list
    const overdue = reading.overdue(staleAtOf([list.nextUpdate], graceHours))
    const facts = {
      sequenceNumber: list.sequence,
      issuedAt: list.issuedAt.toISOString(),
      nextUpdate: list.nextUpdate?.toISOString() ?? null,
      signers: list.certificates,
      signedBy: list.signedBy,
      ...(pivots && { pivots }),
    }
    return {
      ...{ facts, signers: list.signers, keys: list.keys },
      closed: list.isClosed ? closedLists() : undefined,
      refusal: ofLists(overdue ?? (unnamed && refuseSource(unnamed.code, unnamed.message))),
    }
  }

  /** Throws `Refusal('trust_list.lotl_…')`, and what the readings of lists throw besides. */
  return async (...args: Parameters<typeof read>): Promise<ReadLists> => {
    try {
      return await read(...args)
    } catch (error) {
      throw ofLists(error)
    }
  }
}
