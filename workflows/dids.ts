import { condition, proxyActivities, setHandler, sleep } from '@temporalio/workflow'
import type { DidRegistration } from '../activities/dids/registration.ts'
import type { DidSubject, Payload } from '../protocol/workflows.ts'
import { signalOf } from './contract.ts'
import { outward, quick, refusalCode, refusalOf, sweeping } from './options.ts'

const { createDidKeys, writeDidDocument, completeDid, failDid, wakeRegistration, destroyDidKeys, removeDid } =
  proxyActivities<DidRegistration>(quick)
const { lookUpDid } = proxyActivities<DidRegistration>(outward)
const { reapUnownedKeys } = proxyActivities<DidRegistration>(sweeping)

const HOUR_SECONDS = 3600
const DAY_MS = 24 * HOUR_SECONDS * 1000

/** Ends the wait for the next look. */
const lookNow = signalOf('registerWebDid', 'lookNow')

async function makeDocument(subject: DidSubject): Promise<void> {
  await createDidKeys(subject)
  await writeDidDocument(subject)
}

/** Returns the reason of a refused step, for which waiting is useless. Throws on for a deleted DID. */
const refusalReason = (step: Promise<void>): Promise<string | undefined> =>
  step.then(
    () => undefined,
    (error: unknown) => {
      const refusal = refusalOf(error)
      if (!refusal || refusal.code === 'did.not_found') throw error
      return refusal.message
    },
  )

/** did:web: keys, document, and then waiting until the world resolves it as we do (specification, DID record). */
export async function registerWebDid({
  checkSeconds = 5,
  patienceDays = 7,
  ...subject
}: Payload<'registerWebDid'>): Promise<'COMPLETED' | 'FAILED' | 'DELETED'> {
  let isWoken = false
  setHandler(lookNow, () => {
    isWoken = true
  })
  try {
    const reason = await refusalReason(makeDocument(subject))
    if (reason) {
      await failDid({ ...subject, reason })
      return 'FAILED'
    }
    const until = Date.now() + patienceDays * DAY_MS
    for (let waitSeconds = checkSeconds; ; waitSeconds = Math.min(waitSeconds * 2, HOUR_SECONDS)) {
      isWoken = false
      const lookup = await lookUpDid(subject)
      if (lookup.resolved) {
        await completeDid(subject)
        return 'COMPLETED'
      }
      if (Date.now() >= until) {
        await failDid({ ...subject, reason: lookup.reason })
        return 'FAILED'
      }
      await condition(() => isWoken, Math.ceil(Math.min(waitSeconds * 1000, until - Date.now())))
    }
  } catch (error) {
    if (refusalCode(error) === 'did.not_found') return 'DELETED'
    throw error
  }
}

/**
 * Stops the registration, so that no key is made any more, then deletes the keys, then the rows: after a crash in
 * between the rows are left to find the keys.
 */
export async function deleteDid(subject: Payload<'deleteDid'>): Promise<void> {
  while ((await wakeRegistration(subject)).running) await sleep('1s')
  await destroyDidKeys(subject)
  await removeDid(subject)
}

/** Scheduled: destroys keys whose DID was never finished. */
export async function reapKeys(): Promise<{ reaped: number }> {
  return reapUnownedKeys()
}
