import { randomBytes, randomUUID } from 'node:crypto'
import test from 'ava'
import { createClients } from '../../activities/tokens-logs/clients.ts'
import type { Sql } from '../../entities/orm.ts'
import { type Client, openWorld, type World } from '../support/world.ts'

const LIMIT = 10
const TOKEN = '/v1/auth/token'

let world: World
test.beforeEach(async () => {
  world = await openWorld({
    env: { TOKEN_RATE_LIMIT_PER_MINUTE: String(LIMIT), TRUSTED_PROXIES: '127.0.0.1, ::1' },
  })
})
test.afterEach.always(() => world?.close())

/** Asks as whoever stands behind the proxy. */
const from = (address: string, clientId: string, clientSecret: string) =>
  world.ask(TOKEN, {
    body: { clientId, clientSecret, grantType: 'client_credentials' },
    headers: { 'x-forwarded-for': address },
  })

const guess = (address: string, clientId: string = randomUUID()) =>
  from(address, clientId, randomBytes(9).toString('hex'))

const asClient = (address: string, { clientId, clientSecret }: Client) => from(address, clientId, clientSecret)

/** The statuses of so many guesses, one after the other. */
async function guesses(count: number, address: (nth: number) => string, clientId?: string): Promise<number[]> {
  const statuses: number[] = []
  for (let nth = 0; nth < count; nth++) statuses.push((await guess(address(nth), clientId)).status)
  return statuses
}

const REFUSED_AFTER_LIMIT = [...Array<number>(LIMIT).fill(401), 429, 429]

test.serial('strangers who fail at an address keep no known client there from its token (D-199)', async (t) => {
  t.deepEqual(await guesses(LIMIT + 2, () => '192.0.2.1'), REFUSED_AFTER_LIMIT)
  t.is((await asClient('192.0.2.1', world.first)).status, 200)
  t.is((await guess('192.0.2.1')).status, 429)
})

test.serial('strangers who fail under the id of a client do not lock it out, wherever they are (D-199)', async (t) => {
  const { clientId } = world.first
  t.deepEqual(await guesses(LIMIT + 2, (nth) => `192.0.2.${nth}`, clientId), REFUSED_AFTER_LIMIT)
  t.is((await asClient('192.0.2.200', world.first)).status, 200)
  t.is((await guess('192.0.2.200', clientId)).status, 429, 'a guess under this id')
  t.is((await guess('192.0.2.200')).status, 401, 'a guess under another one')
})

test.serial('an unknown client id is limited like a known one: nobody learns which there are (D-199)', async (t) => {
  const unknown = randomUUID()
  t.deepEqual(await guesses(LIMIT + 2, (nth) => `192.0.2.${nth}`, unknown), REFUSED_AFTER_LIMIT)
  const known = await guess('198.51.100.1', world.first.clientId)
  const other = await guess('198.51.100.2', randomUUID())
  const without = ({ instance: _, ...problem }: Record<string, unknown>) => problem
  t.deepEqual(without(known.json()), without(other.json()))
})

test.serial('what a caller writes into the header of a trusted proxy gains nothing (D-198)', async (t) => {
  const statuses = await guesses(LIMIT + 2, (nth) => `203.0.113.${nth}, 192.0.2.1`)
  t.deepEqual(statuses, REFUSED_AFTER_LIMIT)
  t.is((await guess('192.0.2.2')).status, 401, 'another address has its own')
  t.is((await guess('2001:db8::1')).status, 401)
})

test.serial('the addresses of one IPv6 network of 56 bits count as one', async (t) => {
  const statuses = await guesses(LIMIT + 2, (nth) => `2001:db8:0:${nth.toString(16)}::${nth + 1}`)
  t.deepEqual(statuses, REFUSED_AFTER_LIMIT)
  t.is((await guess('2001:db8:0:100::1')).status, 401)
})

test.serial('a client has its tokens per minute, and others have theirs', async (t) => {
  const statuses: number[] = []
  for (let nth = 0; nth < LIMIT + 2; nth++) statuses.push((await asClient(`192.0.2.${nth}`, world.first)).status)
  // the world has asked for one itself
  t.deepEqual(statuses, [...Array<number>(LIMIT - 1).fill(200), 429, 429, 429])
  t.is((await asClient('192.0.2.1', await world.addTenant())).status, 200)
})

test.serial(
  'what is refused for the limit leaves no entry in the log of the tenant whose client is named',
  async (t) => {
    const { clientId } = world.first
    await guesses(LIMIT + 20, (nth) => `192.0.2.${nth}`, clientId)
    await world.stopApi() // its log queue is written
    const { rows } = await world.dependencies.systemSql.query<{ count: number | null }>({
      text: `select (metadata ->> 'count')::int as count from logs where tenant_id = $1 and type like '%_FAIL' order by timestamp`,
      values: [world.first.tenantId],
    })
    t.deepEqual(rows, [{ count: null }, { count: LIMIT - 1 }], 'the first, and the others of the minute as one')
  },
)

test.serial('a request for a token that is larger than any is not read (D-199)', async (t) => {
  const body = { clientId: world.first.clientId, clientSecret: 'x'.repeat(17_000), grantType: 'client_credentials' }
  const reply = await world.ask(TOKEN, { body })
  t.is(reply.status, 413)
  t.is((await world.ask(TOKEN, { body: { ...body, clientSecret: 'x'.repeat(15_000) } })).status, 401)
})

test.serial(
  'however many strangers guess at once, one connection of the database is enough for them (D-199)',
  async (t) => {
    let [running, most, statements] = [0, 0, 0]
    const counted: Sql = {
      async query(query) {
        statements += 1
        running += 1
        most = Math.max(most, running)
        try {
          return await world.dependencies.systemSql.query(query)
        } finally {
          running -= 1
        }
      },
    }
    const clients = createClients({ systemSql: counted })
    const { clientId, clientSecret, tenantId } = world.first
    const strangers = Array.from({ length: 2_000 }, () => ({ clientId: randomUUID(), clientSecret: 'wrong' }))
    const found = await Promise.all(
      [...strangers, { clientId, clientSecret }, { clientId, clientSecret: 'wrong' }].map((credentials) =>
        clients.authenticate(credentials, () => undefined),
      ),
    )
    t.deepEqual(
      found.filter((client) => client !== undefined).map((client) => [client.id, client.tenantId]),
      [[clientId, tenantId]],
    )
    t.is(most, 1)
    t.true(statements <= 3, `${statements} statements`)
  },
)

test.serial('while the database is away, who asks is told so, and is served when it is back', async (t) => {
  await world.stopDatabase()
  t.is((await asClient('192.0.2.1', world.first)).status, 503)
  await world.startDatabase()
  t.is((await asClient('192.0.2.1', world.first)).status, 200)
})
