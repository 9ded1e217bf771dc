import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readStackConfig, type StackConfig } from '../config.ts'
import { buildAll } from './build.ts'
import { asCommand } from './command.ts'
import { readFirstTenant } from './local/first-tenant.ts'
import { type Ledger, openLedger } from './local/ledger.ts'
import { rotate } from './local/log-file.ts'
import { masterKeyFrom } from './local/master-key.ts'
import { privateDirectory, privateFiles } from './local/private.ts'
import { summary } from './local/summary.ts'
import { type Owner, unprivilegedOwner } from './local/unprivileged.ts'
import { assertPortFree } from './parts/ports.ts'
import { RECOVERING, startPostgres } from './parts/postgres.ts'
import { run } from './parts/run.ts'
import { type ServiceOptions, startService } from './parts/services.ts'
import { Supervisor } from './parts/supervisor.ts'
import { findTemporalBinary } from './parts/temporal.binary.ts'
import { startTemporal } from './parts/temporal.ts'

type Environment = Readonly<Record<string, string | undefined>>

const root = fileURLToPath(new URL('..', import.meta.url))
const say = (line: string) => process.stdout.write(`${line}\n`)

async function assertPortsFree(config: StackConfig): Promise<void> {
  await assertPortFree(config.host, config.port, 'the API', 'PORT')
  await assertPortFree(config.operatorHost, config.operatorPort, "the API's operator endpoints", 'OPERATOR_PORT')
  await assertPortFree(config.operatorHost, config.operatorPort + 1, "the worker's operator endpoints", 'OPERATOR_PORT')
  if (!config.databaseUrl) await assertPortFree('127.0.0.1', config.databasePort, 'PostgreSQL', 'DATABASE_PORT')
  if (config.temporalAddress) return
  await assertPortFree('127.0.0.1', config.temporalPort, 'Temporal', 'TEMPORAL_PORT')
  await assertPortFree('127.0.0.1', config.temporalUiPort, 'the Temporal UI', 'TEMPORAL_UI_PORT')
}

/** PostgreSQL, unless there is one; its address. */
async function bringDatabase(config: StackConfig, local: string, { bring, launched }: Supervisor): Promise<string> {
  if (config.databaseUrl) return config.databaseUrl
  const directory = join(local, 'postgres')
  rotate(join(directory, 'postgres.log'))
  const { url } = await bring(() =>
    startPostgres({ directory, port: config.databasePort, launched, recovering: () => say(RECOVERING) }),
  )
  say(`PostgreSQL   127.0.0.1:${config.databasePort}`)
  return url
}

/** Temporal, unless there is one; its address, that of its UI, and the command that reaches it. */
async function bringTemporal(config: StackConfig, local: string, env: Environment, { bring, launched }: Supervisor) {
  if (config.temporalAddress) return { address: config.temporalAddress, uiUrl: config.temporalUiUrl ?? '', command: '' }
  const binary = await findTemporalBinary(env, say)
  const logFile = join(local, 'log', 'temporal.log')
  rotate(logFile)
  const codecEndpoint = config.codecEndpoint ? `http://${config.operatorHost}:${config.operatorPort}/codec` : undefined
  const { temporalPort: port, temporalUiPort: uiPort, temporalNamespace: namespace } = config
  const databaseFile = join(local, 'temporal.db')
  const { address, uiUrl } = await bring(() =>
    startTemporal({ binary, port, uiPort, databaseFile, namespace, codecEndpoint, logFile, launched }),
  )
  say(`Temporal     ${address}`)
  return { address, uiUrl: config.temporalUiUrl ?? uiUrl, command: `${binary} --address ${address}` }
}

/** A process of its own, because docker-compose.yml runs the same and because what it loads is not needed afterwards. */
async function prepare(env: Environment, file: string): Promise<void> {
  const line = (text: string) => text.startsWith('Waiting ') && say(text)
  const command = ['--import=tsx', 'stack/prepare.ts', file]
  const { code, output } = await run(process.execPath, command, { cwd: root, env, line })
  if (code !== 0) throw new Error(`${output}\nThe platform could not be prepared.`)
}

