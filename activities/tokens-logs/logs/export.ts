import { ALONG_INDEX, inTenant } from '../../../entities/orm.ts'
import { canonical, type ExportedEntry } from '../../../protocol/tokens-logs/chain.ts'
import type { Dependencies } from '../../dependencies.ts'
import { justAfter, type LogFilter } from './list.ts'
import { ENTRY, type EntryRow, toEntry } from './rows.ts'
import type { Walk } from './walk.ts'

/** Places of one read: each is a short transaction of its own, so that a slow caller holds none open. */
const SLICE = 500

/** The filter of getListOfLogs. An empty list does not filter. */
export type ExportFilter = Omit<LogFilter, 'limit' | 'offset'>

/** The filter as the one row of `wanted`, and what an entry `l` must fulfil. */
const WANTED = `with f as (select ?::json as filter),
wanted as (select
  array(select json_array_elements_text(filter -> 'categories')) as categories,
  array(select json_array_elements_text(filter -> 'types')) as types,
  array(select json_array_elements_text(filter -> 'ids')::uuid) as ids,
  array(select json_array_elements_text(filter -> 'requestIds')::uuid) as request_ids,
  array(select json_array_elements_text(filter -> 'objectIds')::uuid) as object_ids,
  (filter ->> 'from')::timestamptz as since, (filter ->> 'to')::timestamptz as until from f)`
const FITS = `l.timestamp >= w.since and l.timestamp < w.until
  and (cardinality(w.categories) + cardinality(w.types) = 0 or l.category = any (w.categories) or l.type = any (w.types))
  and (cardinality(w.ids) = 0 or l.id = any (w.ids))
  and (cardinality(w.request_ids) = 0 or l.request_id = any (w.request_ids))
  and (cardinality(w.object_ids) = 0 or l.object_ids && w.object_ids)`

/** The places behind a position, with those of their entries that the filter wants. */
const PLACES = `${WANTED}
select c.position, encode(c.hash, 'hex') as hash, null as before, ${ENTRY}
from (select position, hash, entry_id from log_chain where tenant_id = ? and position > ? order by position limit ?) c
cross join wanted w left join logs l on l.id = c.entry_id and l.tenant_id = ? and ${FITS}
order by c.position`

/** As PLACES, of the few entries that an index finds: the chain is not read beside them. */
const FEW = (found: string) => `${WANTED}
select c.position, encode(c.hash, 'hex') as hash, encode(b.hash, 'hex') as before, ${ENTRY}
from log_chain c cross join wanted w join logs l on l.id = c.entry_id and l.tenant_id = c.tenant_id and ${FITS}
  left join log_chain b on b.tenant_id = c.tenant_id and b.position = c.position - 1
where c.tenant_id = ? and c.position > ? and c.entry_id = any (array(${found})) order by c.position limit ?`

const FEW_BY = [
  { member: 'ids', text: FEW('select unnest(ids) from wanted') },
  {
    member: 'requestIds',
    text: FEW('select l.id from logs l where l.request_id = any (array(select unnest(request_ids) from wanted))'),
  },
] as const

/** An entry that the filter does not want is not there. */
type Row = { position: string; hash: string; before: string | null } & (EntryRow | { id: null })

/** The chained entries of a tenant as JSON lines, in the order of the chain. */
export function createLogExport({ database, walk }: Pick<Dependencies, 'database'> & { walk: Walk }) {
  return {
    /**
     * Lines of `ExportedEntry` in canonical form: what a line says without its hash, in canonical form, has that hash. Yields
     * the text of a slice of the chain, which may be empty.
     */
    async *exportLogs(tenantId: string, filter: ExportFilter): AsyncGenerator<string> {
      const wanted = JSON.stringify({ ...filter, to: justAfter(filter.to) })
      const start = (await walk.start(tenantId)).from
      const few = FEW_BY.find(({ member }) => filter[member].length > 0)
      let { position: after, hash: previousHash } = start
      for (let full = true; full; ) {
        const values = few ? [wanted, tenantId, after, SLICE] : [wanted, tenantId, after, SLICE, tenantId]
        const rows = await inTenant(
          database.tenants,
          tenantId,
          (em) => em.execute<Row[]>(few ? few.text : PLACES, values),
          few ? {} : ALONG_INDEX,
        )
        let text = ''
        for (const row of rows) {
          after = Number(row.position)
          const { hash, before } = row
          // the place before the first one went with retention, or never was
          if (few) previousHash = before ?? start.hash
          if (row.id !== null) {
            const line: ExportedEntry = { ...toEntry(row), position: after, hash, previousHash }
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
