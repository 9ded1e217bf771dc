import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import test from 'ava'
import { BATCHES, COURSE, query } from '../support/credentials/batches.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { until } from '../support/credentials/dids.ts'
import { connected } from '../support/stack/backup.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld({ env: { SHUTDOWN_SECONDS: '60' } })
})
test.after.always(() => world?.close())

/** Sends a request, of whose body `missing` bytes stay out, and breaks the connection without reading an answer. */
const breakOff = (
  method: string,
  path: string,
  requestId: string,
  body: string | Buffer,
  { headers = ['content-type: application/json'], missing = 0 } = {},
) =>
  new Promise<void>((resolve, reject) => {
    const { hostname, port, host } = new URL(world.url)
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      const head = [
        `${method} ${path} HTTP/1.1`,
        `host: ${host}`,
        `authorization: Bearer ${world.token}`,
        `x-request-id: ${requestId}`,
        `content-length: ${Buffer.byteLength(body) + missing}`,
        ...headers,
      ]
      socket.write(`${head.join('\r\n')}\r\n\r\n`)
      socket.write(body, () => {
        socket.resetAndDestroy()
        resolve()
      })
    })
    socket.once('error', reject)
  })

const loggedRequests = async (requestIds: string[]): Promise<number> => {
  const text = 'select count(distinct request_id)::int as count from logs where request_id = any($1::uuid[])'
  const { rows } = await world.dependencies.systemSql.query<{ count: number }>({ text, values: [requestIds] })
  return rows[0]?.count ?? 0
}

test.serial('whoever hangs up before the answer is in the log as whoever listens', async (t) => {
  const requestIds = Array.from({ length: 20 }, () => randomUUID())
  for (const [nth, requestId] of requestIds.entries()) {
    if (nth % 2 === 0) await breakOff('DELETE', `/v1/webhooks/${randomUUID()}`, requestId, '')
    else await breakOff('POST', '/v1/messaging/verify', requestId, JSON.stringify({ jws: 'a.b.c' }))
  }
  await until('all requests to be in the log', async () => (await loggedRequests(requestIds)) === 20, 10_000)
  t.is(await loggedRequests(requestIds), 20)
})

const dates = { dateFrom: '2020-01-01T00:00:00Z', dateTo: '2100-01-01T00:00:00Z' }
const EVERYTHING = { categories: [], types: [], ids: [], requestIds: [], objectIds: [], ...dates }
const EXPORT = '/v1/analytics/events/export'

test.serial('an export that is repeated with its Idempotency-Key is whole again (D-413)', async (t) => {
  const [key, requestId] = [randomUUID(), randomUUID()]
  const headers = { 'idempotency-key': key }
  await connected(world.superuserUrl, async (client) => {
    await client.query('begin; lock table logs in access exclusive mode')
    await breakOff('POST', EXPORT, requestId, JSON.stringify(EVERYTHING), {
      headers: ['content-type: application/json', `idempotency-key: ${key}`],
    })
    await pause(300) // it waits for the table, and its caller has gone
    await client.query('rollback')
  })
  await until('the export to end', async () => (await loggedRequests([requestId])) === 1)
  const ask = () => world.ask(EXPORT, { token: world.token, body: EVERYTHING, headers })
  const first = await until('the key', async () => {
    const reply = await ask()
    return reply.status !== 409 && reply
  })
  const second = await ask()
  t.is(first.status, 200, first.text)
  t.is(second.status, 200)
  t.is(second.headers.get('idempotency-replayed'), null)
  t.deepEqual(
    [first, second].map(({ headers }) => headers.get('content-type')),
    Array(2).fill('application/jsonl'),
  )
  t.true(first.text.includes(requestId))
  t.true(second.text.length >= first.text.length)
})

// the last one: the API is gone then
test.serial('a stop waits for operations whose callers hung up, and for nothing that has ended (D-1033)', async (t) => {
  const [asked, exported, uploaded] = [randomUUID(), randomUUID(), randomUUID()]
  const batch = BATCHES + query({ issuer: await createDid(world), proofType: 'eddsa-rdfc-2022', context: COURSE })
  const begun = await connected(world.superuserUrl, async (client) => {
    await client.query('begin; lock table dids, logs in access exclusive mode')
    await breakOff('GET', '/v1/dids', asked, '')
    for (let count = 0; count < 20; count += 1) await breakOff('GET', '/docs/swagger-ui.css', randomUUID(), '')
    await breakOff('POST', EXPORT, exported, JSON.stringify(EVERYTHING))
    await breakOff('POST', batch, uploaded, gzipSync('{}\n'), {
      headers: ['content-type: application/x-ndjson', 'content-encoding: gzip'],
      missing: 80,
    })
    await pause(200) // the operation waits for the table by now
    const stops = [world.stopApi(), world.stopApi()]
    let isOver = false
    for (const stop of stops) void stop.then(() => (isOver = true))
    await pause(800) // the server has no connection any more
    t.false(isOver)
    await client.query('rollback')
    return { stops, at: performance.now() }
  })
  await Promise.all(begun.stops)
  t.true(performance.now() - begun.at < 10_000, 'of SHUTDOWN_SECONDS no more than the operations take')
  t.is(await loggedRequests([asked, exported, uploaded]), 3)
})
