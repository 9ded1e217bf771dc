import { createHash, createHmac, pbkdf2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import type { MikroORM } from '@mikro-orm/postgresql'
import { RIGHTS } from './orm.ts'

/** Tables of the system role that belong to no tenant, without row-level security. */
const UNFENCED: readonly string[] = [
  'ecosystem_allowances',
  'ecosystem_credentials',
  'ecosystem_identifiers',
  'ecosystem_participants',
  'ecosystems',
  'accounts',
  'account_registrations',
  'account_tokens',
  'account_sessions',
  'account_attempts',
  'account_mails',
  'account_authenticators',
  'account_recovery_codes',
  'organizations',
  'organization_members',
  'organization_invitations',
  'environments',
  'deleted_tenants',
  'tenant_imports',
  'tenant_import_segments',
  'platform_keys',
  'log_keys',
  'webhook_keys',
  'unlisted_keys',
  'platform_epoch',
  'migrations',
  'key_store_logins',
  'help_articles',
  'blog_categories',
  'blog_posts',
  'legal_policies',
  'legal_policy_versions',
  'legal_acceptances',
]

/** `backup` reads every row of every table, and nothing else: for backups, by us or by pg_dump. */
type Role = 'app' | 'system' | 'backup'

/** Roles are global to a PostgreSQL cluster, so their names carry the database's. */
const roleName = (owner: URL, role: Role) => `${decodeURIComponent(owner.pathname.slice(1))}_${role}`

/** Derives the password, so that no further secret has to be stored; another master key gives another password. */
const password = (masterKey: Uint8Array, name: string) =>
  createHmac('sha256', masterKey).update(`countersign/database/${name}`).digest('base64url')

/** The address under which a process connects as `role`. */
export function roleUrl(ownerUrl: string, masterKey: Uint8Array, role: Role): string {
  const url = new URL(ownerUrl)
  const name = roleName(url, role)
  url.username = encodeURIComponent(name)
  url.password = password(masterKey, name)
  return url.href
}

/** As PostgreSQL's own. */
const ITERATIONS = 4096

/**
 * Returns the SCRAM-SHA-256 verifier of a password (RFC 7677, RFC 5802 section 3) as PostgreSQL stores it. It stands in a
 * statement in place of the password, because PostgreSQL writes the text of a statement that fails into its log.
 * `password`: ASCII, which SASLprep leaves as it is.
 */
export async function scramVerifier(password: string, salt: Uint8Array = randomBytes(16)): Promise<string> {
  const salted = await promisify(pbkdf2)(password, salt, ITERATIONS, 32, 'sha256')
  const keyed = (name: string) => createHmac('sha256', salted).update(name).digest()
  const storedKey = createHash('sha256').update(keyed('Client Key')).digest('base64')
  const serverKey = keyed('Server Key').toString('base64')
  return `SCRAM-SHA-256$${ITERATIONS}:${Buffer.from(salt).toString('base64')}$${storedKey}:${serverKey}`
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`

type Execute = (text: string, values?: unknown[]) => Promise<unknown[]>

async function ensureLogin(execute: Execute, name: string, masterKey: Uint8Array): Promise<void> {
  const existing = await execute('select 1 from pg_roles where rolname = ?', [name])
  // only a superuser may name SUPERUSER in ALTER ROLE; assertFenced checks the role's attributes
  const verb = existing.length ? 'alter' : 'create'
  await execute(`${verb} role ${quote(name)} login password '${await scramVerifier(password(masterKey, name))}'`)
}

/** Tables with row-level security but without a policy for this role. A copied database has another role's policy. */
const UNREADABLE = `select c.oid::regclass::text as name from pg_class c
where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relrowsecurity
  and not exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'backup'
    and p.polroles = array(select r.oid from pg_roles r where r.rolname = ?))`

/** A policy in place of BYPASSRLS, which only a superuser can grant: managed databases have none. */
async function createBackupRole(execute: Execute, name: string, masterKey: Uint8Array): Promise<void> {
  await ensureLogin(execute, name, masterKey)
  const role = quote(name)
  await execute(`grant usage on schema public to ${role}; grant select on all tables in schema public to ${role};
    grant select on all sequences in schema public to ${role}`)
  for (const { name: table } of (await execute(UNREADABLE, [name])) as { name: string }[])
    await execute(`drop policy if exists backup on ${table};
      create policy backup on ${table} for select to ${role} using (true)`)
}

/** Creates the roles and grants what `RIGHTS` says; safe to repeat. Needs CREATEROLE, or roles made beforehand. */
export async function createRoles(owner: MikroORM, ownerUrl: string, masterKey: Uint8Array): Promise<void> {
  const connection = owner.em.getConnection()
  const execute: Execute = (text, values) => connection.execute(text, values)
  await createBackupRole(execute, roleName(new URL(ownerUrl), 'backup'), masterKey)
  for (const role of ['app', 'system'] as const) {
    const name = roleName(new URL(ownerUrl), role)
    await ensureLogin(execute, name, masterKey)
    const statements = RIGHTS.flatMap(([table, { [role]: rights }]) =>
      rights ? [`grant ${rights} on ${table} to ${quote(name)}`] : [],
    )
    await connection.execute([`grant usage on schema public to ${quote(name)}`, ...statements].join('; '))
  }
  const system = quote(roleName(new URL(ownerUrl), 'system'))
  const tables = RIGHTS.filter(([table, rights]) => rights.system && !UNFENCED.includes(table))
  await connection.execute(
    tables
      .map(
        ([table]) =>
          `drop policy if exists system on ${table}; create policy system on ${table} to ${system} using (true)`,
      )
      .join('; '),
  )
}

/** Throws for a role that can bypass row-level security, the second fence between tenants. */
export async function assertFenced(orm: MikroORM): Promise<void> {
  const [role] = await orm.em.getConnection().execute<{ unfenced: boolean; owned: number }[]>(
    `select rolsuper or rolbypassrls or rolcreaterole or rolreplication
        or exists (select from pg_auth_members where member = pg_roles.oid) as unfenced,
      (select count(*)::int from pg_tables where tableowner = current_user and schemaname = 'public') as owned
     from pg_roles where rolname = current_user`,
  )
  if (!role || role.unfenced || role.owned > 0)
    throw new Error(
      'The database role of the API can bypass row-level security; it must be neither superuser, owner nor BYPASSRLS, nor a member of another role.',
    )
}
