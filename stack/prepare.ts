import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bootstrap } from '../activities/administration/bootstrap.ts'
import { loadConfig } from '../config.ts'
import { asCommand } from './command.ts'
import { promisedSecret, writeFirstTenant } from './local/first-tenant.ts'

/** Once per start and in docker-compose.yml: schema, roles, search attributes, schedules, first tenant and its file. */
await asCommand(async () => {
  const config = loadConfig(process.env)
  const file = process.argv[2] ?? join(fileURLToPath(new URL('..', import.meta.url)), '.local', 'first-tenant.json')
  const found = await bootstrap(config, (line) => process.stdout.write(`${line}\n`), promisedSecret(file))
  const baseUrl = config.publicUrl.href.replace(/\/$/, '')
  writeFirstTenant(file, found, { baseUrl, docsUrl: `${baseUrl}/docs`, temporalUiUrl: config.temporal.uiUrl })
})
