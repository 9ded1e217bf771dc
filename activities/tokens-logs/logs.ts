import type { QueryOrderMap } from '@mikro-orm/core'
import { inTenant } from '../../entities/orm.ts'
import { LogEntry } from '../../entities/tokens-logs.ts'
import type { Dependencies } from '../dependencies.ts'

export interface LogFilter {
  categories: string[]
  types: string[]
  ids: string[]
  requestIds: string[]
  /** Both ends belong to the range. */
  from: Date
  to: Date
  limit: number
  offset: number
}

const NEWEST_FIRST: QueryOrderMap<LogEntry> = { timestamp: 'desc', id: 'asc' }

export const createTokensLogs = ({ database, logs }: Pick<Dependencies, 'database' | 'logs'>) => ({
  /** (categories or types) and all the rest; an empty list does not filter. */
  async listLogs(tenantId: string, { categories, types, ids, requestIds, from, to, limit, offset }: LogFilter) {
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
          ...(ids.length ? { id: { $in: ids } } : {}),
          ...(requestIds.length ? { requestId: { $in: requestIds } } : {}),
        },
        { orderBy: NEWEST_FIRST, limit, offset },
      )
      return { entries, total }
    })
  },
})
