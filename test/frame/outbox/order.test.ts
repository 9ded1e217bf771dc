import { randomBytes, randomUUID } from 'node:crypto'
import test from 'ava'
import { pino } from 'pino'
import { createRelay, type RelayDependencies } from '../../../activities/frame/outbox.relay.ts'
import { createOutboxRows } from '../../../activities/frame/outbox.ts'
import type { WorkflowStart } from '../../../activities/frame/temporal/starts.ts'
import { inTenant } from '../../../entities/orm.ts'
import { Unavailable } from '../../../protocol/errors.ts'
import { openDatabase, type TestDatabase } from '../../support/parts/database.ts'

const masterKey = randomBytes(32)
const outbox = createOutboxRows(masterKey)
const log = pino({ level: 'silent' })
const tenantId = randomUUID()
let database: TestDatabase

test.before(async () => {
  database = await openDatabase(masterKey)
})
test.after.always(() => database?.close())
test.afterEach.always(() => run('delete from outbox'))

const run = async <Row extends object>(text: string, ...values: unknown[]) =>
  (await database.systemSql.query<Row>({ text, values })).rows

/** Commits a row of the one tenant that is due since so many seconds; its workflow id. */
async function commit(dueSeconds: number): Promise<string> {
  const objectId = randomUUID()
  const workflowId = `${tenantId}/dids/${objectId}`
  const start = { tenantId, area: 'dids', objectId, summary: 'Test', workflowType: 'tick', workflowId, payload: null }
  await inTenant(database.tenants, tenantId, (em) => outbox.write(em, start))
  await due(workflowId, dueSeconds)
  return workflowId
}

const due = (workflowId: string, seconds: number) =>
  run(
    'update outbox set next_attempt_at = now() - make_interval(secs => $2) where workflow_id = $1',
    workflowId,
    seconds,
  )

interface Row {
  attempts: number
  /** Seconds of the database's clock. */
  next: number
  error: string | null
  started: Date | null
}

async function rowOf(workflowId: string): Promise<Row> {
  const [row] = await run<Row>(
    `select attempts, extract(epoch from next_attempt_at)::float as next, last_error as error,
      started_at as started from outbox where workflow_id = $1`,
    workflowId,
  )
  if (!row) throw new Error(`no row ${workflowId}`)
  return row
}

/** Seconds of the database's clock, which all relays share. */
const clock = async () => (await run<{ now: number }>('select extract(epoch from now())::float as now'))[0]?.now ?? 0

/** How long a row waits after `work`: at least and at most, however slow the machine is. */
async function waitAfter(workflowId: string, work: () => Promise<unknown>) {
  const before = await clock()
  await work()
  const { next } = await rowOf(workflowId)
  return { atLeast: next - (await clock()), atMost: next - before }
}

type StartWorkflow = RelayDependencies['temporal']['startWorkflow']

const relay = (startWorkflow: StartWorkflow) =>
  createRelay({ sql: database.systemSql, temporal: { startWorkflow }, outbox, log })

/** A Temporal that starts all, and the workflow ids that it was asked for. */
function starting() {
  const asked: string[] = []
  const startWorkflow = async ({ workflowId }: WorkflowStart) => {
    asked.push(workflowId)
    return 'started' as const
  }
  return { asked, startWorkflow }
}

/** A relay that has claimed its rows and waits for Temporal until the test settles the answer. */
function held() {
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<'started'>()]
  const { runOnce } = relay(async () => {
    asked.resolve()
    return answer.promise
  })
  let batch: Promise<unknown> = Promise.resolve()
  return {
    async claim(): Promise<void> {
      batch = runOnce()
      await asked.promise
    },
    answer,
    ended: () => batch,
  }
}

test.serial('of one tenant the rows that are due longest are started first', async (t) => {
  const seconds = Array.from({ length: 40 }, (_, index) => 60 + ((index * 7) % 40)) // committed in another order
  const rows: { workflowId: string; age: number }[] = []
  for (const age of seconds) rows.push({ workflowId: await commit(age), age })
  let left = rows.toSorted((one, other) => other.age - one.age).map(({ workflowId }) => workflowId)
  const { asked, startWorkflow } = starting()
  const { runOnce } = relay(startWorkflow)
  const first = await runOnce()
  t.true(first.taken > 0 && first.taken < rows.length, 'all at once would show no order')
  for (let { taken } = first; taken > 0; { taken } = await runOnce()) {
    t.deepEqual(asked.splice(0).toSorted(), left.slice(0, taken).toSorted())
    left = left.slice(taken)
  }
  t.deepEqual(left, [])
})

