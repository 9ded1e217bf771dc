import { KEPT_HOURS } from './idempotency.ts'
import type { Dependencies } from './index.ts'
import { sweepUploads } from './semantic-credentials.batches.sweep.ts'

const KEPT_OUTBOX_DAYS = 7

/** The scheduled broom. Safe to retry: what is gone is gone. */
export const createPurge = ({ systemSql, sql }: Pick<Dependencies, 'systemSql' | 'sql'>) => ({
  async purgeExpiredRows(): Promise<Record<'idempotencyKeys' | 'outboxRows' | 'rateLimits' | 'uploads', number>> {
    const drop = async (connection: typeof sql, text: string, values: unknown[]) =>
      (
        await connection.query<{ count: number }>({
          text: `with gone as (${text} returning 1) select count(*)::int as count from gone`,
          values,
        })
      ).rows[0]?.count ?? 0
    return {
      idempotencyKeys: await drop(
        systemSql,
        'delete from idempotency_keys where created_at < now() - make_interval(hours => $1)',
        [KEPT_HOURS],
      ),
      outboxRows: await drop(systemSql, 'delete from outbox where started_at < now() - make_interval(days => $1)', [
        KEPT_OUTBOX_DAYS,
      ]),
      rateLimits: await drop(sql, 'delete from rate_limits where expire < $1', [Date.now()]),
      uploads: await sweepUploads(systemSql),
    }
  },
})

export type Purge = ReturnType<typeof createPurge>
