import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow'
import type { Erasing } from '../../activities/administration/privacy/erase.ts'
import type { Expiry } from '../../activities/administration/privacy/expiry.ts'
import type { Payload } from '../../protocol/workflows.ts'
import { chunk } from '../options.ts'
import { createProgressLine } from '../progress.ts'

const { eraseSlice } = proxyActivities<Erasing>(chunk)
const { findRetentions, eraseExpiredOf } = proxyActivities<Expiry>(chunk)

/** Erases what is stored about a person. The row stores the progress, and whom it is about. */
export async function erasePerson(run: Payload<'erasePerson'>): Promise<{ credentials: number }> {
  const { slicesPerRun = 500, tenantId, erasureId } = run
  const showProgress = createProgressLine()
  for (let slice = 0; slice < slicesPerRun; slice += 1) {
    const { phase, credentials } = await eraseSlice({ tenantId, erasureId })
    showProgress(`erasure ${erasureId}: ${credentials} credentials erased`)
    if (phase !== 'more') return { credentials }
  }
  return continueAsNew<typeof erasePerson>(run)
}

/** Calls for one tenant, of some seconds each: others wait no longer, and the rest is due again in an hour. */
const CALLS_PER_TENANT = 60

/** Scheduled: erases what tenants keep no longer, one tenant after the other. */
export async function eraseExpired(run?: Payload<'eraseExpired'>): Promise<void> {
  const showProgress = createProgressLine()
  for (let after = run?.after; ; ) {
    const { tenantIds, more } = await findRetentions(after === undefined ? {} : { after })
    for (const tenantId of tenantIds) {
      showProgress(`erase what tenant ${tenantId} keeps no longer`)
      for (let calls = 0; calls < CALLS_PER_TENANT; calls += 1) if ((await eraseExpiredOf({ tenantId })).done) break
      after = tenantId
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof eraseExpired>({ after })
    }
    if (!more) return
  }
}
