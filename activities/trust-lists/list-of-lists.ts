import { Refusal } from '../../protocol/errors.ts'
import { refuseSource } from '../../protocol/trust-lists/etsi/listed.ts'
import { type ListsFacts, type ListsSource, type TrustSource, validNow } from '../../protocol/trust-lists/sources.ts'
import { keysOf, staleAtOf } from '../../protocol/trust-lists/standing.ts'
import type { Dependencies } from '../dependencies.ts'
import { bundledOnly } from '../documents/index.ts'
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

/** Reads lists of lists: fetches them, verifies who signed them, and takes the signers of one list out of them. */
export function createListOfLists({ documents, now, reading }: Parts) {
  async function read(
    tenantId: string,
    { url, signers, location }: ListsSource,
    source: Pick<TrustSource, 'format' | 'url' | 'graceHours'>,
    known: ListsFacts | undefined,
    sharing: Sharing | undefined,
  ): Promise<ReadLists> {
    const text = await reading.fetched(tenantId, url, source.format, sharing)
    const input = {
      format: source.format,
      text,
      signers: validNow(signers, now()),
      location: location ?? source.url ?? '',
      now: now(),
    }
    const list = await reading.processed(tenantId, url, () => documents.readListOfLists(input, bundledOnly(tenantId)))
    reading.assertNewest(list, known, known && keysOf(signers))
    const { unnamed } = list
    const overdue = reading.overdue(staleAtOf([list.nextUpdate], source.graceHours))
    const facts = {
      sequenceNumber: list.sequence,
      issuedAt: list.issuedAt.toISOString(),
      nextUpdate: list.nextUpdate?.toISOString() ?? null,
      signers: list.certificates,
      signedBy: list.signedBy,
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
