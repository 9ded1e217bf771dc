import { proxyActivities } from '@temporalio/workflow'
import type { Purge } from '../activities/administration.purge.ts'
import { sweeping } from './options.ts'

const { purgeExpiredRows } = proxyActivities<Purge>(sweeping)

/** Scheduled: rows that are past their time. */
export async function purgeExpired(): ReturnType<Purge['purgeExpiredRows']> {
  return purgeExpiredRows()
}
