import { execFile } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzipSync, gzipSync } from 'node:zlib'
import test from 'ava'
import { type Fence, openFence } from '../../support/frame/fence.ts'
import { type Backups, backupsOf, connected } from '../../support/stack/backup.ts'
import { entrypoint, inImage, script } from '../../support/stack/stack.ts'

const run = promisify(execFile)
let fence: Fence
let backups: Backups
let directory: string
test.before(async () => {
  fence = await openFence() // two tenants who have one row of every kind
  backups = backupsOf(fence)
  directory = await mkdtemp(join(tmpdir(), 'countersign-backup-'))
})
test.after.always(async () => {
  await fence?.close()
  if (directory) await rm(directory, { recursive: true, force: true })
})

/** The commands make other keys of access tokens and of webhooks. */
const withoutNewKeys = ({
  platform_keys: _keys,
  webhook_keys: _webhookKeys,
  key_envelopes: _envelopes,
  ...rest
}: Awaited<ReturnType<Backups['contentOf']>>) => rest

test.serial(
  'the commands: a file for us alone, checked, that is not written over; then the same rows elsewhere',
  async (t) => {
    const file = join(directory, 'kept.sql.gz')
    const env = (url: string) => ({ DATABASE_URL: url, KEY_STORE_MASTER_KEY: fence.masterKey.toString('base64') })
    const command = async (url: string, ...args: string[]) => {
      const run = inImage([...args, '--local', directory], env(url))
      const { code } = await run.ended
      return { code, text: run.lines.join('\n') }
    }
    const before = await backups.contentOf('countersign')
    const made = await command(fence.database.url, 'stack/backup.ts', file)
    t.is(made.code, 0, made.text)
    t.regex(made.text, /rows of \d+ tables, written, then read again/)
    t.regex(made.text, /KEY_STORE_MASTER_KEY/)
    t.is(statSync(file).mode & 0o777, 0o600)
    t.regex(gunzipSync(readFileSync(file)).toString(), /^-- countersign backup /)
    t.like(await command(fence.database.url, 'stack/backup.ts', file), {
      code: 1,
      text: `${file} exists already: name another file.`,
    })

    const { name, url } = await backups.emptyDatabase()
    const whole = readFileSync(file)
    const cut = join(directory, 'cut.sql.gz')
    writeFileSync(cut, whole.subarray(0, whole.length - 20))
    const refused = await command(url, 'stack/restore.ts', cut)
    t.is(refused.code, 1)
    t.regex(refused.text, /^The file is not a complete backup: /)
    writeFileSync(cut, gzipSync('nothing of ours'))
    t.regex((await command(url, 'stack/restore.ts', cut)).text, /^The file is not a complete backup: /)
    const restored = await command(url, 'stack/restore.ts', file)
    t.is(restored.code, 0, restored.text)
    t.regex(restored.text, /get no further entries/)
    t.like(await backups.contentOf(name), withoutNewKeys(before))
  },
)

test.serial('through a pipe: a backup on standard output, restored from standard input', async (t) => {
  const before = await backups.contentOf('countersign')
  const { name, url } = await backups.emptyDatabase()
  const node = [process.execPath, ...entrypoint()].join(' ')
  const command = `set -o pipefail; ${node} stack/backup.ts - | DATABASE_URL='${url}' ${node} stack/restore.ts -`
  const env = {
    ...process.env,
    DATABASE_URL: fence.database.url,
    KEY_STORE_MASTER_KEY: fence.masterKey.toString('base64'),
    EPOCH_DIRECTORY: join(directory, 'epoch'),
  }
  const { stdout } = await run('bash', ['-c', command], { env })
  t.regex(stdout, /restored and compared with the backup/)
  t.like(await backups.contentOf(name), withoutNewKeys(before))
})

