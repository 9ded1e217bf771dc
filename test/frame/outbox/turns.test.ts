import { randomBytes, randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import test from 'ava'
import { pino } from 'pino'
import { createRelay } from '../../../activities/frame/outbox.relay.ts'
import { Unavailable } from '../../../protocol/errors.ts'
import { until } from '../../support/credentials/dids.ts'
import { openDatabase, type TestDatabase } from '../../support/parts/database.ts'

let database: TestDatabase
test.before(async () => {
  database = await openDatabase(randomBytes(32))
})
test.after.always(() => database?.close())
test.afterEach.always(() => database.systemSql.query({ text: 'delete from outbox', values: [] }))

/** The tenant with the most rows stands between two others, in the order of their ids. */
const [BEFORE, MANY, AFTER] = [
  '22222222-2222-4222-8222-222222222222',
  '44444444-4444-4444-8444-444444444444',
  '77777777-7777-4777-8777-777777777777',
] as const

/** So many rows of a tenant, due since or in so many seconds. */
const fill = (tenantId: string, rows: number, dueInSeconds = 0) =>
  database.systemSql.query({
    text: `insert into outbox (id, tenant_id, area, object_id, workflow_type, workflow_id, summary, payload, next_attempt_at)
      select gen_random_uuid(), $1, 'dids', 'object', 'tick', gen_random_uuid(), 'Test', '', now() + make_interval(secs => $3)
      from generate_series(1, $2)`,
    values: [tenantId, rows, dueInSeconds],
  })

/** A relay, and the tenants of the rows that it has started, in their order. */
function openRelay() {
  const started: string[] = []
  const statements: { text: string; values: unknown[] }[] = []
  const relay = createRelay({
    sql: {
      query(query) {
        statements.push(query)
        return database.systemSql.query(query)
      },
    },
    temporal: {
      async startWorkflow({ tenantId }) {
        started.push(tenantId)
        return 'started'
      },
    },
    outbox: { open: () => null },
    log: pino({ level: 'silent' }),
  })
  return { ...relay, started, statements }
}

test.serial('a row is started in the first batch, although another tenant has 10,000 older ones (D-201)', async (t) => {
  await fill(MANY, 10_000, -60)
  for (const tenant of [BEFORE, AFTER]) await fill(tenant, 1)
  const relay = openRelay()
  await relay.runOnce()
  t.deepEqual(new Set(relay.started), new Set([BEFORE, MANY, AFTER]))
  t.is(relay.started.length, 16, 'what others leave is taken by who has more')
})

test.serial('every tenant has its turn, however many there are (D-201)', async (t) => {
  const tenants = Array.from({ length: 50 }, () => randomUUID())
  for (const tenant of tenants) await fill(tenant, 20)
  const relay = openRelay()
  for (let batch = 0; batch < 4; batch++) await relay.runOnce()
  t.is(new Set(relay.started).size, 50)
  for (let batch = 0; batch < 58; batch++) await relay.runOnce()
  const counts = tenants.map((tenant) => relay.started.filter((each) => each === tenant).length)
  t.true(Math.max(...counts) - Math.min(...counts) <= 2, counts.join(' '))
})

test.serial('a batch goes on with the tenant after the last one (D-201)', async (t) => {
  const tenants = Array.from({ length: 10 }, () => randomUUID())
  for (const tenant of tenants) await fill(tenant, 40)
  const relay = openRelay()
  for (let batch = 0; batch < 10; batch++) await relay.runOnce()
  t.deepEqual(new Set(tenants.map((tenant) => relay.started.filter((each) => each === tenant).length)), new Set([16]))
})

test.serial('a tenant alone has all turns', async (t) => {
  await fill(MANY, 40)
  const relay = openRelay()
  for (let batch = 0; batch < 3; batch++) await relay.runOnce()
  t.is(relay.started.length, 40)
})

test.serial('tenants whose rows wait for later hide nobody whose rows are due (D-201)', async (t) => {
  const last = 'ffffffff-ffff-4fff-bfff-ffffffffffff' // more tenants stand before it than one look takes in
  for (let nth = 0; nth < 150; nth++) await fill(randomUUID(), 1, 600)
  await fill(last, 1)
  const relay = openRelay()
  for (let look = 0; look < 4; look++) await relay.runOnce()
  t.deepEqual(relay.started, [last])
})

test.serial('once Temporal is back the relay asks for as many rows at a time as before', async (t) => {
  await fill(MANY, 200)
  const [batch, oneForAll] = [16, 1]
  let [asked, started, inHand, most] = [0, 0, 0, 0]
  const relay = createRelay({
    sql: database.systemSql,
    temporal: {
      async startWorkflow() {
        asked += 1
        if (asked <= batch + oneForAll) throw new Unavailable('temporal', 'away')
        inHand += 1
        most = Math.max(most, inHand)
        await turn()
        inHand -= 1
        started += 1
        return 'started'
      },
    },
    outbox: { open: () => null },
    log: pino({ level: 'silent' }),
  })
  relay.start()
  await until('every row to be started', async () => started === 200).finally(relay.stop)
  t.is(most, batch)
})

test.serial('among 100,000 rows the next ones are found without reading the others (D-201)', async (t) => {
  await fill(MANY, 50_000)
  for (let nth = 0; nth < 100; nth++) await fill(randomUUID(), 500)
  const relay = openRelay()
  await relay.runOnce()
  const claim = relay.statements[0]
  const { rows } = await database.systemSql.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>({
    text: `explain (analyze, buffers, timing off, format json) ${claim?.text}`,
    values: claim?.values ?? [],
  })
  const plan = rows[0]?.['QUERY PLAN'][0].Plan
  const pages = Number(plan?.['Shared Hit Blocks']) + Number(plan?.['Shared Read Blocks'])
  t.log(`${pages} pages`)
  t.true(pages > 0 && pages < 2_000)
})
