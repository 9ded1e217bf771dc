import test from 'ava'
import { connect } from '../../entities/orm.ts'
import { assertFenced, roleUrl } from '../../entities/roles.ts'
import { type Fence, openFence } from '../support/frame/fence.ts'

let fence: Fence
test.before(async () => {
  fence = await openFence()
})
test.after.always(() => fence?.close())

test('every table with an owner is fenced, forced, and by the same condition', async (t) => {
  const tables = await fence.ownedTables()
  t.true(tables.length >= 11)
  for (const table of [...tables, 'tenants']) {
    const [state] = await fence.asked<{ enabled: boolean; forced: boolean }>(
      `select relrowsecurity as enabled, relforcerowsecurity as forced from pg_class where oid = $1::regclass`,
      [table],
    )
    t.deepEqual(state, { enabled: true, forced: true }, table)
    const policies = await fence.asked<{
      name: string
      roles: string
      condition: string
      permissive: string
      check: string | null
      command: string
    }>(
      `select policyname as name, array_to_string(roles, ',') as roles, qual as condition, permissive, with_check as check,
         cmd as command
       from pg_policies where tablename = $1 order by 1`,
      [table],
    )
    for (const { name, roles, condition, check, command } of policies)
      if (roles.endsWith('_system')) t.is(name, 'system', table)
      else if (roles.endsWith('_backup')) t.deepEqual([name, command, condition], ['backup', 'SELECT', 'true'], table)
      else {
        t.is(name, 'tenant', table)
        const column = table === 'tenants' ? 'id' : 'tenant_id'
        t.is(condition, `(${column} = (NULLIF(current_setting('app.tenant'::text, true), ''::text))::uuid)`, table)
        t.is(check, null, 'what may be seen may be written')
      }
    t.is(policies.filter(({ name }) => name === 'tenant').length, 1, table)
  }
})

test('tables without an owner are known ones', async (t) => {
  const tables = (
    await fence.asked<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
    )
  ).map(({ name }) => name)
  const owned = await fence.ownedTables()
  t.deepEqual(
    tables.filter((name) => !owned.includes(name)),
    [
      'account_attempts',
      'account_authenticators',
      'account_mails',
      'account_recovery_codes',
      'account_registrations',
      'account_sessions',
      'account_tokens',
      'accounts',
      'blog_categories',
      'blog_posts',
      'deleted_tenants',
      'ecosystem_allowances',
      'ecosystem_credentials',
      'ecosystem_identifiers',
      'ecosystem_participants',
      'ecosystems',
      'environments',
      'help_articles',
      'key_store_logins',
      'legal_acceptances',
      'legal_policies',
      'legal_policy_versions',
      'log_keys',
      'migrations',
      'organization_invitations',
      'organization_members',
      'organizations',
      'platform_epoch',
      'platform_keys',
      'rate_limits',
      'tenant_import_segments',
      'tenant_imports',
      'tenants',
      'unlisted_keys',
      'webhook_keys',
    ],
  )
})

test('a reference between two tenants’ tables carries the tenant, or the database would accept a foreign one', async (t) => {
  const owned = await fence.ownedTables()
  const references = await fence.asked<{ name: string; from: string; to: string; columns: string }>(
    `select c.conname as name, c.conrelid::regclass::text as from, c.confrelid::regclass::text as to,
      (select string_agg(a.attname, ',') from pg_attribute a where a.attrelid = c.conrelid and a.attnum = any(c.conkey)) as columns
     from pg_constraint c where c.contype = 'f'`,
  )
  t.true(references.length > 5)
  const loose = references.filter(
    ({ from, to, columns }) => owned.includes(from) && owned.includes(to) && !columns.split(',').includes('tenant_id'),
  )
  t.deepEqual(loose.map(({ name }) => name).sort(), [
    // written by statements that found the credential behind the fence first; a second key would cost every signature
    'credential_holders_credential_id_fkey',
    'credential_notifications_credential_id_fkey',
    'credential_status_changes_credential_id_fkey',
  ])
})

test('what is unique is unique within a tenant, or a name that one tenant has would tell another', async (t) => {
  const indexes = await fence.asked<{ name: string; columns: string }>(
    `select i.indexrelid::regclass::text as name,
      (select string_agg(a.attname || ':' || a.atttypid::regtype, ',' order by a.attnum) from pg_attribute a
       where a.attrelid = i.indrelid and a.attnum = any(i.indkey)) as columns
     from pg_index i join pg_attribute t on t.attrelid = i.indrelid and t.attname = 'tenant_id' where i.indisunique order by 1`,
  )
  t.true(indexes.length > 10)
  // ids that we make are random: nobody can ask for one
  const random = (columns: string) => columns.split(',').some((column) => column.endsWith(':uuid'))
  t.deepEqual(
    indexes.filter(({ columns }) => !columns.includes('tenant_id') && !random(columns)).map(({ name }) => name),
    [
      'domains_verified', // a domain belongs to whoever proved it
      'outbox_workflow_id_key', // begins with the tenant
    ],
  )
})

test('the application’s role is no owner, no superuser, and cannot become one', async (t) => {
  const rows = await fence.query<Record<string, unknown>>(
    `select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication,
      (select count(*)::int from pg_auth_members m where m.member = r.oid) as memberships,
      (select count(*)::int from pg_class where relowner = r.oid) as owned,
      has_schema_privilege(current_user, 'public', 'create') as creates
     from pg_roles r where rolname = current_user`,
  )
  t.deepEqual(rows, [
    {
      rolsuper: false,
      rolbypassrls: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolreplication: false,
      memberships: 0,
      owned: 0,
      creates: false,
    },
  ])
  for (const text of [
    'alter table dids disable row level security',
    'alter table dids no force row level security',
    'drop policy tenant on dids',
    'create policy mine on dids using (true)',
    'truncate dids',
    'create table mine (x int)',
    'set role postgres',
    `alter role current_user bypassrls`,
    `copy dids to program 'cat'`,
    'select pg_read_file($$/etc/passwd$$)',
  ])
    t.like(await t.throwsAsync(fence.query(text)), { code: '42501' }, text)
  t.like(await t.throwsAsync(fence.query('set row_security = off; select * from dids')), { code: '42501' })
  await fence.query('reset row_security')
  const functions = await fence.asked<{ name: string }>(
    `select proname as name from pg_proc where prosecdef and pronamespace = 'public'::regnamespace`,
  )
  t.deepEqual(functions, [], 'no function runs as somebody else')
})

const STEPS_OVER = { message: /can bypass row-level security/ }

test('the API does not start as a role that steps over the fence', async (t) => {
  await t.notThrowsAsync(assertFenced(fence.database.tenants))
  const owner = await connect(fence.database.url, 1)
  try {
    await t.throwsAsync(assertFenced(owner), STEPS_OVER)
  } finally {
    await owner.close()
  }
  const name = roleUrl(fence.database.url, fence.masterKey, 'app').split('//')[1]?.split(':')[0] ?? ''
  const admin = await connect(fence.database.url, 1)
  const asOwner = (text: string) => admin.em.getConnection().execute(text)
  try {
    await asOwner(`create role beyond; grant beyond to "${name}"`)
    await t.throwsAsync(assertFenced(fence.database.tenants), STEPS_OVER, 'a member may do what the group may')
    await asOwner(`revoke beyond from "${name}"; drop role beyond`)
    await t.notThrowsAsync(assertFenced(fence.database.tenants))
  } finally {
    await admin.close()
  }
})
