import { setTimeout as wait } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { ReconcileCursor } from '../../protocol/administration/reconcile.ts'
import { batchWork, notificationWork, revocationWork } from '../credentials/pending-work.ts'
import type { Dependencies } from '../dependencies.ts'
import { deletionWork, registrationWork } from '../dids/pending-work.ts'
import { domainWork } from '../domains/pending-work.ts'
import { createRevival, type Revival } from '../frame/pending-work.revival.ts'
import type { Work } from '../frame/pending-work.ts'
import { messageWork } from '../messaging/pending-work.ts'
import { presentationWork } from '../openid/presentations/expiry.ts'
import { sessionWork } from '../openid/sessions/pending-work.ts'
import { deliveryWork } from '../webhooks/pending-work.ts'
import { mailWork } from './mails/pending-work.ts'
import { personErasureWork } from './privacy/pending-work.ts'
import { erasureWork, provisioningWork } from './tenants/pending-work.ts'
import { exportWork, importWork } from './transfers/pending-work.ts'

/** All kinds of work with rows under way. Each area adds its lines. */
export const workUnderWay = (config: Dependencies['config']): Work[] => [
  registrationWork(config),
  deletionWork,
  domainWork,
  batchWork,
  revocationWork,
  notificationWork,
  mailWork,
  messageWork,
  deliveryWork,
  sessionWork,
  presentationWork,
  provisioningWork,
  erasureWork,
  personErasureWork,
  exportWork,
  importWork,
]

/** Younger work may still be on its way from the outbox to its workflow. */
const SETTLED_SECONDS = 60
/** Rows checked, and so calls to Temporal, in a second. */
const PER_SECOND = 50
const AT_ONCE = 8
/** Time that one call of the activity works, so that its workflow can show progress. */
const SLICE_MS = 5_000

export interface ReconcileSlice {
  looked: number
  started: number
  /** Ended by an operator, and not started again. */
  left: number
  /** Where the next slice begins; absent at the end. */
  next?: ReconcileCursor
}

interface Parts extends Pick<Dependencies, 'config' | 'systemSql' | 'temporal' | 'log'> {
  /** Called for each row whose workflow did not run. */
  reconciled?(workflowType: string, outcome: Revival): void
}

/** Compares the rows under way with Temporal's workflows: they differ after one of the two was restored or lost. */
export function createReconciliation({ config, systemSql, temporal, log, reconciled }: Parts) {
  const table = workUnderWay(config)
  const { revive } = createRevival({ systemSql, temporal, log })

  async function reconcilePage(work: Work, after: string | undefined) {
    const rows = await work.find(systemSql, { after, limit: PER_SECOND, seconds: SETTLED_SECONDS })
    const limited = pLimit(AT_ONCE)
    const revivals = await Promise.all(rows.map((row) => limited(() => revive(work, row))))
    for (const outcome of revivals) if (outcome !== 'running') reconciled?.(work.workflowType, outcome)
    const count = (wanted: Revival) => revivals.filter((outcome) => outcome === wanted).length
    return { last: rows.at(-1)?.id, looked: rows.length, started: count('started'), left: count('left') }
  }

  return {
    /** Safe to retry: Temporal knows the workflows that were started. */
    async reconcileSlice(from: ReconcileCursor = { work: 0 }): Promise<ReconcileSlice> {
      const end = Date.now() + SLICE_MS
      const total = { looked: 0, started: 0, left: 0 }
      for (let cursor = from; ; ) {
        const work = table[cursor.work]
        if (!work) return total
        if (Date.now() >= end) return { ...total, next: cursor }
        const startedMs = Date.now()
        const { last, ...page } = await reconcilePage(work, cursor.after)
        for (const name of ['looked', 'started', 'left'] as const) total[name] += page[name]
        cursor = last ? { work: cursor.work, after: last } : { work: cursor.work + 1 }
        if (last) await wait(Math.max(0, (page.looked * 1000) / PER_SECOND - (Date.now() - startedMs)))
      }
    },
  }
}

export type Reconciliation = ReturnType<typeof createReconciliation>
