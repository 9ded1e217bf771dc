import test from 'ava'
import { createPurge } from '../../../activities/administration/purge.ts'
import { createPlatform } from '../../../activities/index.ts'
import { KEPT_COUNT_DAYS } from '../../../activities/tokens-logs/logs/counts.ts'
import { type Logs, logsOf } from '../../support/log-chain.ts'
import { openWorld, type World } from '../../support/world.ts'

const HOUR_MS = 3_600_000

let world: World
let logs: Logs
test.before(async () => {
  world = await openWorld()
  logs = logsOf(world)
})
test.after.always(() => world?.close())

interface Counts {
  hours: string[]
  data: { name: string; succeeded: number; failed: number; hourly: { succeeded: number[]; failed: number[] } }[]
}

const askCounts = (token: string, query = '') => world.ask(`/v1/analytics/events/counts${query}`, { token })

async function countsOf(token: string, query = ''): Promise<Counts> {
  const reply = await askCounts(token, query)
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.json<Counts & Record<string, unknown>>()
}

const ofKind = ({ data }: Counts, name: string) => data.find((each) => each.name === name)

/** Entries so many hours ago, in the middle of the hour. */
const write = (tenantId: string, type: string, hoursAgo: number, count: number) =>
  logs.ask(
    `insert into logs (id, tenant_id, category, type, timestamp, request_id, data, metadata)
     select gen_random_uuid(), $1, 'did', $2, date_trunc('hour', now(), 'UTC') - make_interval(hours => $3)
       + interval '1 minute', gen_random_uuid(), '{}', '{}' from generate_series(1, $4)`,
    [tenantId, type, hoursAgo, count],
  )

test.serial(
  'every hour of the last 24 is there, with what succeeded and failed, before and after it is chained',
  async (t) => {
    const client = await world.addTenant()
    const token = await world.tokenOf(client)
    await write(client.tenantId, 'DID_CREATE_SUCCESS', 0, 2)
    await write(client.tenantId, 'DID_CREATE_FAIL', 3, 1)
    await write(client.tenantId, 'DID_CREATE_SUCCESS', 23, 4)
    await write(client.tenantId, 'DID_CREATE_SUCCESS', 24, 8)
    const look = async () => {
      const counts = await countsOf(token)
      t.is(counts.hours.length, 24)
      const present = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
      t.is(counts.hours.at(-1), new Date(present).toISOString())
      t.is(counts.hours.at(0), new Date(present - 23 * HOUR_MS).toISOString())
      const kind = ofKind(counts, 'DID_CREATE')
      t.like(kind, { succeeded: 6, failed: 1 })
      t.deepEqual(kind?.hourly.succeeded, [4, ...new Array(22).fill(0), 2])
      t.deepEqual(kind?.hourly.failed, [...new Array(20).fill(0), 1, 0, 0, 0])
    }
    await look()
    await logs.ask('select chain_log_entries(6)')
    await look()
    await logs.settle()
    await look()
    await write(client.tenantId, 'DID_CREATE_SUCCESS', 1, 1)
    await logs.settle()
    t.is(ofKind(await countsOf(token), 'DID_CREATE')?.succeeded, 7)
  },
)

test.serial('a span is of whole hours; another tenant counts for nothing', async (t) => {
  const client = await world.addTenant()
  const stranger = await world.addTenant()
  const token = await world.tokenOf(client)
  await write(client.tenantId, 'DID_CREATE_SUCCESS', 30, 3)
  for (const hours of [0, 30]) await write(stranger.tenantId, 'DID_DELETE_SUCCESS', hours, 5)
  for (const chained of [false, true]) {
    if (chained) await logs.settle()
    const at = new Date(Date.now() - 30 * HOUR_MS).toISOString()
    const one = await countsOf(token, `?dateFrom=${at}&dateTo=${at}`)
    t.is(one.hours.length, 1)
    t.deepEqual(ofKind(one, 'DID_CREATE')?.hourly, { succeeded: [3], failed: [0] })
    t.is(ofKind(one, 'DID_DELETE'), undefined)
    t.is(ofKind(await countsOf(token), 'DID_DELETE'), undefined)
  }
})

