import { condition, patched, proxyActivities, setHandler, sleep } from '@temporalio/workflow'
import type { DidRegistration, Lookup } from '../activities/dids/registration.ts'
import type { DidSubject, Payload } from '../protocol/workflows.ts'
import { signalOf } from './contract.ts'
import { outward, quick, refusalCode, refusalOf, sweeping } from './options.ts'
import { createProgressLine } from './progress.ts'

const { createDidKeys, writeDidDocument, completeDid, failDid, wakeRegistration, destroyDidKeys, removeDid } =
  proxyActivities<DidRegistration>(quick)
const { lookUpDid } = proxyActivities<DidRegistration>(outward)
const { reapUnownedKeys } = proxyActivities<DidRegistration>(sweeping)

const HOUR_SECONDS = 3600
const DAY_MS = 24 * HOUR_SECONDS * 1000

/** Ends the wait for the next look. */
const lookNow = signalOf('registerWebDid', 'lookNow')

type Fault = Extract<Lookup, { resolved: false }>

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

/**
 * Shows operators why a registration waits. The line has the code alone: the reason names the host, which may lead to a
 * person, and is in the details, which are encrypted. Runs that began before this show nothing.
 */
function createWaitingLine({ didId }: DidSubject) {
  const isShown = patched('registration-says-why')
  const showProgress = createProgressLine()
  const show = (state: string, more = '') =>
    isShown && showProgress(`register did:web ${didId}: ${state}`, more || state)
  return {
    waits({ code = 'did.unresolvable', reason }: Fault, waitMs: number) {
      const nextLook = new Date(Date.now() + waitMs).toISOString()
      show(`waits, ${code}, next check at ${nextLook}`, `${reason} (${code})\n\nNext check at ${nextLook}.`)
    },
    ended: (status: 'COMPLETED' | 'FAILED') => show(status),
  }
}

/** did:web: keys, document, and then waiting until the world resolves it as we do (specification, DID record). */
export async function registerWebDid({
  checkSeconds = 5,
  patienceDays = 7,
  ...subject
}: Payload<'registerWebDid'>): Promise<'COMPLETED' | 'FAILED' | 'DELETED'> {
  const line = createWaitingLine(subject)
  let isWoken = false
  setHandler(lookNow, () => {
    isWoken = true
  })
  const end = async (status: 'COMPLETED' | 'FAILED', step: Promise<void>) => {
    await step
    line.ended(status)
    return status
  }
  try {
    const reason = await refusalReason(makeDocument(subject))
    if (reason) return await end('FAILED', failDid({ ...subject, reason }))
    const until = Date.now() + patienceDays * DAY_MS
    for (let waitSeconds = checkSeconds; ; waitSeconds = Math.min(waitSeconds * 2, HOUR_SECONDS)) {
      isWoken = false
      const waitMs = () => Math.ceil(Math.min(waitSeconds * 1000, until - Date.now()))
      const nextInMs = waitMs() > 0 ? waitMs() : undefined
      const lookup = await lookUpDid({ ...subject, nextInMs })
      if (lookup.resolved) return await end('COMPLETED', completeDid(subject))
      if (Date.now() >= until) return await end('FAILED', failDid({ ...subject, reason: lookup.reason }))
      line.waits(lookup, waitMs())
      await condition(() => isWoken, waitMs())
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
