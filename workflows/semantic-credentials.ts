import { proxyActivities } from '@temporalio/workflow'
import type { StatusPublisher } from '../activities/semantic-credentials.publish.ts'
import { sweeping } from './options.ts'

const { publishChangedLists } = proxyActivities<StatusPublisher>(sweeping)

/** Scheduled once per window: every status list that changed is signed once, however many entries changed. */
export async function publishStatusLists(): ReturnType<StatusPublisher['publishChangedLists']> {
  return publishChangedLists()
}
