import { continueAsNew, defineQuery, proxyActivities, setHandler, sleep } from '@temporalio/workflow'
import type { RevocationSlices, RevocationSubject, SliceOutcome } from '../activities/credentials/revocations.ts'
import { chunk } from './options.ts'
import { createProgressLine } from './progress.ts'

const { revokeSlice } = proxyActivities<RevocationSlices>(chunk)

export const revocationProgress = defineQuery<SliceOutcome | undefined>('progress')

export interface RevocationRun extends RevocationSubject {
  /** Slices until the workflow goes on as a new run, before its history grows long. */
  slicesPerRun?: number
}

/** Revokes what a template, a batch or an issuer has issued. The row knows how far it is. */
export async function revokeCredentials(run: RevocationRun): Promise<{ revoked: number }> {
  const { slicesPerRun = 500, ...subject } = run
  let seen: SliceOutcome | undefined
  setHandler(revocationProgress, () => seen)
  const tell = createProgressLine()
  for (let slice = 0; slice < slicesPerRun; slice += 1) {
    seen = await revokeSlice(subject)
    tell(`revoke many, ${run.revocationId}: ${seen.revoked} revoked, ${seen.checked} looked at`)
    if (seen.phase === 'done' || seen.phase === 'gone') return { revoked: seen.revoked }
    if (seen.phase === 'wait') await sleep('1s')
  }
  return continueAsNew<typeof revokeCredentials>(run)
}