async function bringServices(config: StackConfig, local: string, env: Environment, supervisor: Supervisor) {
  const common = { env, shutdownSeconds: config.shutdownSeconds, say, launched: supervisor.launched }
  const service = (name: string, entry: ServiceOptions['entry'], host: string, port: number) => {
    const address = host === '0.0.0.0' || host === '::' ? 'localhost' : host
    const readyUrl = `http://${address.includes(':') ? `[${address}]` : address}:${port}/health/ready`
    const logFile = join(local, 'log', `${name.toLowerCase()}.log`)
    const started = supervisor.bring(() => startService({ ...common, name, entry, readyUrl, logFile }))
    return started.then(({ state }) => ({ name, state, readyUrl }))
  }
  const worker = service('Worker', 'activities/worker.ts', config.operatorHost, config.operatorPort + 1)
  const api = service('API', 'api/server.ts', config.host, config.port)
  const states = await Promise.all([worker, api])
  return states
    .filter(({ state }) => state !== 'ready')
    .map(
      ({ name, state, readyUrl }) =>
        `Note: ${name} is not ready yet: ${state}. Its work waits until ${readyUrl} answers 200.`,
    )
}

async function bringUp(config: StackConfig, local: string, env: Environment, supervisor: Supervisor): Promise<void> {
  const begun = Date.now()
  await assertPortsFree(config)
  const [, databaseUrl, temporal] = await Promise.all([
    buildAll(say),
    bringDatabase(config, local, supervisor),
    bringTemporal(config, local, env, supervisor),
  ])
  const full = {
    ...env,
    PUBLIC_URL: config.publicUrl,
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_UI_URL: temporal.uiUrl,
    KEY_STORE_MASTER_KEY: config.masterKey ?? masterKeyFrom(join(local, 'master.key')),
    EPOCH_DIRECTORY: config.epochDirectory ?? join(local, 'epoch'),
    ...(!config.smtp && { MAIL_DIRECTORY: config.mailDirectory ?? join(local, 'mail') }),
  }
  const file = join(local, 'first-tenant.json')
  await prepare(full, file)
  const notes = await bringServices(config, local, full, supervisor)
  const first = readFirstTenant(file)
  if (!first) throw new Error(`${file} is missing after the platform was prepared.`)
  if (!first.clientSecret)
    notes.push(
      'Note: the secret of the first client is not in this folder; the platform showed it when it made the client.',
    )
  const { command: temporalCommand } = temporal
  say(
    summary({
      first,
      file,
      temporalCommand,
      seconds: (Date.now() - begun) / 1000,
      logDirectory: join(local, 'log'),
      notes,
    }),
  )
}

/** Resolves with the reason when this process should stop: a signal, or the end of the process that started it. */
function reasonToStop(supervisor: Supervisor): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  let askedAt = 0
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      // one Ctrl-C arrives several times: from the terminal, from npm, from bootstrap.mjs
      if (askedAt && signal === 'SIGINT' && Date.now() - askedAt > 2_000) supervisor.kill()
      askedAt ||= Date.now()
      resolve(signal)
    })
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && resolve('the process that started it is gone'), 500).unref()
  return promise
}

/** Keys, secrets and personal data are in there; what an earlier release made may be open to others. */
function closeToOthers(local: string, postgres: Owner | undefined): void {
  privateDirectory(local, postgres)
  privateDirectory(join(local, 'log'))
  // an open master key is not closed in silence: somebody may have read it, and the start says so
  privateFiles(local, ['master.key'])
  privateFiles(join(local, 'log'))
}

async function main(env: Environment): Promise<void> {
  const { values } = parseArgs({ options: { local: { type: 'string', default: join(root, '.local') } } })
  const local = resolve(values.local)
  const config = readStackConfig(env)
  closeToOthers(local, config.databaseUrl ? undefined : unprivilegedOwner())
  const ledger: Ledger = await openLedger(join(local, 'processes.json'), say)
  const supervisor = new Supervisor(ledger, say)
  const stop = reasonToStop(supervisor)
  try {
    const reason = await Promise.race([stop, bringUp(config, local, env, supervisor).then(() => stop)])
    say(`Stopping (${reason}) …`)
    await supervisor.stop()
    say('Everything is stopped.')
  } finally {
    await supervisor.stop()
    ledger.release()
  }
}

await asCommand(() => main(process.env))
process.exit()
