import { randomBytes, randomUUID } from 'node:crypto'
import { WorkflowNotFoundError } from '@temporalio/client'
import test from 'ava'
import { pino } from 'pino'
import { createRevival } from '../../activities/frame/pending-work.revival.ts'
import type { FoundWork, Work } from '../../activities/frame/pending-work.ts'
import { registerSearchAttributes } from '../../activities/frame/temporal/registration.ts'
import { openTemporal, type TestTemporal } from '../support/parts/temporal.ts'

let world: TestTemporal
test.before(async () => {
  // no worker: what is started stays under way
  world = await openTemporal(randomBytes(32), ['limit.historyCount.error=20'])
  await registerSearchAttributes(world.temporal)
})
test.after.always(() => world?.close())

/** Work whose row, read once more, says that it is under way, or over. */
const workOf = (rows: FoundWork[]): Work => ({ workflowType: 'tick', find: async () => rows })

test('work whose row says by now that it is done is over; what is under way is started, once (D-189)', async (t) => {
  const { temporal } = world
  const { revive } = createRevival({
    temporal,
    systemSql: { query: async () => ({ rows: [] }) },
    log: pino({ level: 'silent' }),
  })
  const [tenantId, id] = [randomUUID(), randomUUID()]
  const workflowId = `${tenantId}/dids/${id}`
  const subject = { tenantId, area: 'dids', objectId: id, summary: 'Test', workflowType: 'tick', workflowId }
  const found: FoundWork = { id, start: { ...subject, payload: null } }
  t.is(await revive(workOf([]), found), 'over')
  await t.throwsAsync(temporal.client.workflow.getHandle(workflowId).describe(), { instanceOf: WorkflowNotFoundError })
  t.is(await revive(workOf([found]), found), 'started')
  t.is(await revive(workOf([found]), found), 'running')
})

test('a workflow that Temporal terminated is started again, and one that an operator did is left (D-189)', async (t) => {
  const { temporal } = world
  const revival = createRevival({
    temporal,
    systemSql: { query: async () => ({ rows: [] }) },
    log: pino({ level: 'silent' }),
  })
  const begin = async () => {
    const [tenantId, id] = [randomUUID(), randomUUID()]
    const workflowId = `${tenantId}/dids/${id}`
    const subject = { tenantId, area: 'dids', objectId: id, summary: 'Test', workflowType: 'tick', workflowId }
    const found: FoundWork = { id, start: { ...subject, payload: null } }
    t.is(await revival.revive(workOf([found]), found), 'started')
    return { found, handle: temporal.client.workflow.getHandle(workflowId) }
  }
  const stopped = await begin()
  await stopped.handle.terminate('the wrong one')
  t.is(await revival.revive(workOf([stopped.found]), stopped.found), 'left')
  const long = await begin()
  const statusOf = async () => (await long.handle.describe()).status.name
  for (let sent = 0; sent < 60 && (await statusOf()) === 'RUNNING'; sent += 1)
    await long.handle.signal('more').catch((error: unknown) => t.log(String(error)))
  t.is(await statusOf(), 'TERMINATED', 'its history was too long')
  t.is(await revival.revive(workOf([long.found]), long.found), 'started')
})
