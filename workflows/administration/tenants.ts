import { continueAsNew, patched, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow'
import type { TenantErasure } from '../../activities/administration/tenants/erase.ts'
import type { Provisioning, ProvisioningStep } from '../../activities/administration/tenants/provisioning.ts'
import type { TenantSubject } from '../../protocol/administration/tenants/provisioning.ts'
import type { Payload } from '../../protocol/workflows.ts'
import { chunk } from '../options.ts'
import { createProgressLine } from '../progress.ts'

const { attemptProvisioning } = proxyActivities<Provisioning>(chunk)
const { endTenantWork, destroyTenantKeys, deleteTenantRows, finishTenantDeletion } =
  proxyActivities<TenantErasure>(chunk)

/** Of what is away: soon at first, and then every five minutes. */
const FIRST_WAIT_MS = 5_000
const LONGEST_WAIT_MS = 300_000
const longer = (waitMs: number) => Math.min(waitMs * 2, LONGEST_WAIT_MS)

const at = (waitMs: number) => new Date(Date.now() + waitMs).toISOString()

/** Whether a run is so long that another one goes on with it. Runs of the release before went on with themselves. */
const isLong = (): boolean => workflowInfo().continueAsNewSuggested && patched('tenants-continue')

/** Makes the keys and certificates that were asked for with a tenant, for as long as nothing refuses them. */
export async function provisionTenant(subject: Payload<'provisionTenant'>): Promise<ProvisioningStep['state']> {
  const show = createProgressLine()
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = longer(waitMs)) {
    const { state, code } = await attemptProvisioning({ ...subject, nextInMs: waitMs })
    if (state !== 'waiting') return state
    show(`provision tenant ${subject.subjectTenantId}: waits, ${code}, next look at ${at(waitMs)}`)
    await sleep(waitMs)
    if (isLong()) await continueAsNew<typeof provisionTenant>(subject)
  }
}

/** Goes through the keys, and waits while the key store is away. `goOn`: after each step, with the last key. */
async function destroyKeys(
  subject: TenantSubject,
  first: string | undefined,
  show: (line: string) => void,
  goOn: (after: string | undefined) => Promise<void>,
): Promise<void> {
  let after = first
  for (let waitMs = FIRST_WAIT_MS; ; ) {
    const step = await destroyTenantKeys({ ...subject, ...(after !== undefined && { after }), nextInMs: waitMs })
    if (step.waiting !== undefined) {
      show(`delete tenant ${subject.subjectTenantId}: the key store is away, next look at ${at(waitMs)}`)
      await sleep(waitMs)
      waitMs = longer(waitMs)
    } else if (step.next === undefined) return
    else {
      after = step.next
      waitMs = FIRST_WAIT_MS
    }
    await goOn(after)
  }
}

/** Time after which no process takes a token of the tenant (standing.ts), and no request is under way any more. */
const SETTLE_SECONDS = 15

/**
 * Erases a tenant that is refused already: ends its workflows, destroys its keys, deletes its rows, and at last itself. Who
 * wrote a row meanwhile makes it begin again. A run that gets long is continued where it is.
 */
export async function deleteTenant({
  settleSeconds = SETTLE_SECONDS,
  from,
  after,
  ...subject
}: Payload<'deleteTenant'>): Promise<void> {
  const show = createProgressLine()
  const say = (what: string) => show(`delete tenant ${subject.subjectTenantId}: ${what}`)
  const goOn = async (phase: NonNullable<typeof from>, last?: string) => {
    if (!isLong()) return
    const place = { from: phase, ...(last !== undefined && { after: last }) }
    await continueAsNew<typeof deleteTenant>({ settleSeconds, ...subject, ...place })
  }
  if (from === undefined) await sleep(settleSeconds * 1000)
  let phase = from ?? 'work'
  for (let erased = false; !erased; phase = 'work') {
    if (phase === 'work') {
      say('ends its workflows')
      while ((await endTenantWork(subject)).running) {
        await sleep('1s')
        await goOn('work')
      }
    }
    if (phase !== 'rows') {
      say('destroys its keys')
      await destroyKeys(subject, phase === 'keys' ? after : undefined, show, (last) => goOn('keys', last))
    }
    say('deletes its rows')
    while (!(await deleteTenantRows(subject)).done) await goOn('rows')
    erased = (await finishTenantDeletion(subject)).erased
    if (!erased) await goOn('work')
  }
  say('erased')
}
