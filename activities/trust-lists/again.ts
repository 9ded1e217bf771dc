import type { TrustList } from '../../entities/trust-lists/lists.ts'
import { Refusal, Unavailable } from '../../protocol/errors.ts'
import { invalidSource } from '../../protocol/trust-lists/etsi/listed.ts'
import type { TrustSource } from '../../protocol/trust-lists/sources.ts'
import type { Dependencies } from '../dependencies.ts'
import type { FailedReading } from './failures.ts'
import type { ImportedList, TrustImports } from './imports.ts'
import { ofLists, type ReadLists } from './list-of-lists.ts'
import type { Sharing } from './texts.ts'

const isBad = (read: ImportedList | FailedReading): boolean =>
  'error' in read ? read.refusal !== undefined : read.emptied !== undefined

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
      if (!sharing.tookKept || !isBad(read)) return read
      const again = await readOnce(row, source)
      return { ...again, lists: again.lists ?? read.lists }
    },
  }
}