/** As a backup has them that was made before they were used or ended. */
const OPEN_AGAIN = `insert into accounts (id, email_index, content) values (gen_random_uuid(), '\\x01', '\\x01');
insert into account_sessions (id, account_id, expires_at) select gen_random_uuid(), id, now() + interval '1 day' from accounts;
insert into account_tokens (digest, account_id, expires_at) select '\\x01', id, now() + interval '1 day' from accounts limit 1;
insert into openid_sessions (id, tenant_id, grant_type, state, steps, request_id, client_id, code_digest, code_expires_at, ends_at)
  select gen_random_uuid(), id, 'pre-authorized_code', 'OFFERED', '[]', id, '', sha256(id::text::bytea),
    now() + interval '1 day', now() + interval '1 day' from tenants;
insert into openid_presentations (id, tenant_id, verifier_did, client_identifier, response_mode, state, other_device_digest,
    same_device_digest, content, request_id, client_id, expires_at, kept_until)
  select gen_random_uuid(), id, '', '', 'direct_post', 'PENDING', sha256(id::text::bytea), sha256(id::text::bytea), '', id, '',
    now() + interval '1 day', now() + interval '2 days' from tenants`

const STILL_OPEN = `select (select count(*)::int from account_sessions where ended_at is null) as sessions,
  (select count(*)::int from account_tokens) as links,
  (select count(*)::int from openid_sessions where ends_at > now() or code_expires_at > now()) as offers,
  (select count(*)::int from openid_presentations where expires_at > now()) as requests,
  (select count(*)::int from openid_sessions) + (select count(*)::int from openid_presentations) as ended,
  to_regclass('restore_under_way') is not null as marked`

test.serial(
  'npm run restored: new status lists and other keys of tokens and webhooks, for what another tool restored',
  async (t) => {
    const { name, url } = await backups.emptyDatabase()
    await backups.restoreText(url, await backups.backupText())
    const state = async () => {
      const text = `select (select epoch from platform_epoch) as epoch, (select array_agg(id) from platform_keys) as keys,
      (select array_agg(id) from webhook_keys) as webhooks`
      return connected(backups.superuserOf(name), async (client) => {
        const { rows } = await client.query<{ epoch: number; keys: string[] | null; webhooks: string[] | null }>(text)
        return rows[0] ?? { epoch: -1, keys: null, webhooks: null }
      })
    }
    const env = { DATABASE_URL: url, KEY_STORE_MASTER_KEY: fence.masterKey.toString('base64') }
    const told = async () => {
      const command = inImage(['stack/restored.ts', '--local', directory], env)
      t.is((await command.ended).code, 0, command.lines.join('\n'))
      return state()
    }
    const before = await state()
    await connected(backups.superuserOf(name), async (client) => {
      await client.query(OPEN_AGAIN)
      // as docs/operations.md has them made for pg_restore
      for (const role of ['app', 'system', 'backup'])
        await client.query(`alter role ${name}_${role} nologin password null`)
    })
    const [once, again] = [await told(), await told()]
    t.true(once.epoch > before.epoch && again.epoch > once.epoch, 'as often as it is said')
    t.is(again.keys?.length, 1)
    t.notDeepEqual(again.keys, once.keys)
    t.is(again.webhooks?.length, 1)
    t.notDeepEqual(again.webhooks, once.webhooks)
    const { rows } = await connected(backups.superuserOf(name), (client) => client.query(STILL_OPEN))
    t.deepEqual(rows, [{ sessions: 0, links: 0, offers: 0, requests: 0, ended: 4, marked: false }])
  },
)

test.serial('a backup waits for an answer longer than a request does', async (t) => {
  const file = join(directory, 'waited.sql.gz')
  await connected(fence.database.superuserUrl, async (client) => {
    await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0')
    await client.query('begin; lock table migrations in access exclusive mode')
    const env = { DATABASE_URL: fence.database.url, KEY_STORE_MASTER_KEY: fence.masterKey.toString('base64') }
    const run = inImage(['stack/backup.ts', file, '--local', directory], env)
    const waits = `select from pg_locks where not granted and relation = 'migrations'::regclass`
    while ((await client.query(waits)).rows.length === 0 && run.child.exitCode === null) await wait(50)
    await wait(6_500)
    await client.query('commit')
    t.is((await run.ended).code, 0, run.lines.join('\n'))
  })
})

test.serial('without the master key nothing is begun', async (t) => {
  const env = { DATABASE_URL: fence.database.url, KEY_STORE_MASTER_KEY: '' }
  const run = script(['stack/backup.ts', '--local', join(directory, 'nowhere')], env)
  t.is((await run.ended).code, 1)
  t.regex(run.lines.join('\n'), /master\.key is missing/)
})
