import { type QueryOrderMap, raw } from '@mikro-orm/core'
import { inTenant } from '../../../entities/orm.ts'
import { LogEntry } from '../../../entities/tokens-logs.ts'
import { OBJECT_PLACES } from '../../../protocol/operations.ts'
import { LAST_MOMENT } from '../../../protocol/time.ts'
import type { Dependencies } from '../../dependencies.ts'

export interface LogFilter {
  categories: string[]
  types: string[]
  ids: string[]
  requestIds: string[]
  /** Ids of objects that the entries are about. */
  objectIds: string[]
  /** Both ends belong to the range. */
  from: Date
  to: Date
  limit: number
  offset: number
}

const WANTED = 'any (array(select json_array_elements_text(?::json))::uuid[])'

const OF_REQUEST = `select id from logs where request_id = ${WANTED}`

/** Each place has an index of its own. */
const ABOUT = Array.from(
  { length: OBJECT_PLACES },
  (_, index) => `select id from logs where object_ids[${index + 1}] = ${WANTED}`,
).join(' union ')

/**
 * Entries of an array that is found first, by its own index: of a condition beside an order by time the statistics may
 * say that it is met so often that going through the log by time finds a page of it soonest.
 */
const isOneOf = (found: string, ids: string[]) => {
  const values = Array.from(found.matchAll(/\?::json/g), () => JSON.stringify(ids))
  return { [raw((alias) => `${alias}.id = any (array(${found}))`, values)]: [] }
}

/**
 * Times are written to the microsecond, and shown to the millisecond: an entry belongs to the millisecond that it shows.
 * Not after the last moment of all: PostgreSQL does not read the text that Date makes of a year with five digits.
 */
export const justAfter = (time: Date): Date => new Date(Math.min(time.getTime() + 1, LAST_MOMENT))

const PLACES = `select entry_id as id, position, encode(hash, 'hex') as hash from log_chain
where entry_id = any (array(select json_array_elements_text(?::json)::uuid))`

const NEWEST_FIRST: QueryOrderMap<LogEntry> = { timestamp: 'desc', id: 'asc' }

export const createTokensLogs = ({ database, logs }: Pick<Dependencies, 'database' | 'logs'>) => ({
  /** (categories or types) and all the rest; an empty list does not filter. */
  async listLogs(tenantId: string, filter: LogFilter) {
    const { categories, types, ids, requestIds, objectIds, from, to, limit, offset } = filter
    await logs.flush()
    const kinds = [
      ...(categories.length ? [{ category: { $in: categories } }] : []),
      ...(types.length ? [{ type: { $in: types } }] : []),
    ]
    return inTenant(database.tenants, tenantId, async (em) => {
      const [entries, total] = await em.findAndCount(
        LogEntry,
        {
          timestamp: { $gte: from, $lt: justAfter(to) },
          ...(kinds.length ? { $or: kinds } : {}),
          ...(ids.length ? { id: { $in: ids } } : {}),
          ...(objectIds.length ? isOneOf(ABOUT, objectIds) : {}),
          ...(requestIds.length ? isOneOf(OF_REQUEST, requestIds) : {}),
        },
        { orderBy: NEWEST_FIRST, limit, offset },
      )
      const listed = JSON.stringify(entries.map(({ id }) => id))
      const places = await em.execute<{ id: string; position: string; hash: string }[]>(PLACES, [listed])
      const placeOf = new Map(places.map(({ id, position, hash }) => [id, { position: Number(position), hash }]))
      const unchained = { position: null, hash: null }
      return { entries: entries.map((entry) => ({ ...entry, ...(placeOf.get(entry.id) ?? unchained) })), total }
    })
  },
})
