import { inTenant } from '../../../entities/orm.ts'
import { HOUR_MS } from '../../../protocol/time.ts'
import type { Dependencies } from '../../dependencies.ts'

/** Counts are kept for longer than a request may ask for. */
export const KEPT_COUNT_DAYS = 35

/** Entries that wait for their place, which are about those of a second: counted one by one, and no more than so many. */
const MOST_WAITING = 20_000

/**
 * Chained entries by their counts, and those that wait for their place: the sequencer moves an entry from one to the other
 * in one transaction, so that a statement sees it once.
 */
const COUNTS = `select extract(epoch from hour)::float8 * 1000 as "hourMs", type, sum(count)::float8 as count from (
  select hour, type, count from log_counts where tenant_id = ? and hour >= ? and hour < ?
  union all
  select date_trunc('hour', l.timestamp, 'UTC'), l.type, 1
  from (select distinct entry_id from (select entry_id from log_pending where tenant_id = ? limit ${MOST_WAITING}) as few) p
  join logs l on l.id = p.entry_id left join log_chain c on c.entry_id = p.entry_id
  where l.tenant_id = ? and l.timestamp >= ? and l.timestamp < ? and c.entry_id is null
) as counted group by 1, 2 order by 2`

interface Counted {
  hourMs: number
  type: string
  count: number
}

/** Of one kind of entries: an operation, or work of the platform itself. */
export interface KindCounts {
  /** Log name: of `<name>_SUCCESS` and `<name>_FAIL`. */
  name: string
  succeeded: number
  failed: number
  /** One number for each hour. */
  hourly: { succeeded: number[]; failed: number[] }
}

const TYPE = /^(.+)_(SUCCESS|FAIL)$/

function add(kinds: Map<string, KindCounts>, { type, count }: Counted, at: number, hours: number): void {
  const [, name, outcome] = TYPE.exec(type) ?? []
  if (name === undefined || at < 0 || at >= hours) return
  const zeros = () => new Array<number>(hours).fill(0)
  const kind = kinds.get(name) ?? { name, succeeded: 0, failed: 0, hourly: { succeeded: zeros(), failed: zeros() } }
  kinds.set(name, kind)
  const member = outcome === 'SUCCESS' ? 'succeeded' : 'failed'
  kind[member] += count
  kind.hourly[member][at] = (kind.hourly[member][at] ?? 0) + count
}

export const createLogCounts = ({ database, logs }: Pick<Dependencies, 'database' | 'logs'>) => ({
  /** Counts the entries of whole hours of UTC: of `hours` of them from `from` on, which begins one. */
  async countLogs(tenantId: string, from: Date, hours: number): Promise<KindCounts[]> {
    await logs.flush()
    const to = new Date(from.getTime() + hours * HOUR_MS)
    const values = [tenantId, from, to, tenantId, tenantId, from, to]
    const rows = await inTenant(database.tenants, tenantId, (em) => em.execute<Counted[]>(COUNTS, values))
    const kinds = new Map<string, KindCounts>()
    for (const row of rows) add(kinds, row, Math.round((row.hourMs - from.getTime()) / HOUR_MS), hours)
    return [...kinds.values()]
  },
})
