import { randomBytes } from 'node:crypto'
import test from 'ava'
import { type RunningWorker, startWorker } from '../../../activities/frame/worker/start.ts'
import { createActivities } from '../../../activities/index.ts'
import { COURSE, create, lines, read, results, steer, until as untilBatch } from '../../support/credentials/batches.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { until } from '../../support/credentials/dids.ts'
import { openTemporal, type TestTemporal } from '../../support/parts/temporal.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let beside: TestTemporal
let worker: RunningWorker
/** First and last row of each chunk that the workflows asked for, by batch. */
const asked = new Map<string, [number, number][]>()
test.before(async () => {
  world = await openWorld() // its outbox is not relayed: the tests start the workflows, with chunks of two rows
  beside = await openTemporal(Buffer.from(world.config.masterKey))
  const activities = createActivities(world.dependencies)
  worker = await startWorker({
    ...world.dependencies,
    config: { ...world.config, temporal: beside.config.temporal },
    temporal: beside.temporal,
    systemSql: { query: async () => ({ rows: [] }) },
    activities: {
      ...activities,
      async signBatchChunk(chunk: Parameters<typeof activities.signBatchChunk>[0]) {
        asked.set(chunk.batchId, [...(asked.get(chunk.batchId) ?? []), [chunk.from, chunk.to]])
        return activities.signBatchChunk(chunk)
      },
    },
    jobs: [],
  })
})
test.after.always(async () => {
  await worker?.stop()
  await beside?.close()
  await world?.close()
})

async function newBatch(rows: number): Promise<string> {
  const issuer = await createDid(world)
  return (await create(world, lines(rows), { issuer, proofType: 'eddsa-rdfc-2022', context: COURSE })).id
}

async function begin(batchId: string, more: object) {
  const { tenantId } = world.first
  const workflowId = `${tenantId}/batches/${batchId}`
  await beside.temporal.startWorkflow({
    tenantId,
    area: 'credentials',
    objectId: batchId,
    summary: 'Sign a batch',
    workflowType: 'signBatch',
    workflowId,
    payload: { tenantId, batchId, chunkRows: 2, ...more },
  })
  return beside.temporal.client.workflow.getHandle(workflowId)
}

async function runsOf(batchId: string): Promise<string[]> {
  const statuses: string[] = []
  for await (const { status } of beside.temporal.client.workflow.list({ query: `ObjectId = '${batchId}'` }))
    statuses.push(status.name)
  return statuses.toSorted()
}

const allRows = (total: number) => Array.from({ length: total }, (_, index) => index + 1)
const rowsOf = async (batchId: string) => (await results(world, batchId)).map(({ row }) => row)

/** More than the 4 MiB of history after which Temporal suggests a new run; below its limit of 2 MiB for a payload each. */
async function lengthenHistory(handle: Awaited<ReturnType<typeof begin>>): Promise<void> {
  for (let sent = 0; sent < 4; sent += 1) await handle.signal('changed', randomBytes(1_400_000).toString('base64'))
}

for (const total of [9, 6, 2])
  test.serial(
    `a batch of ${total} rows that is paused when Temporal suggests a new run signs every row in it`,
    async (t) => {
      const id = await newBatch(total)
      t.is((await steer(world, id, 'pause')).status, 200)
      const handle = await begin(id, { total })
      const { runId } = await handle.describe()
      const chunks = Math.min(3, Math.ceil(total / 2)) // as many as there are lanes
      await until('every lane to see the pause', async () => asked.get(id)?.length === chunks)
      await lengthenHistory(handle)
      await until('a new run', async () => (await handle.describe()).runId !== runId, 60_000)
      t.like(await read(world, id), { status: 'PAUSED', signed: 0, pending: total })

      t.is((await steer(world, id, 'resume')).status, 200)
      await handle.signal('changed')
      t.like(await untilBatch(world, id, ({ status }) => status === 'COMPLETED', 60_000), { signed: total, failed: 0 })
      t.deepEqual(await rowsOf(id), allRows(total))
      t.deepEqual(await handle.result(), { state: 'COMPLETED', total, signed: total, failed: 0 })
      t.true(
        asked.get(id)?.every(([from, to]) => to === Math.min(total, from + 1)),
        'the new run has chunks of the same size',
      )
    },
  )

test.serial('a batch that is cancelled while it waits in a new run signs no row', async (t) => {
  const id = await newBatch(6)
  t.is((await steer(world, id, 'pause')).status, 200)
  const handle = await begin(id, { total: 6 })
  const { runId } = await handle.describe()
  await until('every lane to see the pause', async () => asked.get(id)?.length === 3)
  await lengthenHistory(handle)
  await until('a new run', async () => (await handle.describe()).runId !== runId, 60_000)
  t.is((await steer(world, id, 'cancel')).status, 200)
  await handle.signal('changed')
  t.like(await handle.result(), { state: 'CANCELLED', signed: 0 })
  t.like(await read(world, id), { status: 'CANCELLED', signed: 0 })
})

test.serial('a batch of many chunks is signed in several runs, each row once', async (t) => {
  const [id, total] = [await newBatch(13), 13]
  const handle = await begin(id, { total, chunksPerRun: 2 })
  t.deepEqual(await handle.result(), { state: 'COMPLETED', total, signed: total, failed: 0 })
  t.deepEqual(await rowsOf(id), allRows(total))
  t.deepEqual(
    asked.get(id)?.toSorted(([one], [other]) => one - other),
    [1, 3, 5, 7, 9, 11, 13].map((from) => [from, Math.min(total, from + 1)]),
  )
  await until('every run to be listed', async () => (await runsOf(id)).length === 4)
  t.deepEqual(await runsOf(id), ['COMPLETED', 'CONTINUED_AS_NEW', 'CONTINUED_AS_NEW', 'CONTINUED_AS_NEW'])
})
