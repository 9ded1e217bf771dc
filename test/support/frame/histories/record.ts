// Records the histories that test/histories does not hold yet:  node --import=tsx test/support/frame/histories/record.ts
// A stored history is never overwritten once a release ran its workflow: some run with yesterday's code. When a workflow
// changes on purpose, keep the old history, guard the change with patched(), and record the new path beside it.
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { WorkflowFailedError } from '@temporalio/client'
import { CancelledFailure } from '@temporalio/common'
import { pino } from 'pino'
import { createOutbox } from '../../../../activities/frame/outbox.ts'
import { prepareWorkflowBundle } from '../../../../activities/frame/worker/bundle.ts'
import { startWorker } from '../../../../activities/frame/worker/start.ts'
import { dismissGuard } from '../../../../stack/parts/part.ts'
import { openTemporal, type TestTemporal } from '../../parts/temporal.ts'
import { fileOf, historyDirectory, historyKey, type Scenario, toJson } from './files.ts'
import { scenarios } from './scenarios.ts'

/** Each activity with the number of its call. */
const scripted = ({ answers }: Scenario) =>
  Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => {
      let calls = 0
      return [name, async () => answer(calls++)]
    }),
  )

async function assertCancelled(result: Promise<unknown>): Promise<void> {
  try {
    await result
  } catch (error) {
    if (error instanceof WorkflowFailedError && error.cause instanceof CancelledFailure) return
    throw error
  }
  throw new Error('the workflow ended before it was cancelled')
}

async function record(world: TestTemporal, scenario: Scenario): Promise<void> {
  const { workflowType, path, payload } = scenario
  const worker = await startWorker({
    config: world.config,
    activities: scripted(scenario),
    jobs: [],
    temporal: world.temporal,
    systemSql: { query: async () => ({ rows: [] }) },
    outbox: createOutbox(historyKey),
    log: pino({ level: 'warn' }),
    bundle: await prepareWorkflowBundle(),
  })
  try {
    const workflowId = `history/${workflowType}/${path}`
    await world.temporal.startWorkflow({
      tenantId: 'history',
      area: 'history',
      objectId: path,
      summary: `${workflowType}, ${path}`,
      workflowType,
      workflowId,
      payload,
    })
    const handle = world.temporal.client.workflow.getHandle(workflowId)
    if (scenario.signal) {
      await wait(1_000)
      await handle.signal(scenario.signal)
    }
    if (scenario.update) {
      await wait(1_000)
      await handle.executeUpdate(scenario.update)
    }
    if (scenario.cancelled) {
      await wait(2_000)
      await handle.cancel()
      await assertCancelled(handle.result())
    } else await handle.result()
    const json = toJson(await handle.fetchHistory())
    // which machine recorded it is nobody's business
    await writeFile(fileOf(scenario), `${json.replaceAll(`${process.pid}@${hostname()}`, 'recorder')}\n`)
    process.stdout.write(`${workflowType}, ${path}: recorded\n`)
  } finally {
    await worker.stop()
  }
}

const missing = scenarios.filter((scenario) => !existsSync(fileOf(scenario)))
await mkdir(historyDirectory, { recursive: true })
if (missing.length > 0) {
  const world = await openTemporal(historyKey)
  try {
    for (const scenario of missing) await record(world, scenario)
  } finally {
    await world.close()
    await dismissGuard()
  }
}
