import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import { createOutbox } from '../../../activities/frame/outbox.ts'
import { startWorker } from '../../../activities/frame/worker/start.ts'
import { historyKey } from '../../support/frame/histories/files.ts'
import { openTemporal, type TestTemporal } from '../../support/parts/temporal.ts'

/** Calls of each step: far more than the history of one run may have. */
const CALLS = 12

let world: TestTemporal
test.before(async () => {
  world = await openTemporal(historyKey, ['limit.historyCount.suggestContinueAsNew=12', 'limit.historyCount.error=90'])
})
test.after.always(() => world?.close())

const [tenantId, subjectTenantId] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']

type Activities = Parameters<typeof startWorker>[0]['activities']

/** The ids of the first and the last run of a workflow that completes. */
async function runsOf(t: ExecutionContext, workflowType: string, activities: Activities, more: object = {}) {
  const worker = await startWorker({
    config: world.config,
    activities,
    jobs: [],
    temporal: world.temporal,
    systemSql: { query: async () => ({ rows: [] }) },
    outbox: createOutbox(historyKey),
    log: pino({ level: 'silent' }),
  })
  t.teardown(() => worker.stop())
  const workflowId = `continuing/${workflowType}`
  await world.temporal.startWorkflow({
    ...{ tenantId, area: 'administration', objectId: subjectTenantId, summary: 'A tenant' },
    ...{ workflowType, workflowId, payload: { tenantId, subjectTenantId, ...more } },
  })
  const handle = world.temporal.client.workflow.getHandle(workflowId)
  const { runId: first } = await handle.describe()
  await handle.result()
  const { status, runId: last } = await handle.describe()
  t.is(status.name, 'COMPLETED')
  return { first, last }
}

test.serial(
  'the deletion of a very large tenant continues in further runs, each from where the last was',
  async (t) => {
    const calls: string[] = []
    const counted = (name: string) => calls.filter((call) => call.startsWith(name)).length
    const { first, last } = await runsOf(
      t,
      'deleteTenant',
      {
        async endTenantWork() {
          calls.push('work')
          return { running: counted('work') < CALLS }
        },
        async destroyTenantKeys({ after }: { after?: string }) {
          calls.push(`keys after ${after}`)
          return counted('keys') < CALLS ? { next: `key ${counted('keys')}` } : {}
        },
        async deleteTenantRows() {
          calls.push('rows')
          return { done: counted('rows') >= CALLS }
        },
        async finishTenantDeletion() {
          calls.push('finish')
          return { erased: true }
        },
      },
      { settleSeconds: 1 },
    )
    t.deepEqual(calls, [
      ...Array.from({ length: CALLS }, () => 'work'),
      ...Array.from({ length: CALLS }, (_, nth) => `keys after ${nth === 0 ? undefined : `key ${nth}`}`),
      ...Array.from({ length: CALLS }, () => 'rows'),
      'finish',
    ])
    t.not(last, first)
  },
)

test.serial('a tenant that waits long for the key store waits in further runs', async (t) => {
  let attempts = 0
  const { first, last } = await runsOf(t, 'provisionTenant', {
    async attemptProvisioning() {
      attempts += 1
      return attempts < 2 ? { state: 'waiting', code: 'keys.unavailable' } : { state: 'ready' }
    },
  })
  t.not(last, first)
})
