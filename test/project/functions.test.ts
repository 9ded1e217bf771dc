import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import type { PoolClient } from 'pg'
import { MIGRATION_LOCK, migrate } from '../../entities/migrate.ts'
import { connect, RIGHTS, sqlOf } from '../../entities/orm.ts'
import { roleUrl } from '../../entities/roles.ts'
import { assertSchema, SCHEMA } from '../../entities/schema.ts'
import { freePort } from '../../stack/parts/ports.ts'
import { startPostgres } from '../../stack/parts/postgres.ts'
import { dataDirectory } from '../../stack/tests/data.ts'
import { type Fence, openFence } from '../support/frame/fence.ts'
import { connected } from '../support/stack/backup.ts'

let fence: Fence
test.before(async () => {
  fence = await openFence()
})
test.after.always(() => fence?.close())

interface Found {
  place: string
  body: string
  owner: string
  definer: boolean
  settings: string[] | null
  rights: string[] | null
}

const functions = () =>
  fence.asked<Found>(
    `select p.oid::regprocedure::text as place, p.prosrc as body, pg_get_userbyid(p.proowner) as owner,
      p.prosecdef as definer, p.proconfig as settings, p.proacl::text[] as rights
     from pg_proc p where p.pronamespace = 'public'::regnamespace order by 1`,
  )

const asOwner = async (text: string) => {
  const owner = await connect(fence.database.url, 1)
  try {
    await owner.em.getConnection().execute(text)
  } finally {
    await owner.close()
  }
}

const again = () => migrate(fence.database.url, fence.masterKey)

/** Of the functions' texts and of the rights, in any order. */
function digestOfFunctions(): string {
  const folder = new URL('../../entities/functions/', import.meta.url)
  const texts = readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => readFileSync(new URL(file, folder), 'utf8'))
  const rights = RIGHTS.map(([table, { app, system }]) => JSON.stringify({ table, app, system }))
  return createHash('sha256')
    .update(JSON.stringify([...texts, ...rights].sort()))
    .digest('hex')
}

test('functions and rights that new code needs come with a migration (D-232)', (t) => {
  const place = new URL('functions.json', import.meta.url)
  const recorded: { migration: string; digest: string } = JSON.parse(readFileSync(place, 'utf8'))
  const current = { migration: SCHEMA.at(-1) ?? '', digest: digestOfFunctions() }
  const record = `record ${JSON.stringify(current)} in test/project/functions.json`
  if (recorded.migration !== current.migration) return t.fail(`There is a new migration: ${record}.`)
  if (recorded.digest !== current.digest)
    return t.fail(
      `A function or a right changed without a migration, so that new processes may start before they have it, and a preparation by the release before puts the former one back: add a migration, an empty one does. Only if the program works as well with the functions and rights of ${recorded.migration}, ${record}.`,
    )
  t.deepEqual(recorded, current)
})

test.serial('every function is the owner’s, runs as whoever calls it, and everybody may call it', async (t) => {
  const found = await functions()
  t.true(found.length >= 14)
  for (const { place, owner, definer, settings, rights } of found) {
    t.deepEqual({ owner, definer, rights }, { owner: 'countersign', definer: false, rights: null }, place)
    // how a plan is made (D-430), and neither a role nor where names are looked up
    for (const setting of settings ?? []) t.regex(setting, /^enable_[a-z]+=off$/, place)
  }
})

test.serial('functions applied again, by several processes at once, are as they were', async (t) => {
  const before = await functions()
  await Promise.all([again(), again(), again()])
  t.deepEqual(await functions(), before)
})

test.serial('another text under the same signature is replaced by the current one', async (t) => {
  const before = await functions()
  await asOwner(`create or replace function release_idempotency_key(tenant uuid, wanted text) returns void
    language plpgsql as $$ begin return; end $$`)
  t.notDeepEqual(await functions(), before)
  await again()
  t.deepEqual(await functions(), before)
})

test.serial('of a function whose signature changed, the former one is dropped', async (t) => {
  const before = await functions()
  await asOwner(`create function release_idempotency_key(tenant uuid) returns void language sql as ''`)
  await asOwner(`drop function answer_idempotency_key(uuid, text, bytea);
    create function answer_idempotency_key(tenant uuid, wanted text, first_answer bytea) returns integer language sql as 'select 1'`)
  t.is((await functions()).length, before.length + 1)
  await again()
  t.deepEqual(await functions(), before)
})

