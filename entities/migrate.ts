import { setTimeout as wait } from 'node:timers/promises'
import type { Constructor } from '@mikro-orm/core'
import { type Migration, Migrator } from '@mikro-orm/migrations'
import { MikroORM } from '@mikro-orm/postgresql'
import { assertMasterKey } from './administration/master-key.ts'
import { assertNoRestore, restoreState } from './administration/restore-mark.ts'
import { applyFunctions } from './functions/apply.ts'
import { createRoles } from './roles.ts'
import { assertNotNewer, assertPostgresVersion, MARK_COMPLETE, MIGRATIONS_FOLDER, SCHEMA } from './schema.ts'

/** The one class of a migration's file. */
async function classOf(name: string): Promise<Constructor<Migration>> {
  const module: Record<string, Constructor<Migration>> = await import(new URL(`${name}.ts`, MIGRATIONS_FOLDER).href)
  const [migration, ...others] = Object.values(module)
  if (!migration || others.length > 0) throw new Error(`entities/migrations/${name}.ts does not export one migration.`)
  return migration
}

/** Any constant, the same in every process: one of them migrates, the others wait. Backups share it among each other. */
export const MIGRATION_LOCK = 7_261_937

/** A change of a table waits for whoever uses it, and all others wait behind it: for less time than a request waits. */
const LOCK_MS = 1_000
const TRIES = 300
/** PostgreSQL, appendix A: lock_not_available. */
const NOT_AVAILABLE = '55P03'

/** Repeats work that may begin anew until nobody is in its way. */
async function withTurns(work: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await work()
      return
    } catch (error) {
      if (!(error instanceof Error) || Reflect.get(error, 'code') !== NOT_AVAILABLE) throw error
      if (tries === TRIES)
        throw new Error(
          `A table has been in use by another session for ${(2 * TRIES * LOCK_MS) / 60_000} minutes (${error.message}): end what pg_stat_activity shows, such as pg_dump, and prepare again. What was applied stays.`,
          { cause: error },
        )
      await wait(LOCK_MS)
    }
  }
}

/** Stores the incarnation in which a new database was created. */
const FIRST_EPOCH = `insert into platform_epoch (incarnation) values (database_incarnation()) on conflict do nothing`

export interface MigrationOptions {
  /** Only these migrations, without functions and roles, which are for all of them: the rest may come later. */
  only?: readonly string[]
  /** For the commands that restore: goes on in a database whose restore has not ended. */
  restoring?: boolean
}

/**
 * Brings the tables, the functions and the roles up to date as the owner. Several processes may call it at once. Throws
 * `SchemaMismatch` where a newer version has migrated the database, and where another master key set it up.
 */
export async function migrate(
  ownerUrl: string,
  masterKey: Uint8Array,
  { only, restoring = false }: MigrationOptions = {},
): Promise<void> {
  const orm = await MikroORM.init({
    entities: [], // statements alone: none is looked up
    discovery: { warnWhenNoEntities: false },
    clientUrl: ownerUrl,
    extensions: [Migrator],
    pool: { min: 0, max: 4 },
    driverOptions: { lock_timeout: LOCK_MS },
    logger: () => undefined,
    migrations: {
      migrationsList: await Promise.all(SCHEMA.map(async (name) => ({ name, class: await classOf(name) }))),
      snapshot: false,
      tableName: 'migrations',
      silent: true,
      allOrNothing: false, // else the first one's locks are held until the last one has built its indexes
    },
  })
  try {
    const [server] = await orm.em.execute<{ version: number }[]>(
      `select current_setting('server_version_num')::int as version`,
    )
    assertPostgresVersion(server?.version ?? 0)
    await orm.em.transactional(async (lock) => {
      await lock.execute('set local lock_timeout = 0')
      await lock.execute('select pg_advisory_xact_lock(?)', [MIGRATION_LOCK])
      // before the roles get other passwords; a transaction of its own, for migrations need the locks that it takes
      await orm.em.fork().transactional(async (em) => {
        const query = (text: string) => em.execute<unknown[]>(text)
        await assertMasterKey(query, masterKey)
        if (!restoring) assertNoRestore(await restoreState(query))
      })
      const executed = await orm.migrator.getExecuted()
      assertNotNewer(executed.map(({ name }) => name)) // else functions of a newer version would become ours
      await withTurns(() => orm.migrator.up(only ? { migrations: [...only] } : {}))
      if (only) return
      // a transaction of its own, for the roles need the locks that it takes
      await withTurns(() =>
        orm.em.fork().transactional(async (em) => {
          await applyFunctions(em)
          await em.execute(FIRST_EPOCH)
        }),
      )
      await withTurns(() => createRoles(orm, ownerUrl, masterKey))
      await lock.execute(MARK_COMPLETE)
    })
  } finally {
    await orm.close()
  }
}
