// The compiler is the test of this file: `tsc` refuses a `@ts-expect-error` over a line that compiles.
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Outbox } from '../../../activities/frame/outbox.ts'
import type { WorkRevival } from '../../../activities/frame/pending-work.revival.ts'
import { defineWork } from '../../../activities/frame/pending-work.ts'
import { queryOf, signalOf, updateOf } from '../../../workflows/contract.ts'

const [tenantId, batchId] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']
const run = { tenantId, batchId, total: 3 }

/** What does not compile on either side of the contract of workflows, between lines that do. */
export async function looseStrings(em: SqlEntityManager, outbox: Outbox, { signal }: WorkRevival): Promise<void> {
  await outbox.start(em, 'signBatch', run, { templateId: null, issuers: [] })
  // @ts-expect-error no such workflow
  await outbox.start(em, 'signBatches', run)
  // @ts-expect-error the clock starts it
  await outbox.start(em, 'purgeExpired', undefined)
  // @ts-expect-error the payload of another workflow
  await outbox.start(em, 'signBatch', { tenantId, didId: batchId })
  // @ts-expect-error a payload without its total
  await outbox.start(em, 'signBatch', { tenantId, batchId })
  // @ts-expect-error nothing that the summary could tell of
  await outbox.start(em, 'notifyStatus', { tenantId, notificationId: batchId })

  // @ts-expect-error no such workflow
  defineWork<'signBatches'>({})
  const work = defineWork<'signBatch'>({
    workflowType: 'signBatch',
    table: '',
    underWay: '',
    since: '',
    payload: ({ id }) => ({ tenantId, batchId: id, total: 0 }),
    about: () => [{ templateId: null, issuers: [] }],
  })
  await signal(work, { tenantId, batchId }, 'changed')
  // @ts-expect-error no such signal
  await signal(work, { tenantId, batchId }, 'change')
  // @ts-expect-error the subject of another workflow
  await signal(work, { tenantId, didId: batchId }, 'changed')

  // @ts-expect-error no such signal of this workflow
  signalOf('signBatch', 'lookNow')
  // @ts-expect-error no such workflow
  signalOf('signBatches', 'changed')
  // @ts-expect-error no such query
  queryOf('signBatch', 'progres')
  // @ts-expect-error no such update
  updateOf('verifyDomain', 'changed')
  // @ts-expect-error a workflow without updates
  updateOf('signBatch', 'lookNow')
  // @ts-expect-error a workflow without queries
  queryOf('deleteDid', 'progress')
}
