import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Pool, PoolClient } from 'pg'
import { from } from 'pg-copy-streams'
import { assertMasterKey, assertMasterKeyId } from '../../entities/administration/master-key.ts'
import {
  MARK_LOADED,
  MARK_RESTORE,
  RESTORE_MARK,
  restoreState,
  UNMARK_RESTORE,
} from '../../entities/administration/restore-mark.ts'
import { migrate } from '../../entities/migrate.ts'
import { connectUnhurried, sqlOf } from '../../entities/orm.ts'
import { SCHEMA } from '../../entities/schema.ts'
import { copyIn, type Head, SESSION, type Tail } from './format.ts'
import { type BackupReader, readBackup, type Section } from './read.ts'
import { measure, measureTable, type Table, tablesInOrder } from './tables.ts'

export interface Restored {
  head: Head
  tail: Tail
  /** What the operator may have to do, though all rows are there. */
  warnings: string[]
}

const inOrder = (names: string[]) => names.toSorted().join(', ')

/** Throws where the backup needs migrations that this program does not have. It may lack any of those that it has. */
function assertKnown({ schema }: Head): void {
  const unknown = schema.filter((name) => !SCHEMA.includes(name))
  if (unknown.length > 0)
    throw new Error(`The backup was made by a newer version (${unknown.join(', ')}): restore it with that version.`)
}

const askedOf = (client: PoolClient) => async (text: string) => (await client.query<object>(text)).rows

async function assertEmpty(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ database: string; tables: number }>(
    `select current_database() as database, (select count(*)::int from pg_tables where schemaname = 'public') as tables`,
  )
  if (rows[0]?.tables !== 0)
    throw new Error(`The database ${rows[0]?.database} has tables: restore the backup into an empty database.`)
}

/** What a failed restore made in a database that was empty. */
async function clear(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `select 'drop table if exists public.' || quote_ident(tablename) || ' cascade' as statement from pg_tables
     where schemaname = 'public' and tablename <> '${RESTORE_MARK}'
     union all select 'drop function if exists ' || p.oid::regprocedure || ' cascade' from pg_proc p
     where p.pronamespace = 'public'::regnamespace
       and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
  )
  for (const { statement } of rows) await client.query(statement)
  await client.query(UNMARK_RESTORE) // last: who is interrupted here leaves what the next restore clears
}

/** Any constant, the same in every process: nobody clears what another restore is loading. */
const RESTORE_LOCK = 7_261_938

/** Takes the database for this restore: it is empty, or has what an interrupted restore left. */
async function take(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [RESTORE_LOCK])
  if (!rows[0]?.mine) throw new Error('Another restore into this database is under way.')
  if ((await restoreState(askedOf(client))) === 'loading') await clear(client)
  await assertEmpty(client)
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** The database as it was before; where that fails too, as on a lost connection, the first error is told with it. */
async function undo(client: PoolClient, reason: unknown): Promise<void> {
  try {
    await client.query('rollback')
    await clear(client)
  } catch (error) {
    const left = `The next restore removes what this one left in the database (${messageOf(error)}).`
    throw new Error(`${messageOf(reason)} ${left}`, { cause: reason })
  }
}

/** Plans of new rows, table by table: that of one that fails comes later, by autovacuum. Returns the failures. */
async function analyse(client: PoolClient): Promise<string[]> {
  const warnings: string[] = []
  for (const { name } of await tablesInOrder(client))
    await client.query(`analyze public.${name}`).catch((error: unknown) => {
      warnings.push(`The table ${name} could not be analysed (${messageOf(error)}): run ANALYZE ${name}.`)
    })
  return warnings
}

async function loadTable(client: PoolClient, table: Table, { columns, rows }: Section) {
  if (inOrder(columns) !== inOrder(table.columns))
    throw new Error(`${table.name} has other columns in the backup than in this version: ${columns.join(', ')}.`)
  const measured = measure()
  const passing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      measured.add(chunk)
      done(null, chunk)
    },
  })
  await pipeline(Readable.from(rows, { objectMode: false }), passing, client.query(from(copyIn(table.name, columns))))
  return measured.result()
}

const same = (one: object | undefined, other: object | undefined) => JSON.stringify(one) === JSON.stringify(other)

/** Row-level security holds for the owner too, and COPY asks for no exception: it is put back in the same transaction. */
const FENCED = `select 'alter table public.' || quote_ident(relname) as alter_table from pg_class
where relnamespace = 'public'::regnamespace and relkind = 'r' and relforcerowsecurity`

async function load(client: PoolClient, reader: BackupReader, masterKey: Uint8Array): Promise<Tail> {
  const tables = await tablesInOrder(client)
  const { rows: fenced } = await client.query<{ alter_table: string }>(FENCED)
  for (const { alter_table } of fenced) await client.query(`${alter_table} no force row level security`)
  // what migrations write into a new database comes with the backup
  for (const { name } of tables.toReversed()) await client.query(`delete from public.${name}`)
  const loaded: Tail['tables'] = {}
  for await (const section of reader.sections()) {
    const table = tables.find(({ name }) => name === section.table)
    if (!table || loaded[table.name]) throw new Error(`The backup has a table ${section.table}, which is not expected.`)
    loaded[table.name] = await loadTable(client, table, section)
  }
  const tail = reader.tail()
  for (const table of tables) {
    const [told, came] = [tail.tables[table.name], loaded[table.name]]
    if (!told || !same(told, came)) throw new Error(`The rows of ${table.name} are not those that were backed up.`)
    const stands = await measureTable(client, table)
    if (!same(told, stands))
      throw new Error(
        `${table.name}: ${stands.rows} rows were restored and the backup has ${told.rows}, or their contents differ.`,
      )
  }
  for (const [name, value] of Object.entries(tail.sequences))
    await client.query('select setval($1::regclass, $2::bigint)', [`public.${name}`, value])
  await client.query('set constraints all immediate')
  await assertMasterKey(askedOf(client), masterKey) // of an older backup, whose head does not say
  for (const { alter_table } of fenced) await client.query(`${alter_table} force row level security`)
  return tail
}

/**
 * Puts a backup into an empty database as its owner, and brings it to this version's schema. Rows come in as one transaction,
 * and are compared with the backup before it ends; a restore that fails leaves the database empty, and one that is
 * interrupted leaves a mark, by which the next one begins anew. The mark stays for `settleRestored`.
 */
export async function restoreInto(
  ownerUrl: string,
  masterKey: Uint8Array,
  source: AsyncIterable<Buffer>,
): Promise<Restored> {
  const orm = await connectUnhurried(ownerUrl, 2)
  const client = await ((await sqlOf(orm)) as Pool).connect()
  try {
    await take(client)
    const reader = await readBackup(source)
    assertMasterKeyId(reader.head.masterKeyId, masterKey, 'backup')
    assertKnown(reader.head)
    try {
      await client.query(MARK_RESTORE)
      await migrate(ownerUrl, masterKey, { only: reader.head.schema, restoring: true })
      await client.query('begin')
      await client.query(SESSION)
      const tail = await load(client, reader, masterKey)
      await client.query(MARK_LOADED)
      await client.query('commit')
      await migrate(ownerUrl, masterKey, { restoring: true })
      return { head: reader.head, tail, warnings: await analyse(client) }
    } catch (error) {
      await undo(client, error)
      throw error
    }
  } finally {
    client.release(true)
    await orm.close()
  }
}
