import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow'
import type { KeyInventory } from '../activities/administration/key-inventory.ts'
import type { Purge } from '../activities/administration/purge.ts'
import type { Reconciliation } from '../activities/administration/reconcile.ts'
import type { Payload } from '../protocol/workflows.ts'
import { chunk, sweeping } from './options.ts'
import { createProgressLine } from './progress.ts'

const { purgeExpiredRows } = proxyActivities<Purge>(sweeping)
const { reconcileSlice } = proxyActivities<Reconciliation>(chunk)
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
