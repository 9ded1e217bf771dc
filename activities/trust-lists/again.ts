import type { TrustList } from '../../entities/trust-lists/lists.ts'
import { Refusal, Unavailable } from '../../protocol/errors.ts'
import { invalidSource } from '../../protocol/trust-lists/etsi/listed.ts'
import type { TrustSource } from '../../protocol/trust-lists/sources.ts'
import type { Dependencies } from '../dependencies.ts'
import type { FailedReading } from './failures.ts'
import type { ImportedList, TrustImports } from './imports.ts'
import { ofLists, type ReadLists } from './list-of-lists.ts'
import type { Sharing } from './texts.ts'

/** No failure to fetch is one of a kept text. */
const UNFETCHED = new Set([
  'trust_list.source_unavailable',
  'trust_list.lotl_unavailable',
  'trust_list.lotl_pivot_unavailable',
])
/** What a kept text may be refused for while the one that is there now is not. */
const BY_AGE = /_(older|expired|signature)$/

type Read = ImportedList | FailedReading

const refusalOf = (read: Read): Refusal | undefined => ('error' in read ? read.refusal : read.emptied)

/** What counts of a reading with kept texts that failed, and of the one after it without them. */
function ofBoth(kept: Read, again: Read): Read {
  const lists = again.lists ?? kept.lists
  const isUnread = 'error' in again && again.refusal === undefined
  // else a list of a tenant without a budget would never be said to fail
  if (isUnread && 'error' in kept && kept.refusal && !BY_AGE.test(kept.refusal.code))
    return { ...again, ...kept, lists }
  return { ...again, lists }
}

/** Reads the lists of a row that is known, for the schedule and by hand: what of them was read counts, whatever fails. */
export function createReadAgain({ log, trustImports }: Pick<Dependencies, 'log'> & { trustImports: TrustImports }) {
  async function readOnce(
    { id, tenantId, formats, attests, facts = null }: TrustList,
    source: TrustSource,
    sharing?: Sharing,
  ): Promise<ImportedList | FailedReading> {
    let lists: ReadLists | undefined
    try {
      lists = await trustImports.readLists(tenantId, source, facts?.listOfLists, sharing)
      return await trustImports.read(tenantId, source, { formats, attests, facts, isNew: false }, { lists, sharing })
    } catch (error) {
      if (error instanceof Refusal) return { error, refusal: error, lists }
      // what the platform cannot do now says nothing of the list: its own limits, threads that are busy
      if (error instanceof Unavailable && (error.part === 'outbound' || error.part === 'documents'))
        return { error, refusal: undefined, lists, retryAfterSeconds: error.retryAfterSeconds }
      if (error instanceof Unavailable) throw error
      // one over which our own code fails must not keep the lists of other tenants from being read
      log.error({ err: error, tenantId, trustListId: id }, 'a trust list could not be processed')
      const refusal = invalidSource('The list could not be processed.')
      const isOfLists = source.listOfLists !== undefined && lists === undefined
      return { error, refusal: isOfLists ? ofLists(refusal) : refusal, lists }
    }
  }

  return {
    /** By hand: as the lists are now. Throws `Unavailable` for what says nothing of lists, such as a database that is away. */
    now: (row: TrustList, source: TrustSource): Promise<ImportedList | FailedReading> => readOnce(row, source),

    /** For the schedule, which fetches once what many lists name; a list that fails so is read as it is now. Throws as `now`. */
    async shared(row: TrustList, source: TrustSource): Promise<ImportedList | FailedReading> {
      const sharing: Sharing = { tookKept: false }
      const read = await readOnce(row, source, sharing)
      const refusal = refusalOf(read)
      if (!sharing.tookKept || !refusal || UNFETCHED.has(refusal.code)) return read
      return ofBoth(read, await readOnce(row, source))
    },
  }
}
