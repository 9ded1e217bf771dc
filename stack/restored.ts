import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { completeRestored, settleRestored } from './backups/after.ts'
import { asCommand } from './command.ts'
import { LOCAL, withInstallation } from './local/installation.ts'

/**
 * `npm run restored`: for a database that something else than `npm run restore` put back: pg_restore, a snapshot of a disk,
 * a recovery to a point in time.
 */
await asCommand(async () => {
  const { values } = parseArgs({ options: { local: { type: 'string', default: LOCAL } } })
  await withInstallation(process.env, { local: resolve(values.local) }, async (config) => {
    await completeRestored(config)
    await settleRestored(config, (line) => process.stdout.write(`${line}\n`))
  })
})
