import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { createLogQueue, type QueuedEntry } from '../../activities/frame/log-queue.ts'
import { createApp } from '../../api/app.ts'
import { connect, type Sql } from '../../entities/orm.ts'
import { until } from '../support/credentials/dids.ts'
import { refusal } from '../support/credentials/templates.ts'
import { document } from '../support/frame/openapi.ts'
import { openDatabase, type TestDatabase } from '../support/parts/database.ts'
import { codeOf } from '../support/parts/keys.ts'
import { platformOf } from '../support/parts/platform.ts'
import { openWorld, send, type World } from '../support/world.ts'

let database: TestDatabase
test.before(async () => {
  database = await openDatabase(randomBytes(32))
})
test.after.always(() => database?.close())

const tenantId = randomUUID()

const entries = (count: number, more: Partial<QueuedEntry> = {}): QueuedEntry[] =>
  Array.from({ length: count }, () => ({
    id: randomUUID(),
    tenantId,
    category: 'did',
    type: 'DID_RETRIEVE_SUCCESS',
    timestamp: new Date(),
    requestId: randomUUID(),
    data: {},
    metadata: {},
    objectIds: [],
    ...more,
  }))

/** As the owner, who may take rights away and put constraints up. */
async function alter(statement: string, url = database.url) {
  const owner = await connect(url, 1)
  await owner.em.getConnection().execute(statement)
  await owner.close()
}

/** Ids of the written ones, in the order in which they were written. */
const written = async (asked: QueuedEntry[]): Promise<string[]> => {
  const { rows } = await database.systemSql.query<{ id: string }>({
    text: 'select id from logs where id = any($1) order by ctid',
    values: [asked.map(({ id }) => id)],
  })
  return rows.map(({ id }) => id)
}

const ids = (list: QueuedEntry[]) => list.map(({ id }) => id)

/** The system role of the test's database, by name. */
const systemRole = async (): Promise<string> => {
  const { rows } = await database.systemSql.query<{ name: string }>({ text: 'select current_user as name', values: [] })
  return `"${rows[0]?.name}"`
}

/** A process' own log, as objects. */
function ownLog() {
  const lines: Record<string, unknown>[] = []
  const log = pino(
    { level: 'warn' },
    { write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) },
  )
  return { log, lines }
}

/** Ids of the entries in lines of the process' own log. */
const named = (lines: Record<string, unknown>[]) =>
  lines.flatMap(({ entry }) => (entry ? [(entry as QueuedEntry).id] : []))

test.serial(
  'entries that could not be written are written later, all of them, once and in their order (D-003)',
  async (t) => {
    const { log, lines } = ownLog()
    const queue = createLogQueue(database.systemSql, log)
    const [before, after] = [entries(1_200), entries(300)]
    await alter(`revoke insert on logs from ${await systemRole()}`)
    for (const entry of before) queue.add(entry)
    for (let tries = 0; tries < 3; tries += 1) t.like(await t.throwsAsync(queue.flush()), { code: '42501' })
    await until('the process to tell', async () => lines.some(({ waiting }) => waiting === 1_200))
    t.deepEqual(await written(before), [])
    for (const entry of after) queue.add(entry)
    await t.throwsAsync(queue.flush())
    await alter(`grant insert on logs to ${await systemRole()}`)
    await until('the queue to try again by itself', async () => (await written(after)).length === 300, 10_000)
    t.deepEqual(await written([...before, ...after]), ids([...before, ...after]))
    await queue.close()
  },
)

test.serial('an insert whose answer is lost is repeated and adds nothing twice', async (t) => {
  let lost = 0
  const losing: Sql = {
    async query(query) {
      const answer = await database.systemSql.query(query)
      if (lost++ === 0) throw new Error('Connection terminated unexpectedly')
      return answer as never
    },
  }
  const queue = createLogQueue(losing, ownLog().log)
  const added = entries(700)
  for (const entry of added) queue.add(entry)
  await t.throwsAsync(queue.flush())
  await queue.close()
  t.is(lost, 3)
  t.deepEqual(await written(added), ids(added))
})

