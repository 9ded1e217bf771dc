import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import express from 'express'
import { health } from '../../../api/frame/health.ts'
import { createDid, payload } from '../../support/credentials/credentials.ts'
import type { Readiness } from '../../support/parts/health.ts'
import { rawClient } from '../../support/parts/raw.ts'
import { openWorld } from '../../support/world.ts'

test.serial('without the database a refusal takes less than 4 s', async (t) => {
  const world = await openWorld()
  try {
    await world.stopDatabase()
    for (const body of [undefined, { method: 'KEY', options: {} }]) {
      const from = performance.now()
      t.is((await world.ask('/v1/dids', { token: world.token, body })).status, 503)
      t.true(performance.now() - from < 4_000)
    }
    await world.startDatabase()
  } finally {
    await world.close()
  }
})

const refused = (url: string) =>
  fetch(`${url}/health/live`).then(
    () => false,
    () => true,
  )

test.serial('50 requests in flight at the stop are answered, and nobody waits for idle connections', async (t) => {
  const world = await openWorld({ env: { SHUTDOWN_SECONDS: '30' } })
  try {
    const did = await createDid(world, 'bls12381g2')
    // connections that are known to be open: one that is only being opened may be refused, and its client knows it
    const client = rawClient(world.url, 60)
    await Promise.all(Array.from({ length: 51 }, () => client.ask({ path: '/health/ready' })))
    const sign = (nth: number) => {
      const body = { payload: payload(did), proofType: 'bbs-2023', revocable: false, tag: `stop-${nth}` }
      const path = '/v1/credentials/web-semantic/sign'
      return client.ask({ method: 'POST', path, token: world.token, body: JSON.stringify(body) })
    }
    await sign(-1)
    const { host } = new URL(world.url)
    const idle = connect(Number(new URL(world.url).port), 'localhost')
    await new Promise((resolve) => idle.once('connect', resolve))
    idle.write(`GET /health/live HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    const idleClosed = new Promise((resolve) => idle.once('close', resolve).resume())
    let answered = 0
    const inFlight = Array.from({ length: 50 }, async (_, nth) => {
      const reply = await sign(nth)
      answered++
      return reply
    })
    // the first answer says that the others were read: they were sent together
    while (answered === 0) await pause(10)
    const before = answered
    const from = performance.now()
    const stopped = world.stopApi()
    const ready = await client.ask({ path: '/health/ready' })
    t.is(ready.status, 503)
    t.is((JSON.parse(ready.text) as Readiness).status, 'stopping')
    t.is(ready.headers.connection, 'close')
    await stopped
    const seconds = (performance.now() - from) / 1000
    const replies = await Promise.all(inFlight)
    t.true(before < 50, 'some were still in flight')
    t.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
    await idleClosed
    t.true(seconds < 25, `the stop took ${seconds} s`)
    t.true(await refused(world.url))
    const { rows } = await world.dependencies.systemSql.query<{ count: number }>({
      text: `select count(distinct tag)::int as count from credentials where tag like 'stop-%'`,
      values: [],
    })
    t.is(rows[0]?.count, 51)
    client.close()
  } finally {
    await world.close()
  }
})

test.serial('who does not finish sending holds up no stop longer than SHUTDOWN_SECONDS', async (t) => {
  const world = await openWorld({ env: { SHUTDOWN_SECONDS: '1' } })
  try {
    const { host, port } = new URL(world.url)
    const slow = connect(Number(port), 'localhost')
    await new Promise((resolve) => slow.once('connect', resolve))
    slow.on('error', () => undefined) // it is cut off
    slow.write(`POST /v1/auth/token HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 100\r\n\r\n{`)
    await pause(100)
    const from = performance.now()
    await world.stopApi()
    const seconds = (performance.now() - from) / 1000
    t.true(seconds > 0.8 && seconds < 4, `the stop took ${seconds} s`)
    slow.destroy()
  } finally {
    await world.close()
  }
})

test.serial(
  'a part that hangs and is not needed holds readiness up for less than the second that probes wait',
  async (t) => {
    const hanging = new Promise<never>(() => undefined)
    const up = async () => undefined
    const parts = { sql: { query: up }, keys: { ready: () => hanging }, temporal: { check: () => hanging } }
    const app = express().use(health({ ...parts, selfTest: { check: up }, stopping: () => false } as never))
    const server = app.listen(0)
    t.teardown(() => server.close())
    await once(server, 'listening')
    const from = performance.now()
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/health/ready`)
    t.true(performance.now() - from < 1_000)
    t.is(response.status, 200)
    t.like(await response.json(), { status: 'degraded', parts: { keys: 'down', temporal: 'down', database: 'up' } })
  },
)
