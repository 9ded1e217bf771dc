import { createReadStream, existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { settleRestored } from './backups/after.ts'
import { restoreInto } from './backups/load.ts'
import { unpack } from './backups/read.ts'
import { asCommand } from './command.ts'
import { LOCAL, withInstallation } from './local/installation.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)

/**
 * `npm run restore -- FILE`: puts a backup into an empty database, compares it with what was backed up, and makes it safe
 * to go on from; `-` is standard input. The platform does not run meanwhile.
 */
await asCommand(async () => {
  const options = { local: { type: 'string', default: LOCAL } } as const
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const [file] = positionals
  if (!file) throw new Error('Name the backup: npm run restore -- FILE')
  if (file !== '-' && !existsSync(file)) throw new Error(`There is no file ${file}.`)
  await withInstallation(process.env, { local: resolve(values.local), fresh: true }, async (config) => {
    const begun = Date.now()
    const source = unpack(() => (file === '-' ? process.stdin : createReadStream(file)))
    const { head, tail, warnings } = await restoreInto(config.database.url, config.masterKey, source)
    const rows = Object.values(tail.tables).reduce((sum, table) => sum + table.rows, 0)
    say(
      `${rows} rows of ${head.createdAt} restored and compared with the backup, in ${Math.round((Date.now() - begun) / 1000)} s.`,
    )
    for (const warning of warnings) say(warning)
    await settleRestored(config, say)
    say(`Credentials that were revoked after ${head.createdAt} are valid again: revoke them before you open the API.`)
    say(
      'Tenants, clients, accounts, operators, members, DIDs and templates that were deleted or changed after that time are as they were before: check them.',
    )
    say('Then start the platform: it continues unfinished work by itself.')
  })
})