test.serial('a function of ours without a file is dropped, and one of somebody else’s stays', async (t) => {
  const before = await functions()
  await asOwner(`create function former() returns void language sql as '';
    comment on function former is 'countersign function 0';
    create function theirs() returns void language sql as ''; comment on function theirs is 'of an extension of theirs'`)
  await again()
  const places = (await functions()).map(({ place }) => place)
  t.deepEqual(
    places.filter((place) => place === 'former()' || place === 'theirs()'),
    ['theirs()'],
  )
  await asOwner('drop function theirs()')
  t.deepEqual(await functions(), before)
})

test.serial('an older version neither migrates the database of a newer one nor replaces its functions', async (t) => {
  await asOwner(`insert into migrations (name) values ('9999-of-tomorrow');
    create or replace function release_idempotency_key(tenant uuid, wanted text) returns void
    language plpgsql as $$ begin return; end $$`)
  const newer = await functions()
  await t.throwsAsync(again(), { name: 'SchemaMismatch', message: /migrated by a newer version \(9999-of-tomorrow\)/ })
  t.deepEqual(await functions(), newer)
  await asOwner(`delete from migrations where name = '9999-of-tomorrow'`)
  await again()
})

test.serial('the database is complete only once migrations, functions and roles are up to date', async (t) => {
  const directory = dataDirectory('postgres')
  t.teardown(() => rm(directory, { recursive: true, force: true }))
  const server = await startPostgres({ directory, port: await freePort(), durable: false })
  t.teardown(() => server.stop())
  const owner = await connect(server.url, 1)
  t.teardown(() => owner.close())
  const schema = async () => assertSchema(await sqlOf(owner))
  await migrate(server.url, fence.masterKey, { only: SCHEMA })
  await t.throwsAsync(schema, { name: 'SchemaMismatch', message: /not its functions and roles/ })
  await migrate(server.url, fence.masterKey)
  await t.notThrowsAsync(schema)
})

/** A preparation beside a transaction that has begun with `statement`; what it meets meanwhile is for `look`. */
async function preparedBeside(statement: string, look: (other: PoolClient) => Promise<void>): Promise<void> {
  const preparing: Promise<void>[] = []
  await connected(fence.database.superuserUrl, async (other) => {
    await other.query('begin')
    await other.query(statement)
    preparing.push(again())
    await look(other)
    await other.query('commit')
  })
  await Promise.all(preparing)
}

/** Sessions that wait for a lock of the kind. */
const waitingFor = async (other: PoolClient, kind: 'relation' | 'advisory'): Promise<number> =>
  (await other.query('select from pg_locks where not granted and locktype = $1', [kind])).rows.length

test.serial('a preparation that finds a table in use lets others pass, and goes on when it is free', async (t) => {
  // as pg_dump has it for long
  await preparedBeside('select count(*) from dids', async (other) => {
    while ((await waitingFor(other, 'relation')) === 0) await wait(50)
    // who waits behind the preparation has 2 s
    await connected(fence.database.superuserUrl, async (passing) => {
      for (let nth = 0; nth < 3; nth += 1) await t.notThrowsAsync(passing.query('select count(*) from dids'))
    })
  })
})

test.serial('a preparation waits for a backup without a place in the line for a table', async (t) => {
  await preparedBeside(`select pg_advisory_xact_lock_shared(${MIGRATION_LOCK})`, async (other) => {
    while ((await waitingFor(other, 'advisory')) === 0) await wait(50)
    await wait(1_500)
    t.is(await waitingFor(other, 'advisory'), 1)
    t.is(await waitingFor(other, 'relation'), 0)
  })
})

test.serial('the application’s role cannot replace a function', async (t) => {
  const app = await connect(roleUrl(fence.database.url, fence.masterKey, 'app'), 1)
  try {
    const text = `create or replace function release_idempotency_key(tenant uuid, wanted text) returns void
      language plpgsql as $$ begin return; end $$`
    t.like(await t.throwsAsync(app.em.getConnection().execute(text)), { code: '42501' })
  } finally {
    await app.close()
  }
})