test.serial('a row is not started before it is due, and not again once it is started', async (t) => {
  const [early, late] = [await commit(1), await commit(-600)]
  const { asked, startWorkflow } = starting()
  const { runOnce } = relay(startWorkflow)
  t.like(await runOnce(), { taken: 1, started: 1 })
  await due(early, 600)
  t.like(await runOnce(), { taken: 0 })
  await due(late, 0)
  t.like(await runOnce(), { taken: 1, started: 1 })
  t.deepEqual(asked, [early, late])
})

test.serial('a relay holds the rows in hand for its lease; another one takes them over after it', async (t) => {
  const workflowId = await commit(60)
  const slow = held()
  const { atLeast, atMost } = await waitAfter(workflowId, slow.claim)
  t.true(atMost > 2.5, `${atMost} s: no shorter than the deadline of a start`)
  t.true(atLeast <= 10, `${atLeast} s: taken over within 10 s of a crash`)
  t.like(await rowOf(workflowId), { attempts: 1, error: null, started: null })
  await due(workflowId, 0)
  t.like(await relay(starting().startWorkflow).runOnce(), { taken: 1, started: 1 })
  slow.answer.resolve('started')
  await slow.ended()
})

test.serial('each attempt is counted, and a row that fails waits twice as long, up to ten minutes', async (t) => {
  const workflowId = await commit(60)
  const { runOnce } = relay(() => Promise.reject(new Error('refused')))
  const failsAt = async (attempts: number, seconds: number) => {
    const { atLeast, atMost } = await waitAfter(workflowId, async () => {
      t.deepEqual(await runOnce(), { taken: 1, started: 0, away: false })
    })
    t.like(await rowOf(workflowId), { attempts, error: 'refused', started: null })
    t.true(atLeast <= seconds && seconds <= atMost, `attempt ${attempts}: ${atLeast} to ${atMost} s`)
    await due(workflowId, 0)
  }
  await failsAt(1, 2)
  await failsAt(2, 4)
  await failsAt(3, 8)
  await run('update outbox set attempts = 8 where workflow_id = $1', workflowId)
  await failsAt(9, 512)
  await failsAt(10, 600)
  await failsAt(11, 600)
})

test.serial('while Temporal is away no attempt is counted, and a row is due at once', async (t) => {
  const workflowId = await commit(60)
  const { runOnce } = relay(() => Promise.reject(new Unavailable('temporal', 'away')))
  for (let look = 0; look < 3; look++) {
    t.deepEqual(await runOnce(), { taken: 1, started: 0, away: true })
    const row = await rowOf(workflowId)
    t.like(row, { attempts: 0, error: 'away', started: null })
    t.true(row.next <= (await clock()))
  }
})

test.serial('a relay whose lease ran out changes nothing of a row that another one started', async (t) => {
  for (const outcome of ['started', 'failed', 'away']) {
    const workflowId = await commit(60)
    const slow = held()
    await slow.claim()
    await due(workflowId, 0)
    t.like(await relay(starting().startWorkflow).runOnce(), { taken: 1, started: 1 }, outcome)
    const before = await run('select * from outbox where workflow_id = $1', workflowId)
    if (outcome === 'started') slow.answer.resolve('started')
    else slow.answer.reject(outcome === 'away' ? new Unavailable('temporal', 'away') : new Error('refused'))
    await slow.ended()
    t.deepEqual(await run('select * from outbox where workflow_id = $1', workflowId), before, outcome)
  }
})

test.serial('a row that was started after a failure says nothing of the failure any more', async (t) => {
  const workflowId = await commit(60)
  await relay(() => Promise.reject(new Error('refused'))).runOnce()
  await due(workflowId, 0)
  await relay(starting().startWorkflow).runOnce()
  const row = await rowOf(workflowId)
  t.like(row, { attempts: 2, error: null })
  t.truthy(row.started)
})

test.serial('a row that another transaction holds does not hold up the others', async (t) => {
  const [oldest, next] = [await commit(120), await commit(60)]
  const { asked, startWorkflow } = starting()
  await database.system.em.fork().transactional(async (em) => {
    await em.execute('select 1 from outbox where workflow_id = ? for update', [oldest])
    t.like(await relay(startWorkflow).runOnce(), { taken: 1, started: 1 })
  })
  t.like(await relay(startWorkflow).runOnce(), { taken: 1, started: 1 })
  t.deepEqual(asked, [next, oldest])
})
