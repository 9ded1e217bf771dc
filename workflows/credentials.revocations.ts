import { continueAsNew, proxyActivities, setHandler, sleep } from '@temporalio/workflow'
import type { RevocationSlices } from '../activities/credentials/revocations.ts'
import type { RevocationProgress } from '../protocol/credentials/work.ts'
import type { Payload } from '../protocol/workflows.ts'
import { queryOf } from './contract.ts'
import { chunk } from './options.ts'
import { createProgressLine } from './progress.ts'

const { revokeSlice } = proxyActivities<RevocationSlices>(chunk)

const revocationProgress = queryOf('revokeCredentials', 'progress')

/** Revokes, or suspends, all credentials of a template, a batch, an issuer or a holder. The row stores the progress. */
export async function revokeCredentials(run: Payload<'revokeCredentials'>): Promise<{ revoked: number }> {
  const { slicesPerRun = 500, ...subject } = run
  let seen: RevocationProgress | undefined
  setHandler(revocationProgress, () => seen)
  const showProgress = createProgressLine()
  for (let slice = 0; slice < slicesPerRun; slice += 1) {
    seen = await revokeSlice(subject)
    showProgress(`revoke many, ${run.revocationId}: ${seen.revoked} revoked, ${seen.checked} checked`)
    if (seen.phase === 'done' || seen.phase === 'gone') return { revoked: seen.revoked }
    if (seen.phase === 'wait') await sleep('1s')
  }
  return continueAsNew<typeof revokeCredentials>(run)
}
