import { randomUUID } from 'node:crypto'
import { Readable, Writable } from 'node:stream'
import type { Pool, PoolClient } from 'pg'
import { connect, sqlOf } from '../../../entities/orm.ts'
import { roleUrl } from '../../../entities/roles.ts'
import { restoreInto } from '../../../stack/backups/load.ts'
import { writeBackup } from '../../../stack/backups/write.ts'
import type { Fence } from '../frame/fence.ts'

/** Runs `work` on one connection. */
export async function connected<T>(url: string, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const orm = await connect(url, 1)
  const client = await ((await sqlOf(orm)) as Pool).connect()
  try {
    return await work(client)
  } finally {
    client.release(true)
    await orm.close()
  }
}

/** What the tests of backups ask of a database that has one row of everything. */
interface Subject {
  database: Pick<Fence['database'], 'url' | 'superuserUrl'>
  masterKey: Buffer
}

export function backupsOf({ database, masterKey }: Subject) {
  const superuserOf = (name: string) => database.superuserUrl.replace(/\/countersign$/, `/${name}`)

  const asRole = (role: 'app' | 'system' | 'backup') => roleUrl(database.url, masterKey, role)

  /** An empty database of the owner's. */
  async function emptyDatabase(): Promise<{ name: string; url: string }> {
    const name = `r${randomUUID().slice(0, 8)}`
    await connected(superuserOf('postgres'), (client) => client.query(`create database ${name} owner countersign`))
    return { name, url: database.url.replace(/\/countersign$/, `/${name}`) }
  }

  /** Each table's rows, counted and digested by PostgreSQL, as the superuser sees them. */
  const contentOf = (name: string): Promise<Record<string, { rows: number; md5: string | null }>> =>
    connected(superuserOf(name), async (client) => {
      const { rows: tables } = await client.query<{ name: string }>(
        `select tablename as name from pg_tables where schemaname = 'public' and tablename not in ('migrations', 'platform_epoch', 'restore_under_way')`,
      )
      const content: Record<string, { rows: number; md5: string | null }> = {}
      for (const table of tables) {
        const text = `select count(*)::int as rows, md5(string_agg(t::text, ',' order by t::text)) as md5 from ${table.name} t`
        const { rows } = await client.query<{ rows: number; md5: string | null }>(text)
        content[table.name] = rows[0] ?? { rows: -1, md5: null }
      }
      return content
    })

  /** The text of a backup, as the role of backups reads it. */
  async function backupText(url = asRole('backup')): Promise<string> {
    const chunks: Buffer[] = []
    const sink = new Writable({
      write(chunk: Buffer, _encoding, done) {
        chunks.push(Buffer.from(chunk))
        done()
      },
    })
    await connected(url, (client) => writeBackup(client, sink))
    return Buffer.concat(chunks).toString()
  }

  const restoreText = (url: string, text: string | Buffer) =>
    restoreInto(url, masterKey, Readable.from([Buffer.from(text)]))

  const tablesIn = (url: string) =>
    connected(url, async (client) => {
      const { rows } = await client.query<{ left: number }>(
        `select (select count(*) from pg_tables where schemaname = 'public')::int
          + (select count(*) from pg_proc where pronamespace = 'public'::regnamespace)::int as left`,
      )
      return rows[0]?.left
    })

  return { superuserOf, asRole, emptyDatabase, contentOf, backupText, restoreText, tablesIn }
}

export type Backups = ReturnType<typeof backupsOf>
