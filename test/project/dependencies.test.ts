import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { openDependencies } from '../../activities/index.ts'
import { loadConfig, type Variable } from '../../config.ts'
import { migrate } from '../../entities/migrate.ts'
import { connect, sqlOf } from '../../entities/orm.ts'
import { assertPostgresVersion, MARK_COMPLETE, SCHEMA } from '../../entities/schema.ts'
import { freePort } from '../../stack/parts/ports.ts'
import { startPostgres } from '../../stack/parts/postgres.ts'
import { until } from '../support/credentials/dids.ts'

const masterKey = randomBytes(32)

async function openPlace() {
  const directory = await mkdtemp(join(tmpdir(), 'countersign-dependencies-'))
  const server = await startPostgres({ directory, port: await freePort(), durable: false })
  await migrate(server.url, masterKey)
  const owner = await connect(server.url, 1)
  const sql = await sqlOf(owner)
  const query = async <Row extends object>(text: string, values: unknown[] = []) =>
    (await sql.query<Row>({ text, values })).rows
  const [base] = await query<{ name: string }>('select current_database() as name')
  return {
    query,
    app: `"${base?.name}_app"`,
    system: `"${base?.name}_system"`,
    configOf: (env: Partial<Record<Variable, string>> = {}) =>
      loadConfig({
        DATABASE_URL: server.url,
        TEMPORAL_ADDRESS: '127.0.0.1:1',
        KEY_STORE_MASTER_KEY: masterKey.toString('base64'),
        LOG_LEVEL: 'silent',
        ...env,
      }),
    /** Connections of the platform's two roles. */
    async connections() {
      const [found] = await query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity where usename in ($1, $2)`,
        [`${base?.name}_app`, `${base?.name}_system`],
      )
      return found?.count ?? -1
    },
    async close() {
      await owner.close()
      await server.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

let place: Awaited<ReturnType<typeof openPlace>>
test.before(async () => {
  place = await openPlace()
})
test.after.always(() => place?.close())

const nobodyConnected = () => until('the last connection to end', async () => (await place.connections()) === 0, 5_000)

test.serial(
  'what was opened is closed in the opposite order, and all of it when one part fails to close',
  async (t) => {
    const { close, ...dependencies } = await openDependencies(place.configOf())
    t.true((await place.connections()) >= 2)
    const order: string[] = []
    for (const part of ['logs', 'keys', 'documents', 'temporal'] as const) {
      const opened: { close(): Promise<void> } = dependencies[part]
      const own = opened.close
      opened.close = async () => {
        order.push(part)
        await own()
        if (part === 'documents') throw new Error('a thread hangs')
      }
    }
    await t.throwsAsync(close(), { message: 'a thread hangs' })
    t.deepEqual(order, ['temporal', 'documents', 'keys', 'logs'])
    await nobodyConnected()
    await t.notThrowsAsync(close(), 'closed is closed')
    t.is(order.length, 4)
  },
)

const last = SCHEMA.at(-1) ?? ''
const of = (migration: string, count = SCHEMA.length, database = 'countersign') =>
  `functions and roles are those of ${migration}, the last of ${count}, in ${database}`
const steps: {
  step: string
  spoil(): string
  mend(): string
  env?: Partial<Record<Variable, string>>
  error: object
}[] = [
  {
    step: 'a role that is a member of another',
    spoil: () => `create role beyond; grant beyond to ${place.app}`,
    mend: () => `revoke beyond from ${place.app}; drop role beyond`,
    error: { message: /row-level security/ },
  },
  {
    step: 'a system role that may not log in',
    spoil: () => `alter role ${place.system} nologin`,
    mend: () => `alter role ${place.system} login`,
    error: { code: '28000' },
  },
  {
    step: 'a schema that is newer than the program (D-141)',
    spoil: () => `insert into migrations (name) values ('9999-of-tomorrow')`,
    mend: () => `delete from migrations where name = '9999-of-tomorrow'`,
    error: { name: 'SchemaMismatch', schema: 'newer', message: /9999-of-tomorrow/ },
  },
  {
    step: 'a schema that is older than the program (D-141)',
    spoil: () => `delete from migrations where name = '${last}'`,
    mend: () => `insert into migrations (name) values ('${last}')`,
    error: {
      name: 'SchemaMismatch',
      schema: 'older',
      message: new RegExp(`^The database lacks migrations of this version \\(${last}\\)`),
    },
  },
  ...[
    { what: 'functions of the version before beside migrations of this one', comment: () => of('0001-foundation') },
    {
      what: 'functions of a version that lacks a migration below the last',
      comment: () => of(last, SCHEMA.length - 1),
    },
    {
      what: 'a copy of a database of another name, whose roles it lacks',
      comment: () => of(last, SCHEMA.length, 'elsewhere'),
    },
  ].map(({ what, comment }) => ({
    step: `${what} (D-1040)`,
    spoil: () => `comment on table migrations is '${comment()}'`,
    mend: () => MARK_COMPLETE,
    error: {
      name: 'SchemaMismatch',
      schema: 'older',
      message:
        /^The database has the migrations of this version, but not its functions and roles: .* was made by a version before/,
    },
  })),
  {
    step: 'a schema whose migrations may not be read, none of which is called missing (D-141)',
    spoil: () => `revoke select on migrations from ${place.system}`,
    mend: () => `grant select on migrations to ${place.system}`,
    error: { name: 'SchemaMismatch', schema: 'older', message: /^(?!.*\d{4}-).*may not read/ },
  },
  {
    step: 'a database in which nothing was migrated (D-141)',
    spoil: () => 'alter table migrations rename to elsewhere',
    mend: () => 'alter table elsewhere rename to migrations',
    error: { name: 'SchemaMismatch', schema: 'older', message: /^No migration was applied/ },
  },
  {
    step: 'an epoch folder that is none',
    spoil: () => 'select 1',
    mend: () => 'select 1',
    env: { EPOCH_DIRECTORY: '/dev/null/epoch' },
    error: { message: /EPOCH_DIRECTORY is not usable/ },
  },
  {
    step: 'a key store without credentials',
    spoil: () => 'select 1',
    mend: () => 'select 1',
    env: { VAULT_ADDR: 'http://127.0.0.1:1' },
    error: { code: 'key.store_refused' },
  },
]

for (const { step, spoil, mend, env, error } of steps)
  test.serial(`${step}: nothing is opened, and no connection stays`, async (t) => {
    await place.query(spoil())
    try {
      const thrown = await t.throwsAsync(openDependencies(place.configOf(env)))
      for (const [member, expected] of Object.entries(error)) {
        const actual: unknown = Reflect.get(thrown ?? {}, member)
        if (expected instanceof RegExp) t.regex(String(actual), expected)
        else t.is(actual, expected)
      }
      await nobodyConnected()
    } finally {
      await place.query(mend())
    }
    const { close } = await openDependencies(place.configOf())
    await close()
  })

test('a PostgreSQL older than 15 is refused in a sentence, before anything is migrated', (t) => {
  t.throws(() => assertPostgresVersion(140_023), { message: /PostgreSQL 15 or newer is needed.* version 14/ })
  t.notThrows(() => assertPostgresVersion(150_000))
})

test.serial('the comment of a complete database names it, its last migration and how many there are', async (t) => {
  const rows = await place.query(`select obj_description('migrations'::regclass, 'pg_class') as comment`)
  t.deepEqual(rows, [{ comment: of(last) }])
})

test.serial('the names that a program expects are those that its migrations record', async (t) => {
  const rows = await place.query<{ name: string }>('select name from migrations order by id')
  t.deepEqual(rows.map(({ name }) => name).toSorted(), [...SCHEMA])
})