test.serial('a request that was answered a moment ago is counted already', async (t) => {
  const token = await world.tokenOf(await world.addTenant())
  for (let nth = 1; nth <= 5; nth++) {
    t.is((await world.ask('/v1/dids', { token })).status, 200)
    t.is(ofKind(await countsOf(token), 'DID_RETRIEVE_LIST')?.succeeded, nth)
  }
})

test.serial('a span of 168 hours is the longest', async (t) => {
  const token = await world.tokenOf(await world.addTenant())
  const dateTo = new Date().toISOString()
  const since = (hours: number) => new Date(Date.parse(dateTo) - hours * HOUR_MS).toISOString()
  t.is((await countsOf(token, `?dateTo=${dateTo}&dateFrom=${since(167)}`)).hours.length, 168)
  t.is((await askCounts(token, `?dateTo=${dateTo}&dateFrom=${since(168)}`)).status, 400)
})

test.serial('a span begins at most 30 days ago', async (t) => {
  const token = await world.tokenOf(await world.addTenant())
  const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString()
  t.is((await askCounts(token, `?dateFrom=${ago(30 * 24 - 1)}&dateTo=${ago(30 * 24 - 1)}`)).status, 200)
  t.is((await askCounts(token, `?dateFrom=${ago(30 * 24 + 1)}&dateTo=${ago(30 * 24 + 1)}`)).status, 400)
})

test.serial('a span that is too long, too old, ahead or none is refused with what was expected', async (t) => {
  const token = await world.tokenOf(await world.addTenant())
  const ago = (days: number) => new Date(Date.now() - days * 24 * HOUR_MS).toISOString()
  const wrong: [query: string, path: string, code: string][] = [
    [`?dateFrom=${ago(8)}`, 'dateFrom', 'range'],
    [`?dateFrom=${ago(40)}&dateTo=${ago(39)}`, 'dateFrom', 'range'],
    [`?dateTo=${ago(39)}`, 'dateTo', 'range'],
    [`?dateTo=${ago(-3)}&dateFrom=${ago(1)}`, 'dateTo', 'range'],
    [`?dateFrom=${ago(1)}&dateTo=${ago(2)}`, 'dateTo', 'range'],
    ['?dateTo=9999-12-31T23:59:59Z', 'dateTo', 'range'],
    ['?dateFrom=0001-01-01T00:00:00Z', 'dateFrom', 'range'],
  ]
  for (const [query, path, code] of wrong) {
    const reply = await askCounts(token, query)
    t.is(reply.status, 400, query)
    t.like(reply.json<{ errors: object[] }>().errors[0], { path, code }, query)
  }
  for (const value of ['', 'yesterday', '2027-02-30T00:00:00Z', '2027-01-01', "'; drop table logs; --", '%00', '1e99'])
    t.is((await askCounts(token, `?dateFrom=${encodeURIComponent(value)}`)).status, 400, value)
  t.is((await world.ask('/v1/analytics/events/counts')).status, 401)
})

test.serial(
  'counts of entries that retention has removed stay, and go when they are too old to be asked for',
  async (t) => {
    const client = await world.addTenant()
    const token = await world.tokenOf(client)
    await write(client.tenantId, 'DID_CREATE_SUCCESS', 2, 3)
    await write(client.tenantId, 'DID_CREATE_SUCCESS', (KEPT_COUNT_DAYS + 1) * 24, 1)
    await write(client.tenantId, 'DID_CREATE_SUCCESS', 29 * 24, 5)
    await logs.settle()
    const kept = () =>
      logs.ask<{ count: string }>(
        `select sum(count) as count from log_counts where tenant_id = $1 and type = 'DID_CREATE_SUCCESS'`,
        [client.tenantId],
      )
    t.deepEqual(await kept(), [{ count: '9' }])
    const parts = { ...world.dependencies, ...createPlatform(world.dependencies) }
    t.true((await createPurge(parts).purgeExpiredRows()).logCounts > 0)
    t.deepEqual(await kept(), [{ count: '8' }], 'what may be asked for stays')
    t.is(ofKind(await countsOf(token), 'DID_CREATE')?.succeeded, 3)
  },
)
