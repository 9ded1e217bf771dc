import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { PoolClient } from 'pg'
import { MIGRATION_LOCK } from '../../entities/migrate.ts'
import { assertNotNewer, SCHEMA } from '../../entities/schema.ts'
import { copyIn, END_OF_ROWS, FIRST, type Head, LAST, type Measured, SESSION, type Tail } from './format.ts'
import { measure, rowsOf, type Table, tablesInOrder } from './tables.ts'

/**
 * Tables whose rows this role would not see all of. A query of it gives fewer rows and no error, so that a backup would be
 * whole to look at.
 */
const HALF_SEEN = `select c.relname as name from pg_class c
where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and row_security_active(c.oid) and (
  not exists (select from pg_policy p where p.polrelid = c.oid and p.polpermissive and p.polcmd in ('r', '*')
    and pg_get_expr(p.polqual, p.polrelid) = 'true' and p.polroles && array(select oid from pg_roles where rolname = current_user))
  or exists (select from pg_policy p where p.polrelid = c.oid and not p.polpermissive)) order by 1`

const SEQUENCES = `select sequencename as name, last_value::text as value from pg_sequences
where schemaname = 'public' and sequencename not like 'migrations%' and last_value is not null`

async function headOf(client: PoolClient): Promise<Head> {
  const { rows: half } = await client.query<{ name: string }>(HALF_SEEN)
  if (half.length > 0)
    throw new Error(
      `This role does not see every row of ${half.map(({ name }) => name).join(', ')}. Bring the roles up to date: npm start does, or stack/prepare.ts.`,
    )
  const { rows: applied } = await client.query<{ name: string }>('select name from migrations')
  assertNotNewer(applied.map(({ name }) => name))
  const schema = SCHEMA.filter((known) => applied.some(({ name }) => name === known))
  const { rows } = await client.query<{ server: string; time: Date; master: string | null }>(
    `select current_setting('server_version') as server, transaction_timestamp() as time,
      (select to_jsonb(e) ->> 'master_key_id' from platform_epoch e) as master`,
  )
  if (!rows[0]) throw new Error('The database does not answer.')
  const { server, time, master } = rows[0]
  return {
    format: 1,
    createdAt: new Date(time).toISOString(),
    schema,
    server,
    ...(master && { masterKeyId: master }),
  }
}

/**
 * Writes the whole database as it is at one moment, table by table, never one of them whole in memory. The session is for
 * this alone: who began it ends it, and with it its transaction and its lock.
 */
export async function writeBackup(client: PoolClient, out: Writable): Promise<{ head: Head; tail: Tail }> {
  const write = async (chunk: string | Buffer) => {
    if (!out.write(chunk)) await once(out, 'drain')
  }
  async function writeTable(table: Table): Promise<Measured> {
    await write(`${copyIn(table.name, table.columns)};\n`)
    const measured = measure()
    for await (const chunk of rowsOf(client, table)) {
      measured.add(chunk as Buffer)
      await write(chunk as Buffer)
    }
    await write(`${END_OF_ROWS}\n`)
    const { rows } = await client.query<{ count: string }>(`select count(*) as count from public.${table.name}`)
    const result = measured.result()
    if (String(result.rows) !== rows[0]?.count)
      throw new Error(`${table.name}: ${result.rows} rows were read of ${rows[0]?.count}.`)
    return result
  }

  // a migration waits for this lock, and not for a table with everybody else behind it
  await client.query('select pg_advisory_lock_shared($1)', [MIGRATION_LOCK])
  await client.query('begin isolation level repeatable read read only')
  await client.query(SESSION)
  const head = await headOf(client)
  await write(`${FIRST}${JSON.stringify(head)}\n`)
  const tables: Tail['tables'] = {}
  for (const table of await tablesInOrder(client)) tables[table.name] = await writeTable(table)
  const { rows } = await client.query<{ name: string; value: string }>(SEQUENCES)
  const tail = { tables, sequences: Object.fromEntries(rows.map(({ name, value }) => [name, value])) }
  await write(`${LAST}${JSON.stringify(tail)}\n`)
  return { head, tail }
}
