import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import pLimit from 'p-limit'
import { inTenant } from '../../entities/orm.ts'
import { TrustList } from '../../entities/trust-lists/lists.ts'
import { hasCome } from '../../protocol/time.ts'
import type { Dependencies } from '../dependencies.ts'
import { createReadAgain } from './again.ts'
import { applyFailure, createReadingNotes, type FailedReading } from './failures.ts'
import type { TrustListGate } from './gate.ts'
import type { ImportedList, TrustImports } from './imports.ts'
import { fullOf } from './room.ts'
import { applyImport, dueAfter } from './rows.ts'

/** Lists of one look, and those that are read at a time. */
const AT_ONCE = 200
const TOGETHER = 8
/** Tenants in turn: the slow hosts of one with many lists must not keep those of the others waiting. */
const DUE = `select tenant_id as "tenantId", id from (
  select tenant_id, id, due_at, row_number() over (partition by tenant_id order by due_at) as turn
  from trust_lists where due_at <= $1
) due order by turn, due_at limit ${AT_ONCE}`

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
  const readAgain = createReadAgain({ log, trustImports })

  /** Written once: the row remembers it until the list counts again. */
  function noteStale(em: SqlEntityManager, row: TrustList): void {
    if (!row.staleAt || row.staleNoted || !hasCome(row.staleAt, { now: now() })) return
    row.staleNoted = true
    note(em, row, 'FAIL', { code: 'trust_list.stale' })
    log.warn({ tenantId: row.tenantId, trustListId: row.id }, 'a trust list is stale: its entries count no more')
  }

  const read = async (row: TrustList): Promise<ImportedList | FailedReading | undefined> =>
    row.source?.url === undefined ? undefined : readAgain.shared(row, row.source)

  /**
   * What came of it, unless the list was changed meanwhile. The last list that was read stays where this one failed. Nothing
   * is counted where the platform could not read it now.
   */
  const write = (
    due: Due,
    before: TrustList,
    read: ImportedList | FailedReading | undefined,
  ): Promise<keyof RefreshedLists | undefined> =>
    inTenant(database.tenants, due.tenantId, async (em) => {
      const row = await em.findOne(TrustList, { id: due.id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      if (row?.revision !== before.revision) return 'refreshed'
      const at = now()
      const grows = read && 'entries' in read && read.entries.length > row.entries.length
      const full = grows && (await fullOf(em, { ...due, entries: read.entries }))
      const outcome = full ? { error: full, refusal: full, lists: read.lists } : read
      if (outcome && 'refusal' in outcome) {
        const unnoted = applyFailure(row, outcome, at)
        if (unnoted) note(em, row, 'FAIL', { code: unnoted.code })
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
      if (!outcome || 'entries' in outcome) return 'refreshed'
      return outcome.refusal && 'failed'
    })

  async function refresh(due: Due): Promise<keyof RefreshedLists | undefined> {
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
          const outcome = await refresh(due)
          if (outcome) done[outcome] += 1
        } catch (error) {
          faults.push(error) // of the database: the other lists are tried before this is
        }
        trustGate.forget(due.tenantId)
      }
      const limited = pLimit(TOGETHER)
      await Promise.all(rows.map((due) => limited(() => one(due))))
      if (faults.length > 0) throw faults[0]
      return done
    },
  }
}

export type TrustRefresh = ReturnType<typeof createTrustRefresh>
