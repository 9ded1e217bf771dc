import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { gunzipSync, gzipSync } from 'node:zlib'
import test from 'ava'
import type { Pool, PoolClient } from 'pg'
import { migrate } from '../entities/migrate.ts'
import { connect, sqlOf } from '../entities/orm.ts'
import { roleUrl } from '../entities/roles.ts'
import { writeBackup } from '../stack/backup.write.ts'
import { restoreInto } from '../stack/restore.load.ts'
import { type Fence, openFence } from './support/fence.ts'
import { script } from './support/stack.ts'

let fence: Fence
let directory: string
test.before(async () => {
  fence = await openFence() // two tenants who have one row of every kind
  directory = await mkdtemp(join(tmpdir(), 'countersign-backup-'))
})
test.after.always(async () => {
  await fence?.close()
  if (directory) await rm(directory, { recursive: true, force: true })
})

const superuserOf = (name: string) => fence.database.superuserUrl.replace(/\/countersign$/, `/${name}`)

/** Runs `work` on one connection. */
async function connected<T>(url: string, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const orm = await connect(url, 1)
  const client = await ((await sqlOf(orm)) as Pool).connect()
  try {
    return await work(client)
  } finally {
    client.release(true)
    await orm.close()
  }
}

const asRole = (role: 'app' | 'system' | 'backup') => roleUrl(fence.database.url, fence.masterKey, role)

/** An empty database of the owner's. */
async function emptyDatabase(): Promise<{ name: string; url: string }> {
  const name = `r${randomUUID().slice(0, 8)}`
  await connected(superuserOf('postgres'), (client) => client.query(`create database ${name} owner countersign`))
  return { name, url: fence.database.url.replace(/\/countersign$/, `/${name}`) }
}

/** Each table's rows, counted and digested by PostgreSQL, as the superuser sees them. */
const contentOf = (name: string): Promise<Record<string, { rows: number; md5: string | null }>> =>
  connected(superuserOf(name), async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public' and tablename not in ('migrations', 'platform_epoch')`,
    )
    const content: Record<string, { rows: number; md5: string | null }> = {}
    for (const table of tables) {
      const text = `select count(*)::int as rows, md5(string_agg(t::text, ',' order by t::text)) as md5 from ${table.name} t`
      const { rows } = await client.query<{ rows: number; md5: string | null }>(text)
      content[table.name] = rows[0] ?? { rows: -1, md5: null }
    }
    return content
  })

/** The text of a backup, as the role of backups reads it. */
async function backupText(url = asRole('backup')): Promise<string> {
  const chunks: Buffer[] = []
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(Buffer.from(chunk))
      done()
    },
  })
  await connected(url, (client) => writeBackup(client, sink))
  return Buffer.concat(chunks).toString()
}

const restoreText = (url: string, text: string | Buffer) =>
  restoreInto(url, fence.masterKey, Readable.from([Buffer.from(text)]))

const tablesIn = (url: string) =>
  connected(url, async (client) => {
    const { rows } = await client.query<{ left: number }>(
      `select (select count(*) from pg_tables where schemaname = 'public')::int
        + (select count(*) from pg_proc where pronamespace = 'public'::regnamespace)::int as left`,
    )
    return rows[0]?.left
  })

