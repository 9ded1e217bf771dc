import type { Sql } from '../../../entities/orm.ts'
import { Exhausted } from '../../../protocol/errors.ts'
import { createLimit, hostKey, ownerOf } from '../limits/index.ts'

/** Short, so that a minute's reads do not come in one second. */
const WINDOW_SECONDS = 10

export interface ReadBudget {
  /** Counts a read of a host for a tenant. Throws `Exhausted('outbound')` with the time of the next one. */
  spend(tenantId: string, host: string): Promise<void>
}

/**
 * What one tenant may read of one host: whose documents are read is chosen by whoever sends something to be verified. All
 * names below one registered domain count together. Holds over all processes; without a database, each process counts by
 * itself.
 */
export function createReadBudget({ sql, perMinute }: { sql: Sql; perMinute: number }): ReadBudget {
  const points = Math.max(1, Math.floor((perMinute * WINDOW_SECONDS) / 60))
  const limit = createLimit(sql, { name: 'read', points, seconds: WINDOW_SECONDS, isInsured: true })
  return {
    async spend(tenantId, host) {
      const seconds = await limit.take(hostKey(tenantId, host))
      if (seconds === undefined) return
      const message = `${ownerOf(host)} is not read now: at most ${points} documents of it are read for a tenant in ${WINDOW_SECONDS} seconds.`
      throw new Exhausted('outbound', message, seconds)
    },
  }
}
