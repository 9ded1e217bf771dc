import { connect as connectTcp } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { connect, sqlOf } from '../../../entities/orm.ts'
import { SCHEMA } from '../../../entities/schema.ts'
import { freePort } from '../../../stack/parts/ports.ts'
import { commandLineOf } from '../../../stack/parts/processes.ts'
import { until } from '../../support/credentials/dids.ts'
import { children, eventually, isAlive, script } from '../../support/stack/stack.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

/** The API as it is run, on the world's database. */
async function startApi(port: number) {
  const { config } = world
  const api = script(['api/server.ts'], {
    PORT: String(port),
    OPERATOR_PORT: String(await freePort()),
    API_PROCESSES: '2',
    DATABASE_URL: config.database.url,
    TEMPORAL_ADDRESS: config.temporal.address,
    KEY_STORE_MASTER_KEY: config.masterKey.toString('base64'),
    LOG_LEVEL: 'info',
  })
  return { ...api, saying: (text: string) => api.lines.filter((line) => line.includes(text)) }
}

/** A request on a connection of its own: a cluster's processes answer on old ones without their primary. */
const serves = (port: number) =>
  fetch(`http://127.0.0.1:${port}/health/live`, { headers: { connection: 'close' } }).then(
    ({ ok }) => ok,
    () => false,
  )

async function asOwner(text: string) {
  const owner = await connect(world.config.database.url, 1)
  try {
    await (await sqlOf(owner)).query({ text, values: [] })
  } finally {
    await owner.close()
  }
}

const UNFIT = 'the API does not fit the database'

test.serial('on a schema of a newer version the API says so once and ends with exit code 78 (D-141)', async (t) => {
  await asOwner(`insert into migrations (name) values ('9999-of-tomorrow')`)
  try {
    const api = await startApi(await freePort())
    t.teardown(() => api.child.kill('SIGKILL'))
    t.is((await api.ended).code, 78)
    t.is(api.saying(UNFIT).length, 1, api.lines.join('\n'))
    t.true(api.saying('9999-of-tomorrow').length === 1)
    t.is(api.saying('    at ').length, 0, 'it is no fault of the program: no stack')
  } finally {
    await asOwner(`delete from migrations where name = '9999-of-tomorrow'`)
  }
})

test.serial(
  'on a schema of an older version the API says so once, tries ever less often, and serves once it is migrated',
  async (t) => {
    const last = SCHEMA.at(-1)
    await asOwner(`delete from migrations where name = '${last}'`)
    const port = await freePort()
    const api = await startApi(port)
    t.teardown(async () => {
      api.child.kill('SIGTERM')
      await api.ended
    })
    const tried = new Map<number, { first: number; last: number }>()
    const look = setInterval(() => {
      const now = performance.now()
      for (const pid of children(api.pid)) tried.set(pid, { first: tried.get(pid)?.first ?? now, last: now })
    }, 20)
    try {
      await until('five processes to have been tried', async () => tried.size >= 5, 200_000)
    } finally {
      clearInterval(look)
      await asOwner(`insert into migrations (name) values ('${last}')`)
    }
    t.is(api.saying(UNFIT).length, 1, api.lines.join('\n'))
    t.is(api.saying('another takes its place').length, 0)
    const [, , third, fourth, fifth] = [...tried.values()]
    if (!third || !fourth || !fifth) throw new Error('fewer than five were tried')
    const pauses = [fourth.first - third.last, fifth.first - fourth.last] as const
    t.true(pauses[0] > 1_900 && pauses[1] > 3_900, `2 s after the end of one, 4 s after that of the next: ${pauses}`)
    await until('the API to serve', () => serves(port), 120_000)
    await until('all of its processes to be there', async () => api.saying('api ready').length === 1, 120_000)
  },
)

test.serial(
  'processes whose primary was killed finish what they accepted and end; the next API takes the port at once (D-213)',
  async (t) => {
    const port = await freePort()
    const first = await startApi(port)
    await until('the API to serve', () => serves(port), 120_000)
    await until('all of its processes to be there', async () => first.saying('api ready').length === 1, 120_000)
    const processes = children(first.pid)
    t.is(processes.length, 2)
    for (const pid of processes)
      for (const flag of ['--no-parallel-scavenge', '--no-memory-reducer'])
        t.true(commandLineOf(pid).includes(flag), `V8 has ${flag} (D-1001, D-1038)`)

    const { clientId, clientSecret } = world.first
    const body = JSON.stringify({ clientId, clientSecret, grantType: 'client_credentials' })
    const accepted = connectTcp(port, '127.0.0.1')
    let answer = ''
    accepted.setEncoding('utf8').on('data', (text: string) => (answer += text))
    accepted.on('error', ({ message }) => (answer += message))
    const head = `POST /v1/auth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`
    accepted.write(head + body.slice(0, 10))
    const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
    await until('a process to have it', async () => answer === CONTINUE)
    first.child.kill('SIGKILL')
    const second = await startApi(port)
    t.teardown(() => second.child.kill('SIGKILL'))
    await wait(1_000)
    accepted.write(body.slice(10))
    t.true(await eventually(() => answer.startsWith(`${CONTINUE}HTTP/1.1 200`), 10_000), answer)
    t.true(await eventually(() => !processes.some(isAlive), 15_000), 'nobody stays behind')
    t.is(first.saying('the primary of the API is gone').length, 2)
    await until('the next API to serve', () => serves(port), 120_000)
    t.deepEqual(second.saying('EADDRINUSE'), [])
    second.child.kill('SIGTERM')
    t.is((await second.ended).code, 0)
  },
)
