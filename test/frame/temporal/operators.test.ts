import { createHash } from 'node:crypto'
import type { WorkflowExecutionInfo } from '@temporalio/client'
import test from 'ava'
import { scheduledJobs } from '../../../activities/frame/schedules.ts'
import { startWorker } from '../../../activities/frame/worker/start.ts'
import { createActivities } from '../../../activities/index.ts'
import { create, lines } from '../../support/credentials/batches.ts'
import { createDid, sign } from '../../support/credentials/credentials.ts'
import { didsOf, until } from '../../support/credentials/dids.ts'
import { publishesAnew } from '../../support/credentials/status-lists.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld({ workflows: true, env: { STATUS_WINDOW_SECONDS: '1' } })
})
test.after.always(() => world?.close())

const CREDENTIALS = '/v1/credentials/web-semantic'
const digest = (did: string) => createHash('sha256').update(did).digest('hex')

async function list(query: string): Promise<WorkflowExecutionInfo[]> {
  const found: WorkflowExecutionInfo[] = []
  for await (const execution of world.dependencies.temporal.client.workflow.list({ query })) found.push(execution)
  return found
}

/** Types of the workflows that a search by one object finds, once there are `count`. */
const found = (name: string, count: number): Promise<string[]> =>
  until(`${count} workflows of ${name}`, async () => {
    const types = (await list(`ObjectIds = '${name}'`)).map(({ type }) => type)
    return types.length >= count && types.toSorted()
  })

const publishing = () => list(`WorkflowType = 'publishStatusLists'`)

const runOf = (executions: WorkflowExecutionInfo[]) => executions.find(({ status }) => status.name === 'RUNNING')?.runId

test.serial('Temporal finds a workflow by its credential, its DID, its batch and its template', async (t) => {
  const { ask, token } = world
  const issuer = await createDid(world)
  const { id } = await sign(world, issuer, { revocable: true })
  const notified = await ask(`${CREDENTIALS}/${id}/revocation-status/notification`, { token, body: {} })
  t.true(notified.status < 300, notified.text)
  t.deepEqual(await found(id, 1), ['notifyStatus'])

  const batch = await create(world, lines(2), { issuer, proofType: 'eddsa-rdfc-2022' })
  t.deepEqual(await found(batch.id, 1), ['signBatch'])
  const revocation = await ask(`${CREDENTIALS}/revocations`, {
    token,
    body: { by: 'issuer', id: issuer, is_revoked: true },
  })
  t.true(revocation.status < 300, revocation.text)
  t.deepEqual(await found(digest(issuer), 2), ['revokeCredentials', 'signBatch'])
  t.deepEqual(await found(revocation.json<{ id: string }>().id, 1), ['revokeCredentials'])

  const dids = didsOf(world, token)
  const { did, id: didId } = await dids.createWeb('people.acme.org/ann')
  t.deepEqual(await found(digest(did), 1), ['registerWebDid'])
  t.is((await dids.remove(did)).status, 204)
  t.deepEqual(await found(digest(did), 2), ['deleteDid', 'registerWebDid'], 'a deleted DID too')
  t.deepEqual(await found(didId, 2), ['deleteDid', 'registerWebDid'])
  for (const { searchAttributes, workflowId } of await list(`ObjectIds = '${didId}'`))
    t.notRegex(JSON.stringify([searchAttributes, workflowId]), /people|acme|ann\b/, 'a DID may lead to a person')
})

test.serial('one run publishes the status lists of all windows, also after its worker has changed', async (t) => {
  const issuer = await createDid(world)
  t.true(await publishesAnew(world, issuer))
  const first = runOf(await until('the run', async () => runOf(await publishing()) !== undefined && publishing()))
  const { dependencies } = world
  const windows = async () => {
    const { events } = await dependencies.temporal.client.workflow
      .getHandle((await publishing())[0]?.workflowId ?? '')
      .fetchHistory()
    return (events ?? []).filter(({ timerFiredEventAttributes }) => timerFiredEventAttributes).length
  }
  await until('five windows', async () => (await windows()) >= 5)
  t.true(await publishesAnew(world, issuer))
  t.deepEqual(
    (await publishing()).map(({ runId }) => runId),
    first ? [first] : [],
    'no run per window',
  )

  const second = await startWorker({
    ...dependencies,
    activities: createActivities(dependencies, {}),
    jobs: scheduledJobs(),
  })
  await world.stopWorker()
  try {
    t.true(await publishesAnew(world, issuer))
    t.is(runOf(await publishing()), first)
    const { temporal } = dependencies
    await temporal.client.workflow.getHandle((await publishing())[0]?.workflowId ?? '').terminate('test')
    const schedule = temporal.client.schedule.getHandle('publish-status-lists')
    t.like((await schedule.describe()).spec.intervals?.[0], { every: 60_000 }, 'an end is noticed within a minute')
    await schedule.trigger('SKIP')
    t.true(await publishesAnew(world, issuer))
    await schedule.trigger('SKIP')
    t.is((await publishing()).length, 2, 'while one runs, none begins')
  } finally {
    await second.stop()
  }
})
