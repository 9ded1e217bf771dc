import { sweepUploads } from '../credentials/batches/sweep.ts'
import type { Dependencies } from '../dependencies.ts'
import { KEPT_HOURS } from '../frame/idempotency.ts'
import { deleteInSlices } from '../frame/slices.ts'

const KEPT_OUTBOX_DAYS = 7

/** Scheduled: deletes expired rows. Safe to retry. */
export const createPurge = ({ systemSql, sql, now }: Pick<Dependencies, 'systemSql' | 'sql' | 'now'>) => ({
  async purgeExpiredRows(): Promise<Record<'idempotencyKeys' | 'outboxRows' | 'rateLimits' | 'uploads', number>> {
    const age = 'created_at < now() - make_interval(hours => $1)'
    const started = 'started_at < now() - make_interval(days => $1)' // null for a row that never started
    return {
      idempotencyKeys: await deleteInSlices(systemSql, 'idempotency_keys', age, [KEPT_HOURS]),
      outboxRows: await deleteInSlices(systemSql, 'outbox', started, [KEPT_OUTBOX_DAYS]),
      rateLimits: await deleteInSlices(sql, 'rate_limits', 'expire < $1', [now().getTime()]),
      uploads: await sweepUploads(systemSql),
    }
  },
})

export type Purge = ReturnType<typeof createPurge>