test.serial('the role of backups reads every row of every table, and changes none', async (t) => {
  const content = await contentOf('countersign')
  t.true(Object.values(content).filter(({ rows }) => rows > 0).length > 10)
  await connected(asRole('backup'), async (client) => {
    for (const [table, { rows: expected }] of Object.entries(content)) {
      const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from ${table}`)
      t.is(rows[0]?.count, expected, table)
      await t.throwsAsync(client.query(`delete from ${table}`), { code: '42501' }, table)
    }
    const { rows: roles } = await client.query(
      'select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication from pg_roles where rolname = current_user',
    )
    const none = {
      rolsuper: false,
      rolbypassrls: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolreplication: false,
    }
    t.deepEqual(roles, [none])
  })
})

test.serial('a backup restored is the same rows, in every table, with the fences back in place', async (t) => {
  const before = await contentOf('countersign')
  const { name, url } = await emptyDatabase()
  await restoreText(url, await backupText())
  t.deepEqual(await contentOf(name), before)
  const unfenced = await connected(superuserOf(name), (client) =>
    client.query(
      `select relname from pg_class where relnamespace = 'public'::regnamespace and relrowsecurity and not relforcerowsecurity`,
    ),
  )
  t.deepEqual(unfenced.rows, [])
  await connected(roleUrl(url, fence.masterKey, 'app'), async (client) => {
    t.deepEqual((await client.query('select 1 from dids')).rows, [], 'no tenant, no rows')
    await client.query(`select set_config('app.tenant', $1, false)`, [fence.ours])
    t.is((await client.query('select 1 from dids')).rows.length, 1)
  })
})

test.serial('numbers that were given out are not given out again', async (t) => {
  const { name, url } = await emptyDatabase()
  const text =
    'insert into credential_status_changes (tenant_id, credential_id, purpose, value, changed_at) select tenant_id, id, $1, true, now() from semantic_credentials returning id'
  const given = async (database: string) =>
    (await connected(superuserOf(database), (client) => client.query<{ id: string }>(text, ['revocation']))).rows.map(
      ({ id }) => Number(id),
    )
  const before = await given('countersign')
  await restoreText(url, await backupText())
  const after = await given(name)
  t.true(Math.min(...after) > Math.max(...before), `${before} then ${after}`)
})

test.serial('all tables are of one moment, whatever is committed meanwhile', async (t) => {
  const before = await contentOf('countersign')
  const sink = new PassThrough({ highWaterMark: 16 })
  const writing = connected(asRole('backup'), (client) => writeBackup(client, sink))
  await once(sink, 'readable') // it has begun, and waits for whoever reads
  await connected(fence.database.superuserUrl, (client) =>
    client.query('update tenants set name = $1', ['changed meanwhile']),
  )
  const chunks: Buffer[] = []
  sink.on('data', (chunk: Buffer) => chunks.push(chunk))
  await writing
  sink.end()
  await once(sink, 'end')
  const { name, url } = await emptyDatabase()
  await restoreText(url, Buffer.concat(chunks))
  t.deepEqual(await contentOf(name), before)
})

test.serial('a table whose rows the role would not all see is named, and nothing is written', async (t) => {
  await connected(fence.database.url, (client) => client.query('drop policy backup on domains'))
  try {
    await t.throwsAsync(backupText(), { message: /does not see every row of domains\./ })
  } finally {
    await migrate(fence.database.url, fence.masterKey)
  }
  t.true((await backupText()).length > 0, 'bringing the roles up to date mends it')
})

const spoiled: Record<string, { spoil(text: string): string; message: RegExp }> = {
  'its last line is missing': {
    spoil: (text) => text.slice(0, text.lastIndexOf('-- complete')),
    message: /no whole backup: it is cut off/,
  },
  'it ends in the middle of a table': {
    spoil: (text) => text.slice(0, text.indexOf('\n', text.indexOf('COPY public.logs')) + 10),
    message: /no whole backup: it ends in the middle of a table/,
  },
  'a row is missing': {
    spoil: (text) => text.replace(/(COPY public\.logs [^\n]*\n)[^\n]*\n/, '$1'),
    message: /The rows of logs are not those/,
  },
  'a value was changed': {
    spoil: (text) => text.replace('did:key:x', 'did:key:y'),
    message: /The rows of dids are not those/,
  },
  'a table is missing': {
    spoil: (text) => text.replace(/COPY public\.rate_limits [^\n]*\n(.*\n)*?\\\.\n/, ''),
    message: /The rows of rate_limits are not those/,
  },
  'it names a table that there is not': {
    spoil: (text) => text.replace('COPY public.rate_limits', 'COPY public.pg_authid'),
    message: /has a table pg_authid/,
  },
  'it names a column that there is not': {
    spoil: (text) => text.replace('COPY public.rate_limits ("key", ', 'COPY public.rate_limits ("keys", '),
    message: /rate_limits has other columns/,
  },
  'it is of a newer version': {
    spoil: (text) => text.replace('"0012-recovery"]', '"0012-recovery","9999-of-tomorrow"]'),
    message: /of a newer version \(9999-of-tomorrow\)/,
  },
  'it is of another form': { spoil: (text) => text.replace('"format":1', '"format":2'), message: /form 2 is not/ },
  'it is something else': { spoil: () => 'select 1;\n', message: /does not have the form/ },
}

for (const [what, { spoil, message }] of Object.entries(spoiled))
  test.serial(`a backup is refused, and the database left empty, where ${what}`, async (t) => {
    const { url } = await emptyDatabase()
    const text = await backupText()
    const bad = spoil(text)
    t.not(bad, text)
    await t.throwsAsync(restoreText(url, bad), { message })
    t.is(await tablesIn(url), 0)
    await t.notThrowsAsync(restoreText(url, text), 'the whole one comes in afterwards')
  })

test.serial('a database that holds tables is refused, and keeps its rows', async (t) => {
  const before = await contentOf('countersign')
  await t.throwsAsync(restoreText(fence.database.url, await backupText()), { message: /holds tables/ })
  t.deepEqual(await contentOf('countersign'), before)
})

test.serial('a backup of an earlier schema is restored, and brought to this one', async (t) => {
  const [old, target] = [await emptyDatabase(), await emptyDatabase()]
  await migrate(old.url, fence.masterKey, '0011-given-ids')
  await connected(superuserOf(old.name), (client) =>
    client.query(
      `insert into environments (id, name, domain, authorization_server_domain, deployment_model, region)
      values ($1, 'Old', '', '', 'private', '{}')`,
      [randomUUID()],
    ),
  )
  const { head } = await restoreText(target.url, await backupText(superuserOf(old.name)))
  t.is(head.schema.at(-1), '0011-given-ids')
  const { rows } = await connected(target.url, (client) =>
    client.query('select e.name, p.epoch from environments e, platform_epoch p'),
  )
  t.deepEqual(rows, [{ name: 'Old', epoch: 1 }])
})

test.serial(
  'the commands: a file for us alone, checked, that is not written over; then the same rows elsewhere',
  async (t) => {
    const file = join(directory, 'kept.sql.gz')
    const env = (url: string) => ({ DATABASE_URL: url, KEY_STORE_MASTER_KEY: fence.masterKey.toString('base64') })
    const command = async (url: string, ...args: string[]) => {
      const run = script([...args, '--local', directory], env(url))
      const { code } = await run.ended
      return { code, text: run.lines.join('\n') }
    }
    const before = await contentOf('countersign')
    const made = await command(fence.database.url, 'stack/backup.ts', file)
    t.is(made.code, 0, made.text)
    t.regex(made.text, /rows of \d+ tables, counted and read again/)
    t.regex(made.text, /KEY_STORE_MASTER_KEY/)
    t.is(statSync(file).mode & 0o777, 0o600)
    t.regex(gunzipSync(readFileSync(file)).toString(), /^-- countersign backup /)
    t.like(await command(fence.database.url, 'stack/backup.ts', file), { code: 1, text: `${file} is there already.` })

    const { name, url } = await emptyDatabase()
    const whole = readFileSync(file)
    const cut = join(directory, 'cut.sql.gz')
    writeFileSync(cut, whole.subarray(0, whole.length - 20))
    const refused = await command(url, 'stack/restore.ts', cut)
    t.is(refused.code, 1)
    t.regex(refused.text, /^This is no whole backup: /)
    writeFileSync(cut, gzipSync('nothing of ours'))
    t.regex((await command(url, 'stack/restore.ts', cut)).text, /^This is no whole backup: /)
    const restored = await command(url, 'stack/restore.ts', file)
    t.is(restored.code, 0, restored.text)
    t.regex(restored.text, /give out nothing any more/)
    const { platform_keys: _keys, key_envelopes: _envelopes, ...rest } = before // the key of access tokens is a new one
    t.like(await contentOf(name), rest)
  },
)

test.serial('a backup is SQL that psql reads: COPY statements, and comments besides', async (t) => {
  const text = await backupText()
  const lines = text
    .replaceAll(/^COPY [^\n]*;\n(?:.*\n)*?\\\.\n/gm, '')
    .trimEnd()
    .split('\n')
  t.is(lines.length, 2)
  t.true(lines.every((line) => line.startsWith('-- ')))
})

test.serial('without the master key nothing is begun', async (t) => {
  const env = { DATABASE_URL: fence.database.url, KEY_STORE_MASTER_KEY: '' }
  const run = script(['stack/backup.ts', '--local', join(directory, 'nowhere')], env)
  t.is((await run.ended).code, 1)
  t.regex(run.lines.join('\n'), /master\.key is missing/)
})
