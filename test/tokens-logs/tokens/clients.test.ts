import { createHash, randomBytes, randomUUID } from 'node:crypto'
import test from 'ava'
import { createClients, hashClientSecret } from '../../../activities/tokens-logs/clients.ts'
import type { Sql } from '../../../entities/orm.ts'
import { SCOPES } from '../../../protocol/tokens-logs/index.ts'
import { insertion } from '../../support/frame/fence.ts'
import { openDatabase, type TestDatabase } from '../../support/parts/database.ts'

const SECRET = 'the secret of the client'
const hashOf = (text: string) => createHash('sha256').update(text).digest()
const clientId = randomUUID()
const bareId = randomUUID()
const tenantId = randomUUID()

let database: TestDatabase
test.before(async () => {
  database = await openDatabase(randomBytes(32))
  const environment = randomUUID()
  const place = { name: '', domain: '', authorization_server_domain: '', deployment_model: 'private', region: '{}' }
  const { systemSql } = database
  await systemSql.query(insertion('environments', { id: environment, ...place }))
  await systemSql.query(
    insertion('tenants', { id: tenantId, environment_id: environment, name: '', subdomain: tenantId }),
  )
  const common = { tenant_id: tenantId, name: '', description: '', secret_hash: hashOf(SECRET) }
  await systemSql.query(insertion('oauth2_clients', { id: clientId, ...common, scopes: '{dids:read,logs:read}' }))
  await systemSql.query(insertion('oauth2_clients', { id: bareId, ...common, scopes: '{}' }))
})
test.after.always(() => database?.close())

/** The database, with the statements that it was asked. */
function watched(before: () => Promise<void> = async () => undefined) {
  const asked: { name?: string; text: string; values: unknown[] }[] = []
  const systemSql: Sql = {
    async query(query) {
      asked.push(query)
      await before()
      return database.systemSql.query(query)
    },
  }
  return { asked, ...createClients({ systemSql }) }
}

type Clients = ReturnType<typeof createClients>

/** Whoever is never answered fails at once, in place of the whole run. */
const answered = <T>(work: Promise<T>): Promise<T> =>
  Promise.race([
    work,
    new Promise<never>((_, reject) => setTimeout(() => reject(new Error('no answer')), 4_000).unref()),
  ])

/** What a pair of credentials comes to, and whose log is told. */
async function tried({ authenticate }: Clients, id: string, clientSecret: string) {
  const told: unknown[] = []
  const client = await answered(authenticate({ clientId: id, clientSecret }, (known) => void told.push(known)))
  return { client, told }
}

test('of a secret its SHA-256 is kept (D-009)', (t) => {
  t.deepEqual(hashClientSecret(SECRET), hashOf(SECRET))
})

test('the right secret makes a client with its tenant and its scopes', async (t) => {
  t.deepEqual(await tried(watched(), clientId, SECRET), {
    client: { id: clientId, tenantId, scopes: ['dids:read', 'logs:read'] },
    told: [{ tenantId, clientId }],
  })
  t.deepEqual((await tried(watched(), bareId, SECRET)).client?.scopes, [], 'a client without scopes has none')
})

test('a wrong secret of a known client makes none, and its tenant’s log is told', async (t) => {
  for (const secret of ['wrong', '', `${SECRET} `, SECRET.toUpperCase(), 'x'.repeat(1_024)])
    t.deepEqual(await tried(watched(), clientId, secret), { client: undefined, told: [{ tenantId, clientId }] })
})

test('an unknown client is none whatever its secret is, and nobody’s log is told', async (t) => {
  const none = '00000000-0000-0000-0000-000000000000'
  // an id is compared letter by letter (RFC 6749, appendix A.1)
  for (const id of [randomUUID(), none, 'no uuid', '', "' or 1=1 --", clientId.toUpperCase(), ` ${clientId}`])
    for (const secret of ['', SECRET]) t.deepEqual(await tried(watched(), id, secret), { client: undefined, told: [] })
})

test('the database has as much to do for an unknown client, and for an id that is none (D-009)', async (t) => {
  const clients = watched()
  for (const id of [clientId, randomUUID(), 'no uuid']) await tried(clients, id, 'wrong')
  const [known, unknown, none] = clients.asked
  t.is(clients.asked.length, 3)
  for (const statement of [unknown, none]) {
    t.is(statement?.text, known?.text)
    t.deepEqual(statement?.values.slice(1), known?.values.slice(1))
  }
  const { rows } = await database.systemSql.query<Record<string, unknown>>({
    text: known?.text ?? '',
    values: [[clientId, none?.values[0]].flat(), ...(known?.values.slice(1) ?? [])],
  })
  const [found, placeholder] = rows
  t.deepEqual(Object.keys(placeholder ?? {}), Object.keys(found ?? {}))
  t.is((placeholder?.secret_hash as Buffer).length, 32)
  t.is(placeholder?.scopes, SCOPES.join(' '))
})

test('a secret above 1,024 characters asks nobody', async (t) => {
  const clients = watched()
  t.deepEqual(await tried(clients, clientId, 'x'.repeat(1_025)), { client: undefined, told: [] })
  t.is(clients.asked.length, 0)
  await tried(clients, clientId, 'x'.repeat(1_024))
  t.is(clients.asked.length, 1)
})

test('who asks while a statement runs goes with the next, in which each id stands once (D-199)', async (t) => {
  const gate = Promise.withResolvers<void>()
  const clients = watched(() => gate.promise)
  const strangers = Array.from({ length: 50 }, () => randomUUID())
  const first = tried(clients, bareId, SECRET)
  const rest = [clientId, ...strangers, clientId, bareId].map((id) => tried(clients, id, SECRET))
  t.is(clients.asked.length, 1)
  gate.resolve()
  t.is((await first).client?.id, bareId)
  const found = await Promise.all(rest)
  t.is(clients.asked.length, 2)
  t.is((clients.asked[1]?.values[0] as string[]).length, 52)
  t.deepEqual(
    found.flatMap(({ client }) => client?.id ?? []),
    [clientId, clientId, bareId],
  )
  t.is((await tried(clients, clientId, SECRET)).client?.id, clientId, 'and the next one asks again')
  t.is(clients.asked.length, 3)
})

test('a statement that fails fails all who wait for it, and nobody after it', async (t) => {
  let fails = true
  const clients = watched(async () => {
    await new Promise((resolve) => setImmediate(resolve))
    if (fails) throw new Error('gone')
  })
  const outcomes = await Promise.allSettled([clientId, bareId, clientId].map((id) => tried(clients, id, SECRET)))
  t.deepEqual(
    outcomes.map((outcome) => outcome.status === 'rejected' && (outcome.reason as Error).message),
    ['gone', 'gone', 'gone'],
  )
  fails = false
  t.is((await tried(clients, clientId, SECRET)).client?.id, clientId)
})

test('a database that returns no row for a client is an error, not an unknown client', async (t) => {
  const { authenticate } = createClients({ systemSql: { query: async () => ({ rows: [] }) } })
  await t.throwsAsync(answered(authenticate({ clientId, clientSecret: SECRET }, () => undefined)), {
    message: /returned no row/,
  })
})
