import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import { createDid } from '../../support/credentials/credentials.ts'
import { readiness } from '../../support/parts/health.ts'
import { openWorld } from '../../support/world.ts'

test.serial('without Temporal the platform is degraded, names it, and does what needs no workflow', async (t) => {
  const world = await openWorld()
  try {
    const parts = { database: 'up', keys: 'up', temporal: 'down', documents: 'up' } as const
    t.deepEqual(await readiness(world), { code: 200, status: 'degraded', parts })
    t.truthy(await createDid(world))
    const options = { url: 'https://issuer.example.org' }
    const web = await world.ask('/v1/dids', { token: world.token, body: { method: 'WEB', options } })
    t.is(web.status, 201, 'its workflow waits in the outbox')
    t.deepEqual((await world.ask('/health/live')).json(), { status: 'live' })
  } finally {
    await world.close()
  }
})

test.serial('without the database: unready, 503 with Retry-After, alive, and well again by itself', async (t) => {
  const world = await openWorld()
  try {
    const did = await createDid(world)
    await world.stopDatabase()
    t.like(await readiness(world), { code: 503, status: 'unready', parts: { database: 'down' } })
    t.is((await world.ask('/health/live')).status, 200)
    for (const ask of [
      () => world.ask('/v1/dids', { token: world.token }),
      () => world.ask('/v1/dids', { token: world.token, body: { method: 'KEY', options: {} } }),
      () => world.ask('/v1/dids', { token: world.token, body: {}, headers: { 'idempotency-key': 'k' } }),
      () => world.ask(`/v1/dids/${did}`, { token: world.token, method: 'DELETE' }),
    ]) {
      const reply = await ask()
      t.is(reply.status, 503, reply.text)
      t.is(reply.json().type, '/problems#database.unavailable')
      t.true(Number(reply.headers.get('retry-after')) > 0)
    }
    await world.startDatabase()
    for (let tries = 0; tries < 40 && (await readiness(world)).code !== 200; tries++) await pause(250)
    t.is((await world.ask(`/v1/dids/${did}`, { token: world.token })).status, 200)
  } finally {
    await world.close()
  }
})
