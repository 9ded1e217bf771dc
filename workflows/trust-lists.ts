import { proxyActivities } from '@temporalio/workflow'
import type { TrustRefresh } from '../activities/trust-lists/refresh.ts'
import { sweeping } from './options.ts'

const activities = proxyActivities<TrustRefresh>(sweeping)

/** Scheduled: reads trust lists of URLs again, and says which ones are stale. */
export async function refreshTrustLists(): ReturnType<TrustRefresh['refreshTrustLists']> {
  return activities.refreshTrustLists()
}
