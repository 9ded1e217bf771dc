import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createPurge } from '../../activities/administration/purge.ts'
import { inTenant, type Sql } from '../../entities/orm.ts'
import { createDid, sign } from '../support/credentials/credentials.ts'
import { saveProvider } from '../support/openid/users.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const NOW = new Date('2030-01-01T00:00:00Z')

const purge = (more: Partial<World['dependencies']> = {}) =>
  createPurge({ ...world.dependencies, now: () => NOW, ...more }).purgeExpiredRows()

async function ask<Row extends object>(text: string, values: unknown[] = [], sql: Sql = world.dependencies.systemSql) {
  return (await sql.query<Row>({ text, values })).rows
}

const left = async (table: string, column: string, names: string[], sql?: Sql): Promise<string[]> => {
  const rows = await ask<{ name: string }>(
    `select ${column}::text as name from ${table} where ${column}::text = any($1)`,
    [names],
    sql,
  )
  return names.filter((name) => rows.some((row) => row.name === name))
}

test.serial('a kept answer is dropped after 24 hours, finished or not, and not before (D-004)', async (t) => {
  const ages = { '23 hours 59 minutes': true, '24 hours 1 minute': false, '30 days': false, '0 hours': true }
  for (const [age, answer] of [...Object.keys(ages).map((each) => [each, 'x'] as const), ['25 hours', null] as const])
    await ask(
      `insert into idempotency_keys (tenant_id, key, request_hash, answer, created_at)
        values ($1, $2, '', $3, now() - $2::text::interval)`,
      [world.first.tenantId, age, answer],
    )
  t.like(await purge(), { idempotencyKeys: 3 })
  t.deepEqual(await left('idempotency_keys', 'key', [...Object.keys(ages), '25 hours']), [
    '23 hours 59 minutes',
    '0 hours',
  ])
})

test.serial('an outbox row is dropped 7 days after its workflow started; one that never started stays', async (t) => {
  const rows = [
    { name: 'never started, a year old', created: '1 year', started: null },
    { name: 'started late', created: '1 year', started: '6 days 23 hours 59 minutes' },
    { name: 'started 7 days ago', created: '7 days 1 minute', started: '7 days 1 minute' },
    { name: 'started a year ago', created: '1 year', started: '1 year' },
    { name: 'started now', created: '0', started: '0' },
  ]
  for (const { name, created, started } of rows)
    await ask(
      `insert into outbox (id, tenant_id, created_at, area, object_id, workflow_type, workflow_id, summary, payload,
         attempts, next_attempt_at, started_at)
       values ($1, $2, now() - $3::interval, '', '', '', $4, '', '', 9, now() + interval '1 day', now() - $5::interval)`,
      [randomUUID(), world.first.tenantId, created, name, started],
    )
  t.like(await purge(), { outboxRows: 2 })
  t.deepEqual(
    await left(
      'outbox',
      'workflow_id',
      rows.map(({ name }) => name),
    ),
    ['never started, a year old', 'started late', 'started now'],
  )
})

test.serial('a rate limit is dropped when its window is over, and not before', async (t) => {
  const { sql } = world.dependencies
  const windows = { over: NOW.getTime() - 1, ending: NOW.getTime(), open: NOW.getTime() + 1 }
  await ask('delete from rate_limits', [], sql)
  for (const [key, expire] of Object.entries(windows))
    await ask('insert into rate_limits (key, points, expire) values ($1, 1, $2)', [key, expire], sql)
  t.like(await purge(), { rateLimits: 1 })
  t.deepEqual(await left('rate_limits', 'key', Object.keys(windows), sql), ['ending', 'open'])
})

test.serial('an authorization at a provider is dropped when its time is over, and not before', async (t) => {
  const { tenantId } = world.first
  const providerId = await saveProvider(world.dependencies, tenantId)
  const ends = { 'a minute ago': '-1 minute', 'in a minute': '1 minute' }
  for (const [name, end] of Object.entries(ends))
    await inTenant(world.dependencies.database.tenants, tenantId, (em) =>
      em.execute(
        `insert into openid_authorizations (id, tenant_id, provider_id, state_digest, content, expires_at)
         values (?, ?, ?, ?::text::bytea, '', now() + ?::interval)`,
        [randomUUID(), tenantId, providerId, name, end],
      ),
    )
  t.like(await purge(), { openIdAuthorizations: 1 })
  t.deepEqual(await left('openid_authorizations', "encode(state_digest, 'escape')", Object.keys(ends)), ['in a minute'])
})

test.serial('logins of wallets and used JWTs are dropped when their time is up, and not before', async (t) => {
  const { tenantId } = world.first
  const ends = { over: '-1 minute', 'in a minute': '1 minute' }
  for (const [name, end] of Object.entries(ends))
    await inTenant(world.dependencies.database.tenants, tenantId, async (em) => {
      await em.execute(
        `insert into openid_wallet_logins (id, tenant_id, state, code_digest, content, expires_at)
         values (?, ?, 'CODE', ?::text::bytea, '', now() + ?::interval)`,
        [randomUUID(), tenantId, name, end],
      )
      await em.execute(
        `insert into openid_used_jtis (tenant_id, jti_digest, expires_at)
         values (?, ?::text::bytea, now() + ?::interval)`,
        [tenantId, name, end],
      )
    })
  t.like(await purge(), { openIdLogins: 1, openIdUsedJwts: 1 })
  const names = Object.keys(ends)
  t.deepEqual(await left('openid_wallet_logins', "encode(code_digest, 'escape')", names), ['in a minute'])
  t.deepEqual(await left('openid_used_jtis', "encode(jti_digest, 'escape')", names), ['in a minute'])
})

