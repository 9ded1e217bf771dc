import {
  continueAsNew,
  patched,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow'
import type { PublishingSlice, StatusSweep } from '../activities/credentials/status-lists/sweep.ts'
import type { PublishedLists } from '../protocol/workflows.ts'
import { queryOf } from './contract.ts'
import { chunk } from './options.ts'

const { publishChangedLists } = proxyActivities<StatusSweep>(chunk)

const publishingProgress = queryOf('publishStatusLists', 'progress')

/** Between two looks of a worker of an earlier release, which does not say how long its window is. */
const WINDOW_SECONDS = 10

/**
 * Once per window every status list that changed is signed once, however many entries changed. One run lasts about an hour
 * and continues as the next one, so that operators do not see a run per window; its schedule starts it again should it
 * end.
 */
export async function publishStatusLists(): Promise<PublishedLists> {
  const seen: PublishedLists = { signed: 0, failed: 0 }
  setHandler(publishingProgress, () => seen)
  const isContinued = patched('publishing-continues')
  for (;;) {
    const began = Date.now()
    const { windowSeconds = WINDOW_SECONDS } = await publishWindow(seen)
    if (!isContinued) return seen
    await sleep(Math.max(1, began + windowSeconds * 1000 - Date.now()))
    if (workflowInfo().continueAsNewSuggested) return continueAsNew<typeof publishStatusLists>()
  }
}

async function publishWindow(seen: PublishedLists): Promise<PublishingSlice> {
  let slice: PublishingSlice | undefined
  do {
    slice = await publishChangedLists(slice && { until: slice.until })
    seen.signed += slice.signed
    seen.failed += slice.failed
    setCurrentDetails(`${seen.signed} signed, ${seen.failed} failed`)
  } while (slice.more)
  return slice
}
