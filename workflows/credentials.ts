import { proxyActivities, setCurrentDetails, setHandler } from '@temporalio/workflow'
import type { PublishingSlice, StatusSweep } from '../activities/credentials/status-lists/sweep.ts'
import type { PublishedLists } from '../protocol/workflows.ts'
import { queryOf } from './contract.ts'
import { chunk } from './options.ts'

const { publishChangedLists } = proxyActivities<StatusSweep>(chunk)

const publishingProgress = queryOf('publishStatusLists', 'progress')

/** Scheduled once per window: every status list that changed is signed once, however many entries changed. */
export async function publishStatusLists(): Promise<PublishedLists> {
  let seen: PublishedLists = { signed: 0, failed: 0 }
  setHandler(publishingProgress, () => seen)
  let slice: PublishingSlice | undefined
  do {
    slice = await publishChangedLists(slice && { until: slice.until })
    seen = { signed: seen.signed + slice.signed, failed: seen.failed + slice.failed }
    setCurrentDetails(`${seen.signed} signed, ${seen.failed} failed`)
  } while (slice.more)
  return seen
}
