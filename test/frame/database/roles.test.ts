import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { MikroORM } from '@mikro-orm/postgresql'
import test from 'ava'
import { EVERYTHING } from '../../../entities/base.ts'
import { migrate } from '../../../entities/migrate.ts'
import { connect, RIGHTS } from '../../../entities/orm.ts'
import { assertFenced, createRoles, roleUrl, scramVerifier } from '../../../entities/roles.ts'
import { openDatabase, type TestDatabase } from '../../support/parts/database.ts'
import { connected } from '../../support/stack/backup.ts'

const masterKey = randomBytes(32)
let database: TestDatabase
test.before(async () => {
  database = await openDatabase(masterKey)
})
test.after.always(() => database?.close())

/** Rows of a statement under an address. */
const asked = async <Row extends object>(url: string, text: string, ...values: unknown[]): Promise<Row[]> =>
  (await connected(url, (client) => client.query<Row>(text, values))).rows

async function withOrm<T>(url: string, work: (orm: MikroORM) => Promise<T>): Promise<T> {
  const orm = await connect(url, 1)
  try {
    return await work(orm)
  } finally {
    await orm.close()
  }
}

const passwordOf = (key: Uint8Array, name: string) =>
  createHmac('sha256', key).update(`countersign/database/${name}`).digest('base64url')

test('a role has the name of its database and a password of the master key, which running platforms keep', (t) => {
  const owner = 'postgres://owner:secret@db.example:5433/my%20data?sslmode=require'
  for (const role of ['app', 'system', 'backup'] as const) {
    const url = new URL(roleUrl(owner, masterKey, role))
    t.is(url.username, `my%20data_${role}`)
    t.is(url.password, passwordOf(masterKey, `my data_${role}`))
    t.is(url.host + url.pathname + url.search, 'db.example:5433/my%20data?sslmode=require')
  }
  t.not(roleUrl(owner, masterKey, 'app'), roleUrl(owner, randomBytes(32), 'app'))
})

const VERBS = ['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']

/** The tables of a database with what a role may do to each. */
const rightsIn = (url: string, role: string) =>
  asked<{ name: string; held: string[] }>(
    url,
    `select tablename as name, array(select v from unnest($1::text[]) as v where has_table_privilege($2, tablename, v)) as held
     from pg_tables where schemaname = 'public' and tablename <> 'migrations' order by 1`,
    VERBS,
    role,
  )

test('each role has the rights that its tables name, and no other', async (t) => {
  t.is(EVERYTHING, 'select, insert, update, delete')
  t.true(RIGHTS.length > 40)
  for (const role of ['app', 'system'] as const) {
    const name = decodeURIComponent(new URL(roleUrl(database.url, masterKey, role)).username)
    const tables = await rightsIn(database.superuserUrl, name)
    t.true(tables.length > 40)
    for (const { name: table, held } of tables) {
      const rights = RIGHTS.filter(([each]) => each === table).map(([, { [role]: text = '' }]) => text)
      // a right to some columns alone is none to the table
      const named = rights.flatMap((text) => text.replaceAll(/\w+ ?\([^)]*\)/g, '').match(/\w+/g) ?? [])
      t.deepEqual(held.toSorted(), named.toSorted(), `${role}: ${table}`)
    }
  }
})

