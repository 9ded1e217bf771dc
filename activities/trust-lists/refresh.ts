import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { inTenant } from '../../entities/orm.ts'
import { TrustList } from '../../entities/trust-lists/lists.ts'
import { Refusal, Unavailable } from '../../protocol/errors.ts'
import { hasCome } from '../../protocol/time.ts'
import { invalidSource } from '../../protocol/trust-lists/etsi/listed.ts'
import type { Dependencies } from '../dependencies.ts'
import { applyFailure, createReadingNotes, type FailedReading } from './failures.ts'
import type { TrustListGate } from './gate.ts'
import type { ImportedList, TrustImports } from './imports.ts'
import type { ReadLists } from './list-of-lists.ts'
import { fullOf } from './room.ts'
import { applyImport, dueAfter } from './rows.ts'

/** Lists of one look, and those that are read at a time. */
const AT_ONCE = 200
const TOGETHER = 8
const DUE = `select tenant_id as "tenantId", id from trust_lists where due_at <= $1 order by due_at limit ${AT_ONCE}`

interface Due {
  tenantId: string
  id: string
}

export interface RefreshedLists {
  refreshed: number
  failed: number
}

interface Parts extends Pick<Dependencies, 'database' | 'systemSql' | 'now' | 'uuid' | 'log'> {
  trustImports: TrustImports
  trustGate: Pick<TrustListGate, 'forget'>
}

/** Reads lists of URLs again by the clock, and says which lists count no more. */
export function createTrustRefresh({ database, systemSql, now, uuid, log, trustImports, trustGate }: Parts) {
  const note = createReadingNotes({ now, uuid })

  /** Written once: the row remembers it until the list counts again. */
  function noteStale(em: SqlEntityManager, row: TrustList): void {
    if (!row.staleAt || row.staleNoted || !hasCome(row.staleAt, { now: now() })) return
    row.staleNoted = true
    note(em, row, 'FAIL', { code: 'trust_list.stale' })
    log.warn({ tenantId: row.tenantId, trustListId: row.id }, 'a trust list is stale: its entries count no more')
  }

  /** What is wrong with the list, or, before its list of lists was read, with that one. */
  function refusalOf(error: unknown, { id, tenantId }: TrustList, isOfLists: boolean): Refusal {
    if (error instanceof Refusal) return error
    if (error instanceof Unavailable && (error.part === 'outbound' || error.part === 'documents'))
      return isOfLists
        ? new Refusal('trust_list.lotl_unavailable', `The list of the lists: ${error.message}`)
        : new Refusal('trust_list.source_unavailable', error.message)
    // what the platform cannot do now says nothing of the list
    if (error instanceof Unavailable) throw error
    // one over which our own code fails must not keep the lists of other tenants from being read
    log.error({ err: error, tenantId, trustListId: id }, 'a trust list could not be processed')
    return isOfLists
      ? new Refusal('trust_list.lotl_invalid', 'The list of the lists could not be processed.')
      : invalidSource('The list could not be processed.')
  }

  async function read(row: TrustList): Promise<ImportedList | FailedReading | undefined> {
    const { tenantId, source, formats, attests, facts = null } = row
    if (source?.url === undefined) return undefined
    let lists: ReadLists | undefined
    try {
      lists = await trustImports.readLists(tenantId, source, facts)
      return await trustImports.read(tenantId, source, { formats, attests, facts }, { lists })
    } catch (error) {
      const isOfLists = source.listOfLists !== undefined && lists === undefined
      return { refusal: refusalOf(error, row, isOfLists), lists: lists?.facts }
    }
  }

  /** What came of it, unless the list was changed meanwhile. The last list that was read stays where this one failed. */
  const write = (
    due: Due,
    before: TrustList,
    read: ImportedList | FailedReading | undefined,
  ): Promise<keyof RefreshedLists> =>
    inTenant(database.tenants, due.tenantId, async (em) => {
      const row = await em.findOne(TrustList, { id: due.id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      if (row?.revision !== before.revision) return 'refreshed'
      const at = now()
      const grows = read && 'entries' in read && read.entries.length > row.entries.length
      const full = grows && (await fullOf(em, { ...due, entries: read.entries }))
      const outcome = full ? { refusal: full, lists: read.facts.listOfLists } : read
      if (outcome && 'refusal' in outcome) {
        if (applyFailure(row, outcome, at)) note(em, row, 'FAIL', { code: outcome.refusal.code })
      } else if (outcome) {
        const before = row.failure
        const recovered = before != null || row.staleNoted
        const changed = applyImport(row, outcome, at)
        if (outcome.emptied) {
          if (before?.code !== outcome.emptied.code) note(em, row, 'FAIL', { code: outcome.emptied.code })
        } else if (changed || recovered) note(em, row, 'SUCCESS', { entries: outcome.entries.length })
      }
      noteStale(em, row)
      if (row.source?.url === undefined) row.dueAt = dueAfter(row, at)
      return outcome && 'refusal' in outcome ? 'failed' : 'refreshed'
    })

  async function refresh(due: Due): Promise<keyof RefreshedLists> {
    const row = await inTenant(database.tenants, due.tenantId, (em) => em.findOne(TrustList, { id: due.id }))
    return row ? write(due, row, await read(row)) : 'refreshed' // it was deleted meanwhile
  }

  return {
    /** Scheduled. Safe to retry: what is done is not due again. */
    async refreshTrustLists(): Promise<RefreshedLists> {
      const done: RefreshedLists = { refreshed: 0, failed: 0 }
      const { rows } = await systemSql.query<Due>({ text: DUE, values: [now()] })
      const faults: unknown[] = []
      const one = async (due: Due): Promise<void> => {
        try {
          done[await refresh(due)] += 1
        } catch (error) {
          faults.push(error) // of the database: the other lists are tried before this is
        }
        trustGate.forget(due.tenantId)
      }
      for (let from = 0; from < rows.length; from += TOGETHER)
        await Promise.all(rows.slice(from, from + TOGETHER).map(one))
      if (faults.length > 0) throw faults[0]
      return done
    },
  }
}

export type TrustRefresh = ReturnType<typeof createTrustRefresh>