test.serial(
  'an entry that the database refuses holds up no other, and stands in the process’ own log (D-205)',
  async (t) => {
    const { log, lines } = ownLog()
    const queue = createLogQueue(database.systemSql, log)
    await alter(`alter table logs add constraint refused check (category <> 'refused') not valid`)
    const good = entries(700)
    const bad = entries(2, { category: 'refused' })
    const added = [
      ...good.slice(0, 123),
      ...bad.slice(0, 1),
      ...good.slice(123, 600),
      ...bad.slice(1),
      ...good.slice(600),
    ]
    for (const entry of added) queue.add(entry)
    await queue.flush()
    await alter('alter table logs drop constraint refused')
    t.deepEqual(await written(added), ids(good))
    t.deepEqual(named(lines), ids(bad))
    await queue.flush()
    await queue.close()
    t.is((await written(bad)).length, 0)
  },
)

test.serial(
  '10,000 entries may wait; beyond them an operation waits for room, or for the database’s refusal (D-003)',
  async (t) => {
    const queue = createLogQueue(database.systemSql, ownLog().log)
    await alter(`revoke insert on logs from ${await systemRole()}`)
    const added = entries(10_000)
    for (const entry of added.slice(0, 9_999)) queue.add(entry)
    t.is(queue.room(), undefined)
    for (const entry of added.slice(9_999)) queue.add(entry)
    const room = queue.room()
    t.truthy(room)
    t.is(await codeOf(Promise.resolve(room)), 'unavailable')
    const [late] = entries(1)
    if (late) queue.add(late) // of an operation that had begun before: nothing that was done is dropped
    await alter(`grant insert on logs to ${await systemRole()}`)
    await queue.room()
    t.is(queue.room(), undefined)
    await queue.close()
    t.is((await written([...added, ...(late ? [late] : [])])).length, 10_001)
  },
)

test.serial(
  'of entries that strangers cause the first is written at once, the others as one with their count',
  async (t) => {
    const queue = createLogQueue(database.systemSql, ownLog().log, { gatherMs: 300 })
    const all = entries(1_000, { metadata: { clientId: 'c' } })
    const [first, other] = [all[0], entries(1)]
    for (const entry of all) queue.gather('client', entry)
    for (const entry of other) queue.gather('another client', entry)
    await queue.flush()
    t.deepEqual(await written([...all, ...other]), ids([...(first ? [first] : []), ...other]))
    const last = all.at(-1)
    await until('the others', async () => (await written(all)).length === 2)
    t.deepEqual(await written(all), ids([first, last].filter((entry) => entry !== undefined)))
    const { rows } = await database.systemSql.query<{ metadata: object }>({
      text: 'select metadata from logs where id = $1',
      values: [last?.id],
    })
    t.deepEqual(rows, [{ metadata: { clientId: 'c', count: 999 } }])
    const more = entries(5)
    for (const entry of more) queue.gather('client', entry)
    await queue.flush()
    t.deepEqual(await written(more), [], 'while they go on, none is the first')
    await queue.close()
    t.deepEqual(await written(more), ids(more.slice(-1)), 'and none is lost at the end of the process')
  },
)

test.serial('an entry after the end stands in the process’ own log, and keeps nothing running', async (t) => {
  const { log, lines } = ownLog()
  const queue = createLogQueue(database.systemSql, log)
  const [first, late, gathered] = [entries(1), entries(2), entries(3)]
  for (const entry of first) queue.add(entry)
  await queue.close()
  t.deepEqual(await written(first), ids(first))
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  for (const entry of late) queue.add(entry)
  for (const entry of gathered) queue.gather('client', entry)
  t.is(timers(), before)
  t.deepEqual(named(lines), ids([...late, ...gathered]))
})

