import type { TrustList } from '../../entities/trust-lists/lists.ts'
import { Refusal, Unavailable } from '../../protocol/errors.ts'
import { invalidSource } from '../../protocol/trust-lists/etsi/listed.ts'
import type { TrustSource } from '../../protocol/trust-lists/sources.ts'
import type { Dependencies } from '../dependencies.ts'
import type { FailedReading } from './failures.ts'
import type { ImportedList, TrustImports } from './imports.ts'
import { ofLists, type ReadLists } from './list-of-lists.ts'

/** Reads the lists of a row that is known, for the schedule and by hand: what of them was read counts, whatever fails. */
export const createReadAgain =
  ({ log, trustImports }: Pick<Dependencies, 'log'> & { trustImports: TrustImports }) =>
  /** Throws `Unavailable` for what says nothing of lists, such as a database that is away. */
  async (
    { id, tenantId, formats, attests, facts = null }: TrustList,
    source: TrustSource,
  ): Promise<ImportedList | FailedReading> => {
    let lists: ReadLists | undefined
    try {
      lists = await trustImports.readLists(tenantId, source, facts?.listOfLists)
      return await trustImports.read(tenantId, source, { formats, attests, facts, isNew: false }, { lists })
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
