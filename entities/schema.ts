import { readdirSync } from 'node:fs'
import type { Sql } from './orm.ts'

export const MIGRATIONS_FOLDER = new URL('migrations/', import.meta.url)

/**
 * The migrations that this program was written for, in their order: `NNNN-<area>-<what>`, as their files are called. A
 * change of a function that an older program cannot work with comes with a migration, because only migrations tell the
 * versions apart.
 */
export const SCHEMA: readonly string[] = readdirSync(MIGRATIONS_FOLDER)
  .filter((file) => /^\d{4}-.*\.[jt]s$/.test(file))
  .map((file) => file.slice(0, -'.ts'.length))
  .sort()

/**
 * The database is not the one that this program was written for. `older`: migrate the database; `newer`: update the
 * program.
 */
export class SchemaMismatch extends Error {
  override readonly name = 'SchemaMismatch'

  constructor(
    readonly schema: 'older' | 'newer',
    message: string,
  ) {
    super(message)
  }
}

const OLDEST_POSTGRES = 15

/** Throws where PostgreSQL is older than what the migrations use; `version` is its `server_version_num`. */
export function assertPostgresVersion(version: number): void {
  const major = Math.floor(version / 10_000)
  if (!(major >= OLDEST_POSTGRES))
    throw new Error(`PostgreSQL ${OLDEST_POSTGRES} or newer is needed; the database has version ${major}.`)
}

const HOW = 'run npm start, or stack/prepare.ts, to apply them.'

/** PostgreSQL, appendix A: undefined_table and insufficient_privilege. */
const NO_TABLE = '42P01'
const NOT_ALLOWED = '42501'

/** Returns the applied migrations. Throws `SchemaMismatch` where they cannot be read. */
async function appliedMigrations(sql: Sql): Promise<Set<string>> {
  try {
    const { rows } = await sql.query<{ name: string }>({ text: 'select name from migrations', values: [] })
    return new Set(rows.map(({ name }) => name))
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
    if (code === NO_TABLE) throw new SchemaMismatch('older', `No migration was applied to the database yet: ${HOW}`)
    if (code === NOT_ALLOWED)
      throw new SchemaMismatch(
        'older',
        `The system role may not read the applied migrations: an older version did not grant that, or the right was revoked. Migrations of this version may be missing: ${HOW}`,
      )
    throw error
  }
}

/** Throws `SchemaMismatch` where migrations were applied that this program does not know. */
export function assertNotNewer(applied: Iterable<string>): void {
  const unknown = [...applied].filter((name) => !SCHEMA.includes(name)).sort()
  if (unknown.length > 0)
    throw new SchemaMismatch(
      'newer',
      `The database was migrated by a newer version (${unknown.join(', ')}): this one cannot work with it. Update it.`,
    )
}

/**
 * The comment of the table of migrations when functions and roles, which come after the migrations, are up to date too: without it,
 * a process that starts in between would work with the functions of the version before.
 */
export const COMPLETE = `functions and roles are those of ${SCHEMA.at(-1)}`

const COMPLETED = `select obj_description('migrations'::regclass, 'pg_class') as comment`

/** Throws `SchemaMismatch`, naming the migrations. `sql` is the system role's. */
export async function assertSchema(sql: Sql): Promise<void> {
  const applied = await appliedMigrations(sql)
  assertNotNewer(applied)
  const missing = SCHEMA.filter((name) => !applied.has(name))
  if (missing.length > 0)
    throw new SchemaMismatch('older', `The database lacks migrations of this version (${missing.join(', ')}): ${HOW}`)
  const { rows } = await sql.query<{ comment: string | null }>({ text: COMPLETED, values: [] })
  if (rows[0]?.comment !== COMPLETE)
    throw new SchemaMismatch(
      'older',
      `The database has the migrations of this version, but not its functions and roles: a preparation is under way or has failed. If it has failed, ${HOW}`,
    )
}
