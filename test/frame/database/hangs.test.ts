import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { createDid } from '../../support/credentials/credentials.ts'
import { type DatabaseProxy, type Loss, openDatabaseProxy } from '../../support/parts/database-proxy.ts'
import { openWorld, type World } from '../../support/world.ts'

/** Statements end after 6 s, a connection is had within 2 s: a request has a few of both, and the machine may be busy. */
const DEADLINE_MS = 15_000

const timed = async (work: () => ReturnType<World['ask']>) => {
  const from = performance.now()
  const reply = await work()
  return { reply, ms: performance.now() - from }
}

test.serial(
  'while PostgreSQL hangs every request ends as a 503 in time, and all go well within seconds of its return',
  async (t) => {
    const world = await openWorld({ env: { DATABASE_TIMEOUT_MS: '2000' } })
    try {
      const { token } = world
      await createDid(world)
      await Promise.all(Array.from({ length: 30 }, () => world.ask('/v1/dids', { token })))
      const body = { method: 'KEY', options: {} }
      world.signalDatabase('SIGSTOP')
      try {
        for (let round = 0; round < 2; round += 1) {
          const asked = Array.from({ length: 12 }, () => timed(() => world.ask('/v1/dids', { token })))
          const keyed = timed(() =>
            world.ask('/v1/dids', { token, body, headers: { 'idempotency-key': `hang-${round}` } }),
          )
          for (const { reply, ms } of await Promise.all([...asked, keyed])) {
            t.is(reply.status, 503, reply.text)
            t.is(reply.json().type, '/problems#database.unavailable')
            t.true(Number(reply.headers.get('retry-after')) > 0)
            t.true(ms < DEADLINE_MS, `${ms} ms`)
          }
        }
      } finally {
        world.signalDatabase('SIGCONT')
      }
      const from = performance.now()
      while ((await world.ask('/v1/dids', { token })).status !== 200) await wait(50)
      t.true(performance.now() - from < 5_000, 'well again within seconds')
      const replies = await Promise.all(Array.from({ length: 30 }, () => world.ask('/v1/dids', { token })))
      for (const reply of replies) t.is(reply.json().totalCount, 1, reply.text)
    } finally {
      await world.close()
    }
  },
)

const outcomes: [Loss, string][] = [
  ['answer', 'was done, and nobody was told'],
  ['statement', 'was never done'],
]

for (const [loss, what] of outcomes)
  test.serial(
    `a COMMIT without an answer is a 503; the same Idempotency-Key finds out that it ${what}, and does it once`,
    async (t) => {
      let proxy: DatabaseProxy | undefined
      const world = await openWorld({
        async between(port) {
          proxy = await openDatabaseProxy(port)
          return proxy.port
        },
      })
      try {
        const { token } = world
        const create = () =>
          world.ask('/v1/dids', {
            token,
            body: { method: 'KEY', options: { keyType: 'ed25519' } },
            headers: { 'idempotency-key': 'commit-1' },
          })
        proxy?.lose({ after: 'update idempotency_keys set effect', statement: 'commit', loss })
        const unknown = await timed(create)
        t.is(proxy?.lost(), 1)
        t.is(unknown.reply.status, 503, unknown.reply.text)
        t.is(unknown.reply.json().type, '/problems#database.unavailable')
        t.true(unknown.ms < DEADLINE_MS, `${unknown.ms} ms`)

        const settled = await create()
        t.is(settled.status, 201, settled.text)
        const { did } = settled.json<{ did: string }>()
        const list = await world.ask('/v1/dids', { token })
        t.is(list.json().totalCount, 1, list.text)
        t.true(list.text.includes(did))
        const entries = await world.dependencies.systemSql.query<{ count: number }>({
          text: `select count(*)::int as count from logs where type = 'DID_CREATE_SUCCESS'`,
          values: [],
        })
        t.is(entries.rows[0]?.count, 1)
        const again = await create()
        t.is(again.headers.get('idempotency-replayed'), 'true')
        t.is(again.text, settled.text)
      } finally {
        await world.close()
        await proxy?.close()
      }
    },
  )
