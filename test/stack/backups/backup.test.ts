import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import test from 'ava'
import { PLATFORM_TENANT } from '../../../activities/keys/rotating.ts'
import { loadConfig } from '../../../config.ts'
import { MARK_RESTORE } from '../../../entities/administration/restore-mark.ts'
import { MIGRATION_LOCK, migrate } from '../../../entities/migrate.ts'
import { roleUrl } from '../../../entities/roles.ts'
import { SCHEMA } from '../../../entities/schema.ts'
import { completeRestored } from '../../../stack/backups/after.ts'
import { writeBackup } from '../../../stack/backups/write.ts'
import { type Fence, openFence } from '../../support/frame/fence.ts'
import { type Backups, backupsOf, connected } from '../../support/stack/backup.ts'

let fence: Fence
let backups: Backups
test.before(async () => {
  fence = await openFence() // two tenants who have one row of every kind
  backups = backupsOf(fence)
})
test.after.always(() => fence?.close())

test.serial('the role of backups reads every row of every table, and changes none', async (t) => {
  const content = await backups.contentOf('countersign')
  t.true(Object.values(content).filter(({ rows }) => rows > 0).length > 10)
  await connected(backups.asRole('backup'), async (client) => {
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
  const before = await backups.contentOf('countersign')
  const { name, url } = await backups.emptyDatabase()
  await backups.restoreText(url, await backups.backupText())
  t.deepEqual(await backups.contentOf(name), before)
  const unfenced = await connected(backups.superuserOf(name), (client) =>
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
  const { name, url } = await backups.emptyDatabase()
  const text =
    'insert into credential_status_changes (tenant_id, credential_id, purpose, value, changed_at) select tenant_id, id, $1, true, now() from credentials returning id'
  const given = async (database: string) =>
    (
      await connected(backups.superuserOf(database), (client) => client.query<{ id: string }>(text, ['revocation']))
    ).rows.map(({ id }) => Number(id))
  const before = await given('countersign')
  await backups.restoreText(url, await backups.backupText())
  const after = await given(name)
  t.true(Math.min(...after) > Math.max(...before), `${before} then ${after}`)
})

test.serial('all tables are of one moment, whatever is committed meanwhile', async (t) => {
  const before = await backups.contentOf('countersign')
  const sink = new PassThrough({ highWaterMark: 16 })
  const writing = connected(backups.asRole('backup'), (client) => writeBackup(client, sink))
  await once(sink, 'readable') // it has begun, and waits for whoever reads
  await connected(fence.database.superuserUrl, async (client) => {
    await client.query('update tenants set name = $1', ['changed meanwhile'])
    const lock = await client.query('select pg_try_advisory_lock($1) as free', [MIGRATION_LOCK])
    t.deepEqual(lock.rows, [{ free: false }], 'migrations wait for it')
  })
  const chunks: Buffer[] = []
  sink.on('data', (chunk: Buffer) => chunks.push(chunk))
  await writing
  sink.end()
  await once(sink, 'end')
  const { name, url } = await backups.emptyDatabase()
  await backups.restoreText(url, Buffer.concat(chunks))
  t.deepEqual(await backups.contentOf(name), before)
})

test.serial('a table whose rows the role would not all see is named, and nothing is written', async (t) => {
  await connected(fence.database.url, (client) => client.query('drop policy backup on domains'))
  try {
    await t.throwsAsync(backups.backupText(), { message: /does not see every row of domains\./ })
  } finally {
    await migrate(fence.database.url, fence.masterKey)
  }
  t.true((await backups.backupText()).length > 0, 'bringing the roles up to date mends it')
})

const spoiled: Record<string, { spoil(text: string): string; message: RegExp }> = {
  'its last line is missing': {
    spoil: (text) => text.slice(0, text.lastIndexOf('-- complete')),
    message: /not a complete backup: it is cut off/,
  },
  'it ends in the middle of a table': {
    spoil: (text) => text.slice(0, text.indexOf('\n', text.indexOf('COPY public.logs')) + 10),
    message: /not a complete backup: it ends in the middle of a table/,
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
    spoil: (text) => text.replace(`"${SCHEMA.at(-1)}"]`, `"${SCHEMA.at(-1)}","9999-of-tomorrow"]`),
    message: /by a newer version \(9999-of-tomorrow\)/,
  },
  'it is of another form': { spoil: (text) => text.replace('"format":1', '"format":2'), message: /form 2 is not/ },
  'it was made under another master key': {
    spoil: (text) => text.replace('"format":1', '"format":1,"masterKeyId":"of_another"'),
    message: /KEY_STORE_MASTER_KEY is not the one that this backup was made under/,
  },
  'it is something else': { spoil: () => 'select 1;\n', message: /does not have the lines/ },
}

for (const [what, { spoil, message }] of Object.entries(spoiled))
  test.serial(`a backup is refused, and the database left empty, where ${what}`, async (t) => {
    const { url } = await backups.emptyDatabase()
    const text = await backups.backupText()
    const bad = spoil(text)
    t.not(bad, text)
    await t.throwsAsync(backups.restoreText(url, bad), { message })
    t.is(await backups.tablesIn(url), 0)
    await t.notThrowsAsync(backups.restoreText(url, text), 'the whole one comes in afterwards')
  })

test.serial('an older backup, whose head names no master key, is refused by the keys that it holds', async (t) => {
  const asSuperuser = (text: string) => connected(fence.database.superuserUrl, (client) => client.query(text))
  const { url } = await backups.emptyDatabase()
  await asSuperuser(`insert into key_envelopes (key_id, tenant_id, key_type, public_key, envelope)
    values (gen_random_uuid(), '${PLATFORM_TENANT}', 'ed25519', '', '\\x01ffffffff')`)
  try {
    const text = await backups.backupText()
    await t.throwsAsync(backups.restoreText(url, text), { message: /KEY_STORE_MASTER_KEY is not the one/ })
    t.is(await backups.tablesIn(url), 0)
    await t.throwsAsync(migrate(fence.database.url, fence.masterKey), {
      message: /KEY_STORE_MASTER_KEY is not the one/,
    })
  } finally {
    await asSuperuser(`delete from key_envelopes where tenant_id = '${PLATFORM_TENANT}'`)
  }
})

test.serial('what an interrupted restore left is no platform, and the next restore begins anew', async (t) => {
  const { name, url } = await backups.emptyDatabase()
  await connected(url, (client) => client.query(MARK_RESTORE))
  await migrate(url, fence.masterKey, { only: SCHEMA, restoring: true })
  const refused = { message: /A restore into this database is under way, or was interrupted/ }
  await t.throwsAsync(migrate(url, fence.masterKey), refused)
  const config = loadConfig({
    DATABASE_URL: url,
    TEMPORAL_ADDRESS: '127.0.0.1:7233',
    KEY_STORE_MASTER_KEY: fence.masterKey.toString('base64'),
  })
  await t.throwsAsync(completeRestored(config), refused)
  const text = await backups.backupText()
  await connected(url, async (client) => {
    await client.query('select pg_advisory_lock(7261938)')
    await t.throwsAsync(backups.restoreText(url, text), { message: /Another restore/ })
  })
  const before = await backups.contentOf('countersign')
  await backups.restoreText(url, text)
  t.deepEqual(await backups.contentOf(name), before)
  await t.throwsAsync(migrate(url, fence.masterKey), { message: /run npm run restored before you start/ })
  await t.notThrowsAsync(completeRestored(config))
})

test.serial('a database that holds tables is refused, and keeps its rows', async (t) => {
  const before = await backups.contentOf('countersign')
  await t.throwsAsync(backups.restoreText(fence.database.url, await backups.backupText()), { message: /has tables/ })
  t.deepEqual(await backups.contentOf('countersign'), before)
})

test.serial('a backup of an earlier schema is restored, and brought to this one', async (t) => {
  const [old, target] = [await backups.emptyDatabase(), await backups.emptyDatabase()]
  await migrate(old.url, fence.masterKey, { only: SCHEMA.slice(0, SCHEMA.indexOf('0003-dids') + 1) })
  await connected(backups.superuserOf(old.name), (client) =>
    client.query(
      `insert into environments (id, name, domain, authorization_server_domain, deployment_model, region)
      values ($1, 'Old', '', '', 'private', '{}')`,
      [randomUUID()],
    ),
  )
  const { head } = await backups.restoreText(target.url, await backups.backupText(backups.superuserOf(old.name)))
  t.is(head.schema.at(-1), '0003-dids')
  const { rows } = await connected(target.url, (client) =>
    client.query('select e.name, p.epoch from environments e, platform_epoch p'),
  )
  t.deepEqual(rows, [{ name: 'Old', epoch: 1 }])
})

test.serial(
  'a backup is restored of a version that lacked a migration with a lower number than its last',
  async (t) => {
    const { name, url } = await backups.emptyDatabase()
    const indexes = '0104-administration-deletion'
    const text = await backups.backupText()
    const before = await backups.contentOf('countersign')
    const { head } = await backups.restoreText(url, text.replace(`"${indexes}",`, ''))
    t.deepEqual(
      head.schema,
      SCHEMA.filter((migration) => migration !== indexes),
    )
    t.deepEqual(await backups.contentOf(name), before)
    const { rows } = await connected(url, (client) =>
      client.query('select name from migrations where name = $1', [indexes]),
    )
    t.is(rows.length, 1)
  },
)

test.serial('a bulk revocation in its second pass goes on where transactions begin with lower numbers', async (t) => {
  await connected(fence.database.superuserUrl, async (client) => {
    await client.query('begin')
    await client.query(`insert into credential_revocations (id, tenant_id, scope, subject, pass, horizon, request_id, client_id, created_at)
      select gen_random_uuid(), id, 'template', id::text, 2, '4611686018427387904', id, '', now() - interval '1 minute' from tenants`)
    const { rows } = await client.query<{ phase: string }>(`select s.phase from credential_revocations r,
      revoke_credential_slice(r.tenant_id, r.id, 100, 'credential', 'REVOKED') s`)
    await client.query('rollback')
    t.deepEqual(rows, [{ phase: 'done' }, { phase: 'done' }])
  })
})

test.serial('a backup is SQL that psql reads: COPY statements, and comments besides', async (t) => {
  const text = await backups.backupText()
  const lines = text
    .replaceAll(/^COPY [^\n]*;\n(?:.*\n)*?\\\.\n/gm, '')
    .trimEnd()
    .split('\n')
  t.is(lines.length, 2)
  t.true(lines.every((line) => line.startsWith('-- ')))
})
