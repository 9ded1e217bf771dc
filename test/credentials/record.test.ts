import { randomUUID } from 'node:crypto'
import test from 'ava'
import { type CredentialRow, createCredentialRecorder } from '../../activities/credentials/record.ts'
import type { Sql } from '../../entities/orm.ts'
import { createDid, sign } from '../support/credentials/credentials.ts'
import { type Client, openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

/** The platform's own pool, with a note of how often it was asked. */
const counted = () => {
  const { sql } = world.dependencies
  const counting = { statements: 0, query: sql.query.bind(sql) } satisfies Sql & { statements: number }
  counting.query = (query) => {
    counting.statements += 1
    return sql.query(query)
  }
  return counting
}

async function issuerOf(client: Client) {
  const did = await createDid(world, 'ed25519', await world.tokenOf(client))
  const { rows } = await world.dependencies.systemSql.query<{ id: string }>({
    text: 'select id from dids where did = $1',
    values: [did],
  })
  return { tenant: client.tenantId, issuer: String(rows[0]?.id) }
}

const rowOf = (owner: { tenant: string; issuer: string }, more: Partial<CredentialRow> = {}): CredentialRow => ({
  ...owner,
  credential_id: randomUUID(),
  signed: { '@context': [], text: 'naïve "quoted" \\ {braces}, 汉字', number: 1e3 },
  proof: 'eddsa-rdfc-2022',
  label: 'a, "tag"',
  type_names: ['A', 'B "quoted", {x}'],
  issued: '2026-01-01T00:00:00Z',
  expires: null,
  list: null,
  list_index: null,
  log_id: randomUUID(),
  request: randomUUID(),
  log_metadata: { clientId: randomUUID() },
  idempotency: null,
  idempotent_effect: null,
  template: null,
  version: null,
  ...more,
})

interface Stored {
  tenant_id: string
  credential: unknown
  tag: string
  types: string[]
  logs: number
}

const stored = async ({ credential_id, log_id }: CredentialRow) => {
  const { rows } = await world.dependencies.systemSql.query<Stored>({
    text: `select tenant_id, credential, tag, types,
      (select count(*)::int from logs where id = $2 and tenant_id = semantic_credentials.tenant_id) as logs
      from semantic_credentials where id = $1`,
    values: [credential_id, log_id],
  })
  return rows[0]
}

test('credentials of several tenants share statements, each under its own tenant, with its log entry', async (t) => {
  const [one, two] = [await issuerOf(world.first), await issuerOf(await world.addTenant())]
  const sql = counted()
  const recorder = createCredentialRecorder(sql)
  const rows = Array.from({ length: 60 }, (_, index) => rowOf(index % 2 ? one : two))
  const outcomes = await Promise.all(rows.map((row) => recorder.record(row)))
  t.deepEqual(new Set(outcomes), new Set(['recorded']))
  t.true(sql.statements <= 4, `${sql.statements} statements`)
  for (const row of rows) {
    const { tenant: tenant_id, signed: credential, label: tag, type_names: types } = row
    t.deepEqual(await stored(row), { tenant_id, credential, tag: String(tag), types, logs: 1 })
  }
})

test('one credential alone waits for nobody', async (t) => {
  const sql = counted()
  t.is(await createCredentialRecorder(sql).record(rowOf(await issuerOf(world.first))), 'recorded')
  t.is(sql.statements, 1)
})

test('an outcome is the row’s own: a deleted issuer, another tenant’s issuer, an id that is there', async (t) => {
  const [one, two] = [await issuerOf(world.first), await issuerOf(await world.addTenant())]
  const recorder = createCredentialRecorder(world.dependencies.sql)
  const [first, again] = [rowOf(one), rowOf(one)]
  t.is(await recorder.record(first), 'recorded')
  const rows = [
    again,
    rowOf({ ...one, issuer: randomUUID() }),
    rowOf({ ...one, issuer: two.issuer }),
    rowOf(one, { credential_id: first.credential_id }),
    rowOf(two),
  ]
  const outcomes = await Promise.all(rows.map((row) => recorder.record(row)))
  t.deepEqual(outcomes, ['recorded', 'issuer_gone', 'issuer_gone', 'recorded_before', 'recorded'])
})

test('a row that PostgreSQL refuses fails alone, and those that came with it are recorded', async (t) => {
  const owner = await issuerOf(world.first)
  const recorder = createCredentialRecorder(world.dependencies.sql)
  const taken = rowOf(owner)
  t.is(await recorder.record(taken), 'recorded')
  const rows = Array.from({ length: 5 }, () => rowOf(owner))
  const bad = rowOf(owner, { log_id: taken.log_id })
  const outcomes = await Promise.allSettled(
    [...rows.slice(0, 3), bad, ...rows.slice(3)].map((row) => recorder.record(row)),
  )
  t.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  )
  for (const row of rows) t.is((await stored(row))?.logs, 1)
  t.is(await stored(bad), undefined)
})

test('a lost connection is nobody’s success, and the rows are not sent a second time', async (t) => {
  let statements = 0
  const lost: Sql = {
    query: () => {
      statements += 1
      return Promise.reject(new Error('Connection terminated unexpectedly'))
    },
  }
  const recorder = createCredentialRecorder(lost)
  const owner = { tenant: randomUUID(), issuer: randomUUID() }
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => recorder.record(rowOf(owner))))
  t.true(outcomes.every(({ status }) => status === 'rejected'))
  t.is(statements, 1)
})

test('40 signatures at once over HTTP are 40 credentials with 40 log entries', async (t) => {
  const did = await createDid(world)
  const signed = await Promise.all(Array.from({ length: 40 }, () => sign(world, did, { revocable: true })))
  t.is(new Set(signed.map(({ id }) => id)).size, 40)
  const { rows } = await world.dependencies.systemSql.query<{ credentials: number; logs: number; indexes: number }>({
    text: `select count(*)::int as credentials, count(distinct status_index)::int as indexes,
      (select count(*)::int from logs where type = 'CREDENTIAL_WEB_SEMANTIC_SIGN_SUCCESS'
        and metadata->>'id' = any($1)) as logs from semantic_credentials where id::text = any($1)`,
    values: [signed.map(({ id }) => id)],
  })
  t.deepEqual(rows[0], { credentials: 40, logs: 40, indexes: 40 })
})
