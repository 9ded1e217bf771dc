import { type QueryOrderMap, raw } from '@mikro-orm/core'
import { inTenant } from '../../../entities/orm.ts'
import { LogEntry } from '../../../entities/tokens-logs.ts'
import { OBJECT_PLACES } from '../../../protocol/operations.ts'
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

/** One condition for each place, because each has an index of its own. */
const isAbout = (objectIds: string[]) =>
  Array.from({ length: OBJECT_PLACES }, (_, index) => ({
    [raw((alias) => `${alias}.object_ids[${index + 1}]`)]: { $in: objectIds },
  }))

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
          timestamp: { $gte: from, $lte: to },
          ...(kinds.length ? { $or: kinds } : {}),
          ...(objectIds.length ? { $and: [{ $or: isAbout(objectIds) }] } : {}),
          ...(ids.length ? { id: { $in: ids } } : {}),
          ...(requestIds.length ? { requestId: { $in: requestIds } } : {}),
        },
        { orderBy: NEWEST_FIRST, limit, offset },
      )
      return { entries, total }
    })
  },
})
