import {
  ActivityFailure,
  ApplicationFailure,
  continueAsNew,
  isCancellation,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow'
import type { Erasing } from '../../activities/administration/privacy/erase.ts'
import type { Expiry } from '../../activities/administration/privacy/expiry.ts'
import type { Payload } from '../../protocol/workflows.ts'
import { chunk, forOneOfMany } from '../options.ts'
import { createProgressLine } from '../progress.ts'

const { eraseSlice } = proxyActivities<Erasing>(chunk)
const { findRetentions } = proxyActivities<Expiry>(chunk)
const { eraseExpiredOf } = proxyActivities<Expiry>(forOneOfMany)

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

/** Tenants that the failure of a pass names. */
const NAMED = 20

/** False where it failed: the tenant is due again in an hour, and holds up no other one. */
async function eraseOf(tenantId: string): Promise<boolean> {
  try {
    for (let calls = 0; calls < CALLS_PER_TENANT; calls += 1) if ((await eraseExpiredOf({ tenantId })).done) break
    return true
  } catch (error) {
    if (error instanceof ActivityFailure && !isCancellation(error)) return false
    throw error
  }
}

/** Scheduled: erases what tenants keep no longer, one tenant after the other. Fails at its end where one failed. */
export async function eraseExpired(run?: Payload<'eraseExpired'>): Promise<void> {
  const showProgress = createProgressLine()
  const failed = [...(run?.failed ?? [])]
  for (let after = run?.after; ; ) {
    const { tenantIds, more } = await findRetentions(after === undefined ? {} : { after })
    for (const tenantId of tenantIds) {
      showProgress(`erase what tenant ${tenantId} keeps no longer`)
      if (!(await eraseOf(tenantId)) && failed.length < NAMED) failed.push(tenantId)
      after = tenantId
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof eraseExpired>({ after, failed })
    }
    if (!more) break
  }
  if (failed.length > 0)
    throw ApplicationFailure.nonRetryable(`What tenants keep no longer was not erased of: ${failed.join(', ')}.`)
}
