import { readdirSync } from 'node:fs'
import type { Sql } from './orm.ts'

export const MIGRATIONS_FOLDER = new URL('migrations/', import.meta.url)

/**
 * The migrations that this program was written for, in their order: `NNNN-<area>-<what>`, as their files are called. Only
 * migrations tell the versions apart. So a migration, which may be empty, comes with a change of a function or a right that new
 * code needs, or that an older program cannot work with (D-232); test/project/functions.json keeps the digest of both.
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
  readonly schema: 'older' | 'newer'

  constructor(schema: 'older' | 'newer', message: string) {
    super(message)
    this.schema = schema
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
 * a process that starts in between would work with the functions of the version before. It counts the migrations, because a new
 * one is not always the last, and names the database, because a copy under another name lacks roles, whose names have it.
 */
const COMPLETE = `'functions and roles are those of ${SCHEMA.at(-1)}, the last of ${SCHEMA.length}, in ' || current_database()`

/** Says in the database that it is complete. */
export const MARK_COMPLETE = `do $$ begin execute format('comment on table migrations is %L', ${COMPLETE}); end $$`

const IS_COMPLETE = `select obj_description('migrations'::regclass, 'pg_class') = ${COMPLETE} as complete`

/**
 * Throws `SchemaMismatch`: with the names of the migrations that the program does not know, or that the database lacks; without a
 * name where they cannot be read, or where only functions and roles are missing. `sql` is the system role's.
 */
export async function assertSchema(sql: Sql): Promise<void> {
  const applied = await appliedMigrations(sql)
  assertNotNewer(applied)
  const missing = SCHEMA.filter((name) => !applied.has(name))
  if (missing.length > 0)
    throw new SchemaMismatch('older', `The database lacks migrations of this version (${missing.join(', ')}): ${HOW}`)
  const { rows } = await sql.query<{ complete: boolean | null }>({ text: IS_COMPLETE, values: [] })
  if (!rows[0]?.complete)
    throw new SchemaMismatch(
      'older',
      `The database has the migrations of this version, but not its functions and roles: a preparation is under way or has failed, or was made by a version before, or for another name of the database. Unless one is under way, ${HOW}`,
    )
}
