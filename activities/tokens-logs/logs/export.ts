import { inTenant } from '../../../entities/orm.ts'
import { type ChainedEntry, canonical, type ExportedEntry } from '../../../protocol/tokens-logs/chain.ts'
import type { Dependencies } from '../../dependencies.ts'
import { justAfter, type LogFilter } from './list.ts'
import { ENTRY } from './rows.ts'
import type { Walk } from './walk.ts'

/** Places of one read: each is a short transaction of its own, so that a slow caller holds none open. */
const SLICE = 500

/** The filter of getListOfLogs. An empty list does not filter. */
export type ExportFilter = Omit<LogFilter, 'limit' | 'offset'>

/** The places behind a position, with those of their entries that the filter wants. */
const PLACES = `with f as (select ?::json as filter),
wanted as (select
  array(select json_array_elements_text(filter -> 'categories')) as categories,
  array(select json_array_elements_text(filter -> 'types')) as types,
  array(select json_array_elements_text(filter -> 'ids')::uuid) as ids,
  array(select json_array_elements_text(filter -> 'requestIds')::uuid) as request_ids,
  array(select json_array_elements_text(filter -> 'objectIds')::uuid) as object_ids,
  (filter ->> 'from')::timestamptz as since, (filter ->> 'to')::timestamptz as until from f)
select c.position, encode(c.hash, 'hex') as hash, ${ENTRY}
from (select position, hash, entry_id from log_chain where tenant_id = ? and position > ? order by position limit ?) c
cross join wanted w left join logs l on l.id = c.entry_id and l.tenant_id = ?
  and l.timestamp >= w.since and l.timestamp < w.until
  and (cardinality(w.categories) + cardinality(w.types) = 0 or l.category = any (w.categories) or l.type = any (w.types))
  and (cardinality(w.ids) = 0 or l.id = any (w.ids))
  and (cardinality(w.request_ids) = 0 or l.request_id = any (w.request_ids))
  and (cardinality(w.object_ids) = 0 or l.object_ids && w.object_ids)
order by c.position`

interface Row extends Omit<ChainedEntry, 'id'> {
  position: string
  hash: string
  /** null: the filter does not want the entry. */
  id: string | null
}

/** The chained entries of a tenant as JSON lines, in the order of the chain. */
export function createLogExport({ database, walk }: Pick<Dependencies, 'database'> & { walk: Walk }) {
  return {
    /**
     * Lines of `ExportedEntry` in canonical form: what a line says without its hash, in canonical form, has that hash. Yields
     * the text of a slice of the chain, which may be empty.
     */
    async *exportLogs(tenantId: string, filter: ExportFilter): AsyncGenerator<string> {
      const wanted = JSON.stringify({ ...filter, to: justAfter(filter.to) })
      let { position: after, hash: previousHash } = (await walk.start(tenantId)).from
      for (let full = true; full; ) {
        const rows = await inTenant(database.tenants, tenantId, (em) =>
          em.execute<Row[]>(PLACES, [wanted, tenantId, after, SLICE, tenantId]),
        )
        let text = ''
        for (const { position, hash, id, ...entry } of rows) {
          after = Number(position)
          if (id !== null) {
            const line: ExportedEntry = { id, ...entry, position: after, hash, previousHash }
            text += `${canonical(line)}\n`
          }
          previousHash = hash
        }
        full = rows.length === SLICE
        yield text
      }
    },
  }
}
