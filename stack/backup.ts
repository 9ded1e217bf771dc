import { createReadStream, createWriteStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { createGzip } from 'node:zlib'
import type { Pool } from 'pg'
import type { Config } from '../config.ts'
import { connectUnhurried, sqlOf } from '../entities/orm.ts'
import { roleUrl } from '../entities/roles.ts'
import { type Tail } from './backups/format.ts'
import { readBackup, unpack } from './backups/read.ts'
import { measure } from './backups/tables.ts'
import { writeBackup } from './backups/write.ts'
import { asCommand } from './command.ts'
import { LOCAL, withInstallation } from './local/installation.ts'

/** Standard output may be the backup itself. */
const say = (line: string) => process.stderr.write(`${line}\n`)

/** As fast as PostgreSQL reads; a higher level saves little of what is signatures for the most part. */
const COMPRESSION = { level: 3 }

async function backUp(config: Config, out: Writable): Promise<Tail> {
  const orm = await connectUnhurried(roleUrl(config.database.url, config.masterKey, 'backup'), 1)
  const client = await ((await sqlOf(orm)) as Pool).connect()
  const gzip = createGzip(COMPRESSION)
  const write = async () => {
    try {
      const { tail } = await writeBackup(client, gzip)
      gzip.end()
      return tail
    } catch (error) {
      gzip.destroy()
      throw error
    }
  }
  try {
    // the first to fail is the reason, also where the other fails for it
    const [tail] = await Promise.all([write(), pipeline(gzip, out, { end: out !== process.stdout })])
    return tail
  } finally {
    client.release(true)
    await orm.close()
  }
}

/** Reads the file again as a restore will: what the disk gives back is what was read from the database. */
async function check(file: string, { tables }: Tail): Promise<void> {
  const reader = await readBackup(unpack(() => createReadStream(file)))
  for await (const { table, rows } of reader.sections()) {
    const measured = measure()
    for await (const chunk of rows) measured.add(chunk)
    if (JSON.stringify(measured.result()) !== JSON.stringify(tables[table]))
      throw new Error(`The rows of ${table} in ${file} differ from those that were read from the database.`)
  }
  if (JSON.stringify(reader.tail().tables) !== JSON.stringify(tables))
    throw new Error(`${file} lacks tables of the database.`)
}

/** Under its name only when it is whole. */
async function toFile(config: Config, file: string): Promise<Tail> {
  const partial = `${file}.partial`
  try {
    const tail = await backUp(config, createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true }))
    await check(partial, tail)
    renameSync(partial, file)
    return tail
  } finally {
    rmSync(partial, { force: true })
  }
}

const elsewhere = ({ vault, epochDirectory }: Config, given: boolean) => [
  given
    ? 'KEY_STORE_MASTER_KEY: it decrypts local keys, stored responses and waiting payloads. Do not keep it beside the backup.'
    : `${join(LOCAL, 'master.key')}: it decrypts local keys, stored responses and waiting payloads. Do not keep it beside the backup.`,
  vault
    ? 'Vault, with its own snapshots: it has the private keys, and the mark that shows a restored database.'
    : `${epochDirectory}: it has the mark that shows a restored database. Leave it in place, and never restore it from a copy.`,
  'Temporal needs no backup: the platform starts unfinished work again from these rows.',
]

/**
 * `npm run backup [-- FILE]`: all rows as they are at one moment, in one file that only we may read; `-` is standard output.
 * The platform may run meanwhile.
 */
await asCommand(async () => {
  const options = { local: { type: 'string', default: LOCAL } } as const
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const local = resolve(values.local)
  const stamp = new Date().toISOString().replaceAll(':', '').slice(0, 17)
  const file = positionals[0] ?? join(local, 'backups', `countersign-${stamp}Z.sql.gz`)
  await withInstallation(process.env, { local }, async (config) => {
    if (file === '-') {
      await backUp(config, process.stdout)
      return
    }
    if (existsSync(file)) throw new Error(`${file} exists already: name another file.`)
    mkdirSync(dirname(resolve(file)), { recursive: true, mode: 0o700 })
    const tail = await toFile(config, file)
    const measured = Object.values(tail.tables)
    const rows = measured.reduce((sum, table) => sum + table.rows, 0)
    say(`${file}: ${rows} rows of ${measured.length} tables, written, then read again and compared.`)
    say('The backup has personal data and encrypted secrets: protect it like the database. Keep in another place:')
    for (const line of elsewhere(config, Boolean(process.env.KEY_STORE_MASTER_KEY))) say(`- ${line}`)
  })
})
