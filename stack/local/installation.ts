import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Config, type Environment, loadConfig, readStackConfig } from '../../config.ts'
import { dismissGuard } from '../parts/part.ts'
import { RECOVERING, settledPostgres, startPostgres } from '../parts/postgres.ts'

/** Where `npm start` keeps its data, unless a command is told otherwise. */
export const LOCAL = join(fileURLToPath(new URL('../..', import.meta.url)), '.local')

/** Standard output may be what the command makes. */
const say = (line: string) => process.stderr.write(`${line}\n`)

export interface Place {
  /** Folder of `npm start`. */
  local: string
  /** A PostgreSQL that is not there yet is made. */
  fresh?: boolean
}

/**
 * Runs `work` with the configuration of this installation: of the environment, and where it says nothing, of what
 * `npm start` made under `local`. Its PostgreSQL is brought up for the time of the work when it does not run.
 */
export async function withInstallation<T>(
  env: Environment,
  { local, fresh = false }: Place,
  work: (config: Config) => Promise<T>,
): Promise<T> {
  const stack = readStackConfig(env)
  const keyFile = join(local, 'master.key')
  if (!stack.masterKey && !existsSync(keyFile))
    throw new Error(
      `KEY_STORE_MASTER_KEY is not set, and ${keyFile} is missing: set it to the master key of this database.`,
    )
  const configOf = (url: string) =>
    loadConfig({
      ...env,
      PUBLIC_URL: stack.publicUrl,
      DATABASE_URL: url,
      TEMPORAL_ADDRESS: stack.temporalAddress ?? `127.0.0.1:${stack.temporalPort}`,
      KEY_STORE_MASTER_KEY: stack.masterKey ?? readFileSync(keyFile, 'utf8').trim(),
      EPOCH_DIRECTORY: stack.epochDirectory ?? join(local, 'epoch'),
      LOG_LEVEL: env.LOG_LEVEL ?? 'silent', // the command says what there is to say
    })
  const directory = join(local, 'postgres')
  const known =
    stack.databaseUrl ??
    (await settledPostgres(directory, () => say('Waiting for PostgreSQL, which is starting or stopping …')))
  if (known) return work(configOf(known))
  if (!fresh && !existsSync(join(directory, 'data')))
    throw new Error(`DATABASE_URL is not set, and there is no database in ${directory}.`)
  const server = await startPostgres({
    directory,
    port: stack.databasePort,
    spares: true,
    recovering: () => say(RECOVERING),
  })
  try {
    return await work(configOf(server.url))
  } finally {
    await server.stop()
    await dismissGuard()
  }
}
