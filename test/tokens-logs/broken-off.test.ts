import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import { until } from '../support/credentials/dids.ts'
import { connected } from '../support/stack/backup.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

/** Sends a request, and breaks the connection without reading an answer. */
const breakOff = (method: string, path: string, requestId: string, body: string) =>
  new Promise<void>((resolve, reject) => {
    const { hostname, port, host } = new URL(world.url)
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      const head = [
        `${method} ${path} HTTP/1.1`,
        `host: ${host}`,
        `authorization: Bearer ${world.token}`,
        `x-request-id: ${requestId}`,
        'content-type: application/json',
        `content-length: ${Buffer.byteLength(body)}`,
      ]
      socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, () => {
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

test.serial('an export that is repeated with its Idempotency-Key is whole again (D-413)', async (t) => {
  const dates = { dateFrom: '2020-01-01T00:00:00Z', dateTo: '2100-01-01T00:00:00Z' }
  const body = { categories: [], types: [], ids: [], requestIds: [], objectIds: [], ...dates }
  const key = randomUUID()
  const ask = () =>
    world.ask('/v1/analytics/events/export', { token: world.token, body, headers: { 'idempotency-key': key } })
  const [first, second] = [await ask(), await ask()]
  t.is(first.status, 200, first.text)
  t.is(second.status, 200)
  t.is(second.headers.get('idempotency-replayed'), null)
  t.deepEqual(
    [first, second].map(({ headers }) => headers.get('content-type')),
    Array(2).fill('application/jsonl'),
  )
  t.true(second.text.length >= first.text.length)
})

// the last one: the API is gone then
test.serial(
  'a stop of the API waits for operations whose callers hung up, and their entries are in the log',
  async (t) => {
    const requestId = randomUUID()
    const stopped = await connected(world.superuserUrl, async (client) => {
      await client.query('begin; lock table dids in access exclusive mode')
      await breakOff('GET', '/v1/dids', requestId, '')
      await pause(200) // the operation waits for the table by now
      const stop = world.stopApi()
      await pause(800) // the server has no connection any more
      await client.query('rollback')
      return { stop }
    })
    await stopped.stop
    t.is(await loggedRequests([requestId]), 1)
  },
)
