import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { pino } from 'pino'
import { createOutbox } from '../../../activities/frame/outbox.ts'
import { startWorker } from '../../../activities/frame/worker/start.ts'
import { historyKey } from '../../support/frame/histories/files.ts'
import { openTemporal, type TestTemporal } from '../../support/parts/temporal.ts'

let world: TestTemporal
test.before(async () => {
  world = await openTemporal(historyKey)
})
test.after.always(() => world?.close())

test('a chunk that takes longer than its heartbeat timeout is signed once while its worker lives', async (t) => {
  let attempts = 0
  const worker = await startWorker({
    config: world.config,
    activities: {
      async signBatchChunk() {
        attempts += 1
        if (attempts === 1) await wait(14_000) // beyond the 10 s of a chunk, the shortest that there is
        return { state: 'signed', signed: 2, failed: 0 }
      },
      completeBatch: async () => ({ state: 'COMPLETED' }),
    },
    jobs: [],
    temporal: world.temporal,
    systemSql: { query: async () => ({ rows: [] }) },
    outbox: createOutbox(historyKey),
    log: pino({ level: 'silent' }),
  })
  t.teardown(() => worker.stop())
  const [tenantId, batchId] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000003']
  const workflowId = `heartbeats/${batchId}`
  await world.temporal.startWorkflow({
    tenantId,
    area: 'credentials',
    objectId: batchId,
    summary: 'Sign a batch',
    workflowType: 'signBatch',
    workflowId,
    payload: { tenantId, batchId, total: 2 },
  })
  const handle = world.temporal.client.workflow.getHandle(workflowId)
  t.like(await handle.result(), { state: 'COMPLETED', signed: 2 })
  t.is(attempts, 1)
})
