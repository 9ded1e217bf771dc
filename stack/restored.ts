import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { migrate } from '../entities/migrate.ts'
import { settleRestored } from './backups/after.ts'
import { asCommand } from './command.ts'
import { LOCAL, withInstallation } from './local/installation.ts'

/**
 * `npm run restored`: for a database that something else than `npm run restore` put back: pg_restore, a snapshot of a disk,
 * a recovery to a point in time.
 */
await asCommand(async () => {
  const { values } = parseArgs({ options: { local: { type: 'string', default: LOCAL } } })
  await withInstallation(process.env, { local: resolve(values.local) }, async (config) => {
    // roles that were made by hand for pg_restore have neither a password nor a login
    await migrate(config.database.url, config.masterKey)
    await settleRestored(config, (line) => process.stdout.write(`${line}\n`))
  })
})