test.serial('entries that the database does not take at the end stand in the process’ own log', async (t) => {
  const { log, lines } = ownLog()
  const away: Sql = { query: () => Promise.reject(new Error('Connection terminated unexpectedly')) }
  const queue = createLogQueue(away, log)
  const added = entries(3)
  for (const entry of added) queue.add(entry)
  await t.throwsAsync(queue.close(), { message: 'Connection terminated unexpectedly' })
  t.deepEqual(named(lines), ids(added))
})

/** An API in this process with a log of its own. */
async function openApi(world: World, roomFor: number) {
  const logs = createLogQueue(world.dependencies.systemSql, ownLog().log, { roomFor })
  const dependencies = { ...world.dependencies, logs }
  const { pool } = world.dependencies
  const openApi = document as unknown as Parameters<typeof createApp>[0]['openApi']
  const registry = new Registry()
  const app = createApp({ dependencies, platform: platformOf(world), pool, registry, openApi, stopping: () => false })
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    logs,
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await logs.close()
    },
  }
}

test.serial(
  'while the log is full an operation is 503 and not begun; it goes on by itself when the log does (D-205)',
  async (t) => {
    const world = await openWorld()
    t.teardown(world.close)
    const api = await openApi(world, 5)
    t.teardown(api.close)
    const { token } = world
    const body = { method: 'KEY', options: {} }
    const count = async () =>
      (
        await world.dependencies.systemSql.query<{ dids: number; logs: number }>({
          text: 'select (select count(*)::int from dids) as dids, (select count(*)::int from logs) as logs',
          values: [],
        })
      ).rows[0]
    const { rows } = await world.dependencies.systemSql.query<{ name: string }>({
      text: 'select current_user as name',
      values: [],
    })
    const role = `"${rows[0]?.name}"`
    await alter(`revoke insert on logs from ${role}`, world.config.database.url)
    const before = await count()
    for (let read = 0; read < 5; read += 1) t.is((await send(`${api.url}/v1/dids`, { token })).status, 200)
    await wait(50) // entries are added once an answer has gone
    for (const ask of [{ token, body }, { token }]) {
      const refused = await send(`${api.url}/v1/dids`, ask)
      t.is(refusal(refused, 503), 'database.unavailable')
      t.is(refused.headers.get('retry-after'), '5')
    }
    t.is((await send(`${api.url}/.well-known/jwks.json`, {})).status, 200, 'what is not logged goes on')
    t.deepEqual(await count(), before)
    await alter(`grant insert on logs to ${role}`, world.config.database.url)
    t.is((await send(`${api.url}/v1/dids`, { token, body })).status, 201)
    await api.logs.flush()
    t.deepEqual(await count(), { dids: (before?.dids ?? 0) + 1, logs: (before?.logs ?? 0) + 6 }, 'five reads, one DID')
  },
)

test.serial(
  'what failed while the database was stopped is in the log when it is back, request by request (D-003)',
  async (t) => {
    const world = await openWorld()
    t.teardown(world.close)
    const { token } = world
    t.is((await world.ask('/v1/dids', { token })).status, 200)
    await world.stopDatabase()
    const asked = Array.from({ length: 20 }, () => randomUUID())
    for (const id of asked) t.is((await world.ask('/v1/dids', { token, headers: { 'x-request-id': id } })).status, 503)
    await world.startDatabase()
    const found = async () => {
      const filter = { categories: [], types: ['DID_RETRIEVE_LIST_FAIL'], ids: [], requestIds: asked }
      const range = { dateFrom: '2020-01-01T00:00:00Z', dateTo: '2999-01-01T00:00:00Z' }
      const reply = await world.ask('/v1/analytics/events?limit=1000', { token, body: { ...filter, ...range } })
      return reply.status === 200 && reply.json<{ data: { requestId: string }[] }>().data
    }
    const data = await until('the log', found)
    t.deepEqual(data.map(({ requestId }) => requestId).sort(), asked.toSorted())
  },
)