test('tables without row-level security have no policy, and every other one that the system works on has its own', async (t) => {
  const found = await asked<{ name: string; fenced: boolean; policy: boolean }>(
    database.superuserUrl,
    `select relname as name, relrowsecurity as fenced,
       exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'system') as policy
     from pg_class c where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  )
  t.true(found.length > 40)
  const ofSystem = new Set(RIGHTS.filter(([, { system }]) => system).map(([table]) => table))
  for (const { name, fenced, policy } of found) if (!fenced && name !== 'rate_limits') t.false(policy, name)
  for (const { name, fenced, policy } of found) if (fenced) t.is(policy, ofSystem.has(name), name)
})

test('the role of backups reads every table and changes none', async (t) => {
  const url = roleUrl(database.url, masterKey, 'backup')
  const id = '11111111-1111-4111-8111-111111111111'
  await asked(
    database.superuserUrl,
    `insert into outbox (id, tenant_id, area, object_id, workflow_type, workflow_id, summary, payload, next_attempt_at)
     values ($1, $1, 'dids', 'object', 'tick', 'of the backup', 'Test', '', now())`,
    id,
  )
  t.deepEqual(await asked(url, 'select id from outbox'), [{ id }])
  const tables = await asked<{ name: string }>(
    url,
    `select tablename as name from pg_tables where schemaname = 'public'`,
  )
  t.true(tables.length > 40)
  const counts = tables.map(({ name }) => `select count(*) from ${name}`).join(' union all ')
  t.is((await asked(url, counts)).length, tables.length)
  for (const text of ['delete from outbox', 'update outbox set attempts = 0', 'create table mine (x int)'])
    t.like(await t.throwsAsync(asked(url, text)), { code: '42501' }, text)
  await asked(database.superuserUrl, 'delete from outbox')
})

test.serial(
  'the roles are made anew as often as one likes, and a new master key closes the old passwords',
  async (t) => {
    const other = randomBytes(32)
    await migrate(database.url, masterKey)
    await migrate(database.url, other)
    for (const role of ['app', 'system', 'backup'] as const) {
      const name = decodeURIComponent(new URL(roleUrl(database.url, other, role)).username)
      t.deepEqual(await asked(roleUrl(database.url, other, role), 'select current_user::text as name'), [{ name }])
      t.like(await t.throwsAsync(asked(roleUrl(database.url, masterKey, role), 'select 1')), { code: '28P01' })
    }
    await migrate(database.url, masterKey)
  },
)

/** The roles that policies of a name are for, by table. */
const policiesIn = (url: string, policy: string) =>
  asked<{ table: string; roles: string[] }>(
    url,
    'select tablename as table, roles::text[] as roles from pg_policies where policyname = $1 order by 1',
    policy,
  )

test.serial('a database that was copied under another name has roles of its own, which may do the same', async (t) => {
  const copy = 'copy "of" it'
  const original = new URL(database.url).pathname.slice(1)
  const { superuserUrl } = database
  await database.tenants.close()
  await database.system.close()
  const quoted = `"${copy.replaceAll('"', '""')}"`
  const home = new URL(database.url)
  home.pathname = '/postgres'
  await asked(home.href, `drop database if exists ${quoted}`)
  await asked(home.href, `create database ${quoted} template ${new URL(database.url).pathname.slice(1)}`)
  home.pathname = `/${encodeURIComponent(copy)}`
  await migrate(home.href, masterKey)
  for (const role of ['app', 'system', 'backup'] as const)
    t.deepEqual(await asked(roleUrl(home.href, masterKey, role), 'select current_user::text as name'), [
      { name: `${copy}_${role}` },
    ])
  const copied = new URL(superuserUrl)
  copied.pathname = home.pathname
  for (const role of ['app', 'system', 'backup'] as const)
    t.deepEqual(
      await rightsIn(copied.href, `${copy}_${role}`),
      await rightsIn(superuserUrl, `${original}_${role}`),
      role,
    )
  for (const role of ['system', 'backup']) {
    const tables = (await policiesIn(superuserUrl, role)).map(({ table }) => table)
    t.true(tables.length > 30)
    t.deepEqual(
      await policiesIn(copied.href, role),
      tables.map((table) => ({ table, roles: [`${copy}_${role}`] })),
    )
  }
})

test.serial('a role that steps over the fence in one way alone is refused; one that does not is not', async (t) => {
  const { superuserUrl } = database
  const url = new URL(superuserUrl)
  url.username = 'odd'
  url.password = 'odd'
  const fenced = () => withOrm(url.href, assertFenced)
  const run = (text: string) => asked(superuserUrl, text)
  await run(`create role odd login password 'odd'; create role beyond`)
  await t.notThrowsAsync(fenced())
  for (const [grant, revoke] of [
    ['alter role odd superuser', 'alter role odd nosuperuser'],
    ['alter role odd bypassrls', 'alter role odd nobypassrls'],
    ['alter role odd createrole', 'alter role odd nocreaterole'],
    ['alter role odd replication', 'alter role odd noreplication'],
    ['grant beyond to odd', 'revoke beyond from odd'],
    ['create table public.odds (x int); alter table public.odds owner to odd', 'drop table public.odds'],
  ] as const) {
    await run(grant)
    await t.throwsAsync(fenced(), { message: /can bypass row-level security/ }, grant)
    await run(revoke)
    await t.notThrowsAsync(fenced(), revoke)
  }
  await run('drop role odd; drop role beyond')
  const nobody = { em: { getConnection: () => ({ execute: async () => [] }) } } as unknown as MikroORM
  await t.throwsAsync(assertFenced(nobody), { message: /can bypass row-level security/ })
})

test.serial('a role that is not the owner makes no roles', (t) =>
  withOrm(roleUrl(database.url, masterKey, 'app'), async (app) => {
    t.like(await t.throwsAsync(createRoles(app, database.url, masterKey)), { code: '42501' })
  }),
)

test('the verifier of a password is that of RFC 7677, and no statement has the password', async (t) => {
  // the example of RFC 7677, section 3: PostgreSQL's form of what its messages were made with
  const salt = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64')
  const [, , keys = ''] = (await scramVerifier('pencil', salt)).split('$')
  const [storedKey = '', serverKey = ''] = keys.split(':').map((key) => Buffer.from(key, 'base64'))
  const nonce = 'rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0'
  const message = `n=user,r=rOprNGfwEbeRWgbNEkqO,r=${nonce},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,r=${nonce}`
  const hmac = (key: Uint8Array | string) => createHmac('sha256', key).update(message).digest()
  t.is(hmac(serverKey).toString('base64'), '6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=')
  const proof = Buffer.from('dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=', 'base64')
  const clientKey = hmac(storedKey).map((byte, place) => byte ^ (proof[place] ?? 0))
  t.deepEqual(createHash('sha256').update(clientKey).digest(), Buffer.from(storedKey as Uint8Array))

  const [stored] = await asked<{ rolpassword: string }>(
    database.superuserUrl,
    `select rolpassword from pg_authid where rolname = 'countersign_app'`,
  )
  t.regex(stored?.rolpassword ?? '', /^SCRAM-SHA-256\$4096:/)
  const statements: string[] = []
  const connection = {
    execute: (text: string) => {
      statements.push(text)
      return Promise.resolve([])
    },
  }
  const owner = { em: { getConnection: () => connection } } as unknown as MikroORM
  await createRoles(owner, database.url, masterKey)
  t.is(statements.filter((text) => text.includes('password')).length, 3)
  for (const role of ['app', 'system', 'backup'] as const) {
    const { password } = new URL(roleUrl(database.url, masterKey, role))
    t.false(statements.some((text) => text.includes(password)))
  }
})
