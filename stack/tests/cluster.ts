import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bootstrap } from '../../activities/administration/bootstrap.ts'
import { loadConfig } from '../../config.ts'
import { migrate } from '../../entities/migrate.ts'
import { freePort } from '../parts/ports.ts'
import { startPostgres } from '../parts/postgres.ts'

/** Variable of the environment: the directory of a stopped PostgreSQL with all tables, which tests copy (D-396). */
export const CLUSTER = 'TEST_CLUSTER'

/** Variable of the environment: the directory of a stopped PostgreSQL with a platform that was bootstrapped (D-1067). */
export const PLATFORM = 'TEST_PLATFORM'

/** Who opens the platform in a copy, and its first client. */
export interface PreparedPlatform {
  /** In base64. */
  masterKey: string
  tenantId: string
  clientId: string
  clientSecret: string
}

const platformFile = (directory: string) => join(directory, 'platform.json')

/**
 * Makes the PostgreSQL in `parent` that the databases of all test files begin as: making one takes 3 s of a core, copying
 * one 0.1 s. Who starts a copy migrates it again, which gives the roles passwords of their own.
 */
export async function prepareCluster(parent: string): Promise<string> {
  const directory = join(parent, 'cluster')
  const server = await startPostgres({ directory, port: await freePort(), durable: false })
  await migrate(server.url, randomBytes(32)).finally(() => server.stop())
  return directory
}

/** Makes in `parent`, from a cluster, the platform that the worlds of tests begin as: bootstrapping one takes half a second. */
export async function preparePlatform(parent: string, cluster: string): Promise<string> {
  const directory = join(parent, 'platform')
  const server = await startPostgres({ directory, port: await freePort(), durable: false, from: cluster })
  const masterKey = randomBytes(32).toString('base64')
  const config = loadConfig({
    PUBLIC_URL: 'http://localhost',
    DATABASE_URL: server.url,
    TEMPORAL_ADDRESS: '127.0.0.1:7233', // no one calls it
    KEY_STORE_MASTER_KEY: masterKey,
    MAIL_DIRECTORY: join(parent, 'mail'),
  })
  const { tenantId, clientId, clientSecret } = await bootstrap(config, () => undefined).finally(() => server.stop())
  if (!clientSecret) throw new Error('A new platform made no new secret.')
  const prepared: PreparedPlatform = { masterKey, tenantId, clientId, clientSecret }
  writeFileSync(platformFile(directory), JSON.stringify(prepared), { mode: 0o600 })
  return directory
}

export const readPlatform = (directory: string): PreparedPlatform =>
  JSON.parse(readFileSync(platformFile(directory), 'utf8')) as PreparedPlatform
