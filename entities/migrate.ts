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

/** Any constant, the same in every process: one of them migrates, the others wait. */
const MIGRATION_LOCK = 7_261_937

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
    logger: () => undefined,
    migrations: {
      migrationsList: await Promise.all(SCHEMA.map(async (name) => ({ name, class: await classOf(name) }))),
      snapshot: false,
      tableName: 'migrations',
      silent: true,
    },
  })
  try {
    const [server] = await orm.em.execute<{ version: number }[]>(
      `select current_setting('server_version_num')::int as version`,
    )
    assertPostgresVersion(server?.version ?? 0)
    await orm.em.transactional(async (lock) => {
      await lock.execute('select pg_advisory_xact_lock(?)', [MIGRATION_LOCK])
      // before the roles get other passwords; a transaction of its own, for migrations need the locks that it takes
      await orm.em.fork().transactional(async (em) => {
        const query = (text: string) => em.execute<unknown[]>(text)
        await assertMasterKey(query, masterKey)
        if (!restoring) assertNoRestore(await restoreState(query))
      })
      const executed = await orm.migrator.getExecuted()
      assertNotNewer(executed.map(({ name }) => name)) // else functions of a newer version would become ours
      await orm.migrator.up(only ? { migrations: [...only] } : {})
      if (only) return
      // a transaction of its own, for the roles need the locks that it takes
      await orm.em.fork().transactional(async (em) => {
        await applyFunctions(em)
        await em.execute(FIRST_EPOCH)
      })
      await createRoles(orm, ownerUrl, masterKey)
      await lock.execute(MARK_COMPLETE)
    })
  } finally {
    await orm.close()
  }
}
