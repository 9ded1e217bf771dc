import { proxyActivities, sleep } from '@temporalio/workflow'
import type { DidRegistration, DidSubject } from '../activities/dids.registration.ts'
import { outward, quick, refusalCode, sweeping } from './options.ts'

const { createDidKeys, writeDidDocument, completeDid, failDid, destroyDidKeys, removeDid } =
  proxyActivities<DidRegistration>(quick)
const { lookUpDid } = proxyActivities<DidRegistration>(outward)
const { reapUnownedKeys } = proxyActivities<DidRegistration>(sweeping)

const HOUR_SECONDS = 3600
const DAY_SECONDS = 24 * HOUR_SECONDS

/** How long the world may take to see a did:web. */
export interface WebDidPatience {
  checkSeconds: number
  patienceDays: number
}

/** did:web: keys, document, and then waiting until the world resolves it as we do (specification, DID record). */
export async function registerWebDid({
  checkSeconds = 5,
  patienceDays = 7,
  ...subject
}: DidSubject & Partial<WebDidPatience>): Promise<'COMPLETED' | 'FAILED' | 'DELETED'> {
  try {
    await createDidKeys(subject)
    await writeDidDocument(subject)
    let wait = checkSeconds
    for (let waited = 0; ; waited += wait, wait = Math.min(wait * 2, HOUR_SECONDS)) {
      const found = await lookUpDid(subject)
      if (found.resolved) {
        await completeDid(subject)
        return 'COMPLETED'
      }
      if (waited >= patienceDays * DAY_SECONDS) {
        await failDid({ ...subject, reason: found.reason })
        return 'FAILED'
      }
      await sleep(wait * 1000)
    }
  } catch (error) {
    if (refusalCode(error) === 'did.not_found') return 'DELETED'
    throw error
  }
}

/** The keys first, then what tells of them: a crash in between leaves an owner who can be asked again. */
export async function deleteDid(subject: DidSubject): Promise<void> {
  await destroyDidKeys(subject)
  await removeDid(subject)
}

/** Scheduled: keys whose DID was never finished. */
export async function reapKeys(): Promise<{ reaped: number }> {
  return reapUnownedKeys()
}
