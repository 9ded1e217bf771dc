import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow'
import type { KeyInventory } from '../../activities/administration/key-inventory.ts'
import type { MailDelivery } from '../../activities/administration/mails/deliver.ts'
import type { Purge } from '../../activities/administration/purge.ts'
import type { Reconciliation } from '../../activities/administration/reconcile.ts'
import type { MailStep } from '../../protocol/administration/accounts/mails.ts'
import type { Payload } from '../../protocol/workflows.ts'
import { deliverUntilOver } from '../delivery.ts'
import { chunk, mailing, sweeping } from '../options.ts'
import { createProgressLine } from '../progress.ts'

const { purgeExpiredRows } = proxyActivities<Purge>(sweeping)
const { reconcileSlice } = proxyActivities<Reconciliation>(chunk)
const { attemptMail } = proxyActivities<MailDelivery>(mailing)
const { compareRestoredKeys } = proxyActivities<KeyInventory>(sweeping)

/** Scheduled: deletes expired rows. */
export async function purgeExpired(): ReturnType<Purge['purgeExpiredRows']> {
  return purgeExpiredRows()
}

type Reconciled = Required<Omit<NonNullable<Payload<'reconcileWork'>>, 'next'>>

/**
 * Scheduled, and at every start of a worker: starts missing workflows of rows under way, and compares keys with rows.
 */
export async function reconcileWork(run: Payload<'reconcileWork'> = {}): Promise<Reconciled> {
  const { looked = 0, started = 0, left = 0 } = run
  const total = { looked, started, left }
  const showProgress = createProgressLine()
  for (let { next } = run; ; ) {
    const slice = await reconcileSlice(next)
    total.looked += slice.looked
    total.started += slice.started
    total.left += slice.left
    showProgress(lineOf(total))
    next = slice.next
    if (!next) break
    if (workflowInfo().continueAsNewSuggested) return continueAsNew<typeof reconcileWork>({ ...total, next })
  }
  await compareRestoredKeys()
  return total
}

const lineOf = ({ looked, started, left }: Reconciled) =>
  `${looked} unfinished, ${started} started again${left > 0 ? `, ${left} ended by an operator` : ''}`

/**
 * Sends a mail: one attempt, and more after the waits of the configuration. Each attempt is one activity, which records
 * it; the history has neither an address nor a text.
 */
export async function deliverMail(subject: Payload<'deliverMail'>): Promise<MailStep['state']> {
  const showProgress = createProgressLine()
  const { state } = await deliverUntilOver(
    (nth) => attemptMail({ nth, ...subject }),
    ({ nextInMs, code }, nth) => {
      if (nextInMs === undefined) return undefined
      const next = new Date(Date.now() + nextInMs).toISOString()
      showProgress(`send mail ${subject.mailId}: attempt ${nth} failed (${code ?? 'unknown'}), next at ${next}`)
      return nextInMs
    },
  )
  return state
}
