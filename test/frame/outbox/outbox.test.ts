import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { pino } from 'pino'
import { createRelay, type RelayDependencies } from '../../../activities/frame/outbox.relay.ts'
import { createOutboxRows, MAX_PAYLOAD_BYTES } from '../../../activities/frame/outbox.ts'
import { registerSearchAttributes } from '../../../activities/frame/temporal/registration.ts'
import type { WorkflowStart } from '../../../activities/frame/temporal/starts.ts'
import { inTenant } from '../../../entities/orm.ts'
import { Refusal, Unavailable } from '../../../protocol/errors.ts'
import { openDatabase, type TestDatabase } from '../../support/parts/database.ts'
import { openTemporal, type TestTemporal } from '../../support/parts/temporal.ts'

const masterKey = randomBytes(32)
const outbox = createOutboxRows(masterKey)
const log = pino({ level: 'silent' })
let database: TestDatabase
let world: TestTemporal

test.before(async () => {
  ;[database, world] = await Promise.all([openDatabase(masterKey), openTemporal(masterKey)])
  await registerSearchAttributes(world.temporal)
})

test.after.always(async () => {
  await world?.close()
  await database?.close()
})

test.afterEach.always(() => database.systemSql.query({ text: 'delete from outbox', values: [] }))

const startOf = (tenantId: string = randomUUID()): WorkflowStart => {
  const objectId = randomUUID()
  const workflowId = `${tenantId}/dids/${objectId}`
  return { tenantId, area: 'dids', objectId, summary: 'Test', workflowType: 'tick', workflowId, payload: { objectId } }
}

const commit = async (start: WorkflowStart): Promise<WorkflowStart> => {
  await inTenant(database.tenants, start.tenantId, (em) => outbox.write(em, start))
  return start
}

const commitMany = (count: number) => Promise.all(Array.from({ length: count }, () => commit(startOf())))

const relay = (changes: Partial<RelayDependencies> = {}) =>
  createRelay({ sql: database.systemSql, temporal: world.temporal, outbox, log, ...changes })

interface State {
  waiting: number
  started: number
}

const state = async (): Promise<State> => {
  const text =
    'select count(*) filter (where started_at is null)::int as waiting, count(started_at)::int as started from outbox'
  const { rows } = await database.systemSql.query<State>({ text, values: [] })
  return rows[0] ?? { waiting: -1, started: -1 }
}

const settled = async (limitMs: number): Promise<State> => {
  const until = Date.now() + limitMs
  while ((await state()).waiting > 0 && Date.now() < until) await wait(50)
  return state()
}

/** What rows that wait say of it. */
const reasons = async (): Promise<string> => {
  const text = 'select distinct last_error from outbox where started_at is null'
  return JSON.stringify((await database.systemSql.query<{ last_error: string }>({ text, values: [] })).rows)
}

/** Runs that Temporal knows under one id: the workflow started once, however often it was asked for. */
const runsOf = async ({ workflowId }: WorkflowStart): Promise<number> => {
  let runs = 0
  for await (const _run of world.temporal.client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) runs += 1
  return runs
}

const visible = async (start: WorkflowStart): Promise<void> => {
  for (let tries = 0; tries < 100 && (await runsOf(start)) === 0; tries += 1) await wait(50)
}

test.serial('what transactions committed is started once each, however many relays run', async (t) => {
  const starts = await commitMany(120)
  const asked: string[] = []
  const counting = {
    async startWorkflow({ workflowId }: WorkflowStart) {
      asked.push(workflowId)
      await wait(20)
      return 'started' as const
    },
  }
  const relays = [1, 2, 3].map(() => relay({ temporal: counting }))
  for (const each of relays) each.start()
  t.deepEqual(await settled(10_000), { waiting: 0, started: 120 })
  await Promise.all(relays.map((each) => each.stop()))
  t.deepEqual(asked.toSorted(), starts.map(({ workflowId }) => workflowId).toSorted())
})

test.serial('a committed row becomes a workflow with its search attributes', async (t) => {
  const start = await commit(startOf())
  t.deepEqual(await relay().runOnce(), { taken: 1, started: 1, away: false })
  const description = await world.temporal.client.workflow.getHandle(start.workflowId).describe()
  t.is(description.type, 'tick')
  const attributes = description.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value])
  t.like(Object.fromEntries(attributes), { TenantId: start.tenantId, ObjectId: start.objectId, Summary: 'Test' })
})

test.serial('what a transaction rolled back is never started', async (t) => {
  const start = startOf()
  await t.throwsAsync(
    inTenant(database.tenants, start.tenantId, async (em) => {
      await outbox.write(em, start)
      throw new Error('the caller failed')
    }),
  )
  t.deepEqual(await relay().runOnce(), { taken: 0, started: 0, away: false })
})

test.serial('a crash after the start and before the mark starts nothing twice', async (t) => {
  const start = await commit(startOf())
  const broken: RelayDependencies['sql'] = {
    query: (query) =>
      query.text.includes('started_at = now()')
        ? Promise.reject(new Error('killed here'))
        : database.systemSql.query(query),
  }
  await t.throwsAsync(relay({ sql: broken }).runOnce())
  t.deepEqual(await state(), { waiting: 1, started: 0 })
  await visible(start)

  const next = relay()
  next.start()
  t.deepEqual(await settled(10_000), { waiting: 0, started: 1 }) // the lease of the crashed relay ends by itself
  await next.stop()
  t.is(await runsOf(start), 1)
})

