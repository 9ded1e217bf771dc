import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { NativeConnection, Worker } from '@temporalio/worker'
import test from 'ava'
import { createDataConverter } from '../../../activities/frame/temporal/codec.ts'
import { registerSearchAttributes } from '../../../activities/frame/temporal/registration.ts'
import { bundleWorkflows } from '../../../activities/frame/worker/bundle.ts'
import { openTemporal } from '../../support/parts/temporal.ts'

const MANY = 400
const FEW = 5

test('activities of a tenant are not held up by hundreds of another one that came before (D-202)', async (t) => {
  t.timeout(240_000)
  const masterKey = randomBytes(32)
  const world = await openTemporal(masterKey)
  await registerSearchAttributes(world.temporal)
  const connection = await NativeConnection.connect({ address: world.config.temporal.address })
  const done: string[] = []
  const worker = await Worker.create({
    connection,
    taskQueue: world.config.temporal.taskQueue,
    workflowBundle: await bundleWorkflows(new URL('../../support/frame/frame.workflows.ts', import.meta.url).pathname),
    dataConverter: createDataConverter(masterKey),
    // two at a time, so that all others wait in the task queue
    maxConcurrentActivityTaskExecutions: 2,
    activities: {
      async repeat({ words }: { words: string }) {
        await wait(20)
        done.push(words)
        return { words }
      },
    },
  })
  const running = worker.run()
  t.teardown(async () => {
    worker.shutdown()
    await running
    await connection.close()
    await world.close()
  })
  const start = async (words: string, times: number) => {
    const [tenantId, objectId] = [randomUUID(), randomUUID()]
    const workflowId = `frame/${objectId}`
    const subject = { tenantId, area: 'dids', objectId, summary: words }
    const payload = { words, times }
    await world.temporal.startWorkflow({ ...subject, workflowType: 'repeatMany', workflowId, payload })
    return world.temporal.client.workflow.getHandle(workflowId)
  }
  const many = await start('many', MANY)
  while (done.length < MANY / 10) await wait(20)
  const before = done.length
  await (await start('few', FEW)).result()
  // the server takes turns within each of the task queue's partitions: some may stand in a fuller one; without turns they are last
  const places = done.flatMap((words, place) => (words === 'few' ? [place - before] : []))
  t.log(`at ${places.join(', ')} of ${MANY - before}`)
  const mean = places.reduce((sum, place) => sum + place, 0) / places.length
  t.true(mean < (MANY - before) / 2, places.join(', '))
  await many.terminate()
})
