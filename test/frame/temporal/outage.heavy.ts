import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { pino } from 'pino'
import { createOutbox } from '../../../activities/frame/outbox.ts'
import { bundleWorkflows } from '../../../activities/frame/worker/bundle.ts'
import { startWorker } from '../../../activities/frame/worker/start.ts'
import { openTemporal } from '../../support/parts/temporal.ts'

test('an outage of a minute is made up for by one run of a job at most', async (t) => {
  const masterKey = randomBytes(32)
  const world = await openTemporal(masterKey)
  const ticks: number[] = []
  const worker = await startWorker({
    config: world.config,
    activities: { count: async () => void ticks.push(Date.now()) },
    jobs: [{ id: 'tick', workflowType: 'tick', area: 'administration', summary: 'Test', every: { seconds: 10 } }],
    temporal: world.temporal,
    systemSql: { query: async () => ({ rows: [] }) },
    outbox: createOutbox(masterKey),
    log: pino({ level: 'silent' }),
    bundle: await bundleWorkflows(new URL('../../support/frame/frame.workflows.ts', import.meta.url).pathname),
  })
  t.teardown(async () => {
    await worker.stop()
    await world.close()
  })
  while (ticks.length < 2) await wait(100)
  await world.stopServer()
  const before = ticks.length
  await wait(60_000)
  t.is(ticks.length, before)
  const returned = Date.now()
  await world.startServer()
  while (ticks.length === before && Date.now() - returned < 60_000) await wait(100)
  await wait(31_000)
  // every 10 s, in its turn, and at most one more
  const turns = Math.floor(Date.now() / 10_000) - Math.floor(returned / 10_000)
  const runs = ticks.length - before
  t.true(runs >= turns - 1 && runs <= turns + 1, `${runs} runs in ${turns} turns after the return`)
})