test.serial('a crash before the start loses nothing: another relay takes over within 10 s', async (t) => {
  await commit(startOf())
  const dead = { startWorkflow: () => new Promise<never>(() => undefined) }
  void relay({ temporal: dead }).runOnce()
  await wait(200)
  const next = relay()
  next.start()
  t.deepEqual(await settled(10_000), { waiting: 0, started: 1 })
  await next.stop()
})

test.serial('the second request with the same workflow id changes nothing', async (t) => {
  const start = startOf()
  await Promise.all([commit(start), commit(start), commit({ ...start, payload: { other: true } })])
  t.deepEqual(await state(), { waiting: 1, started: 0 })
})

test.serial('while Temporal is away rows wait, and are started within 10 s of its return', async (t) => {
  const running = relay()
  running.start()
  await world.stopServer()
  try {
    await commitMany(30)
    await wait(3_000)
    t.deepEqual(await state(), { waiting: 30, started: 0 })
  } finally {
    await world.startServer()
  }
  const recovered = await settled(10_000)
  await running.stop()
  t.deepEqual(recovered, { waiting: 0, started: 30 }, await reasons())
})

test.serial('while Temporal is away one row asks for all, and no row is held back for it', async (t) => {
  await commitMany(5)
  let calls = 0
  const away = {
    startWorkflow: () => {
      calls += 1
      return Promise.reject(new Unavailable('temporal', 'away'))
    },
  }
  const running = relay({ temporal: away })
  running.start()
  await wait(1_800)
  await running.stop()
  t.true(calls > 5 && calls <= 8, `${calls} calls: one batch, then one row at a time`)
  t.deepEqual(await relay().runOnce(), { taken: 5, started: 5, away: false })
})

test.serial('a Temporal that is slow is asked for what it answers in time, and not left alone', async (t) => {
  await commitMany(40)
  let inHand = 0
  const most: number[] = []
  const slow = {
    async startWorkflow() {
      inHand += 1
      most.push(inHand)
      const tooMany = inHand > 6
      await wait(50)
      inHand -= 1
      if (tooMany) throw new Unavailable('temporal', 'deadline exceeded')
      return 'started' as const
    },
  }
  const running = relay({ temporal: slow })
  running.start()
  t.deepEqual(await settled(5_000), { waiting: 0, started: 40 })
  await running.stop()
  t.true(most.length < 80, `${most.length} calls for 40 rows`)
})

test.serial('a row that cannot be started waits alone, with its reason, and the others go on', async (t) => {
  const [bad] = await commitMany(3)
  await database.systemSql.query({
    text: `update outbox set payload = '\\x00' where workflow_id = $1`,
    values: [bad?.workflowId],
  })
  const { taken, started, away } = await relay().runOnce()
  t.deepEqual({ taken, started, away }, { taken: 3, started: 2, away: false })
  const { rows } = await database.systemSql.query<{ last_error: string; later: boolean }>({
    text: "select last_error, next_attempt_at > now() + interval '1 second' as later from outbox where started_at is null",
    values: [],
  })
  t.is(rows.length, 1)
  t.truthy(rows[0]?.last_error)
  t.true(rows[0]?.later)
})

test.serial('a payload rests encrypted and opens with its own row alone', async (t) => {
  const start = await commit({ ...startOf(), payload: { words: 'canary-in-the-outbox' } })
  const { rows } = await database.systemSql.query<{ payload: Buffer }>({
    text: 'select payload from outbox',
    values: [],
  })
  const payload = rows[0]?.payload
  if (!payload) return t.fail('no row')
  t.false(payload.includes('canary'))
  t.deepEqual(outbox.open({ ...start, payload }), { words: 'canary-in-the-outbox' })
  t.throws(() => outbox.open({ ...start, tenantId: randomUUID(), payload }))
  t.throws(() => outbox.open({ ...start, workflowId: 'other', payload }))
})

test.serial('a payload that Temporal would refuse is refused before the commit', async (t) => {
  const tooLarge = { ...startOf(), payload: randomBytes(MAX_PAYLOAD_BYTES).toString('base64') }
  const error = await t.throwsAsync(commit(tooLarge), { instanceOf: Refusal })
  t.is(error?.code, 'workflow.payload_too_large')
  t.deepEqual(await state(), { waiting: 0, started: 0 })

  const large = await commit({ ...startOf(), payload: randomBytes(1_000_000).toString('base64') })
  t.deepEqual(await relay().runOnce(), { taken: 1, started: 1, away: false })
  await visible(large)
  t.is(await runsOf(large), 1)
})

test.serial('a tenant writes rows of its own alone', async (t) => {
  const foreign = startOf()
  await t.throwsAsync(inTenant(database.tenants, randomUUID(), (em) => outbox.write(em, foreign)))
  t.deepEqual(await state(), { waiting: 0, started: 0 })
})