/** A batch with rows, as old as told since its last row came. */
async function upload(state: string, silence: string, rows = 1): Promise<string> {
  const id = randomUUID()
  await ask(
    `insert into credential_batches (id, tenant_id, attempt, format, source, state, options, request_id,
       client_id, total, last_progress_at)
     values ($1, $2, $1, 'web-semantic', 'jsonl', $3, '{}', $1, $1, $5, now() - $4::interval)`,
    [id, world.first.tenantId, state, silence, rows],
  )
  await ask(
    `insert into credential_batch_rows (batch_id, row_number, tenant_id, state)
     select $1, generate_series(1, $3::int), $2, 'pending'`,
    [id, world.first.tenantId, rows],
  )
  return id
}

const rowsOf = async (id: string) =>
  (
    await ask<{ count: number }>('select count(*)::int as count from credential_batch_rows where batch_id = $1', [id])
  )[0]?.count

test.serial(
  'an upload is taken away with its rows when it was silent for an hour, and not before (D-088)',
  async (t) => {
    const [silent, another] = [
      await upload('RECEIVING', '60 minutes 1 second', 3),
      await upload('RECEIVING', '1 year', 3),
    ]
    const slow = await upload('RECEIVING', '59 minutes', 3)
    const others = []
    for (const state of ['PROCESSING', 'PAUSED', 'COMPLETED', 'CANCELLED']) others.push(await upload(state, '1 year'))
    t.like(await purge(), { uploads: 2 })
    t.deepEqual(await left('credential_batches', 'id', [silent, another, slow, ...others]), [slow, ...others])
    for (const id of [silent, another]) t.is(await rowsOf(id), 0)
    t.is(await rowsOf(slow), 3)
    for (const id of others) t.is(await rowsOf(id), 1)
    t.like(await purge(), { uploads: 0 })
  },
)

test.serial('an upload that a later try takes over during the sweep stays, with its rows (D-004)', async (t) => {
  const id = await upload('RECEIVING', '2 hours', 3)
  const { systemSql } = world.dependencies
  let taken = 0
  const overtaking: Sql = {
    async query(query) {
      const answer = await systemSql.query(query)
      if (query.text.includes('last_progress_at') && taken++ === 0)
        await ask('update credential_batches set attempt = $2, last_progress_at = now() where id = $1', [
          id,
          randomUUID(),
        ])
      return answer as never
    },
  }
  await purge({ systemSql: overtaking })
  t.is(taken, 1)
  t.deepEqual(await left('credential_batches', 'id', [id]), [id])
  t.is(await rowsOf(id), 3)
})

test.serial('however many rows there are, no statement takes so many that it outlasts its time limit', async (t) => {
  await ask(
    `insert into idempotency_keys (tenant_id, key, request_hash, created_at)
     select $1, 'many-' || n, '', now() - interval '2 days' from generate_series(1, 45000) as n`,
    [world.first.tenantId],
  )
  const large = await upload('RECEIVING', '2 hours', 25_000)
  const taken: number[] = []
  const { systemSql } = world.dependencies
  const counting: Sql = {
    async query(query) {
      const answer = await systemSql.query(query)
      for (const row of answer.rows) if ('count' in row) taken.push(Number(row.count))
      return answer as never
    },
  }
  t.like(await purge({ systemSql: counting }), { idempotencyKeys: 45_000, uploads: 1 })
  t.true(Math.max(...taken) <= 20_000, `${taken}`)
  t.is(await rowsOf(large), 0)
})

test.serial('what names its subjects by no digest yet is indexed (D-820)', async (t) => {
  const { id } = await sign(world, await createDid(world))
  const digests = () => ask<{ subjects: unknown }>('select subjects from credentials where id = $1', [id])
  const before = await digests()
  await ask('update credentials set subjects = null where id = $1', [id])
  t.like(await purge(), { credentialSubjects: 1 })
  t.deepEqual(await digests(), before)
  t.like(await purge(), { credentialSubjects: 0 })
})

test.serial('what cannot be deleted holds up nothing else, and the run fails by its name', async (t) => {
  const { systemSql } = world.dependencies
  const key = randomUUID()
  await ask(
    `insert into idempotency_keys (tenant_id, key, request_hash, answer, created_at)
      values ($1, $2, '', 'x', now() - interval '25 hours')`,
    [world.first.tenantId, key],
  )
  const refusing: Sql = {
    query: (query) =>
      /openid_reissuances|webhook_deliveries|account_attempts/.test(query.text)
        ? Promise.reject(new Error('canceling statement due to statement timeout'))
        : systemSql.query(query),
  }
  const error = await t.throwsAsync(purge({ systemSql: refusing }), { instanceOf: AggregateError })
  t.regex(error.message, /accountAttempts, openIdReissuances$/)
  t.deepEqual(await left('idempotency_keys', 'key', [key]), [])
})
