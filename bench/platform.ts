import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Config, loadConfig, VARIABLES } from '../config.ts'
import { connect, sqlOf } from '../entities/orm.ts'
import { buildAll } from '../stack/build.ts'
import { readFirstTenant } from '../stack/local/first-tenant.ts'
import { dismissGuard, type Part } from '../stack/parts/part.ts'
import { freePort } from '../stack/parts/ports.ts'
import { startPostgres } from '../stack/parts/postgres.ts'
import { run } from '../stack/parts/run.ts'
import { startService } from '../stack/parts/services.ts'
import { findTemporalBinary } from '../stack/parts/temporal.binary.ts'
import { startTemporal } from '../stack/parts/temporal.ts'
import { memoryOf, signalAll, workOf } from './processes.ts'

export type Environment = Readonly<Record<string, string | undefined>>

const root = fileURLToPath(new URL('..', import.meta.url))
/** What may be tried out; everything else is as `npm start` has it, whatever the machine's environment says. */
const FREE = [
  'TEMPORAL_CLI',
  'API_PROCESSES',
  'DATABASE_POOL_SIZE',
  'LOG_LEVEL',
  'VAULT_ADDR',
  'VAULT_ROLE_ID',
  'VAULT_SECRET_ID',
]

export interface BenchedPlatform {
  host: string
  port: number
  token: string
  /** Of its processes, for looking behind the API. */
  config: Config
  tenantId: string
  postgresVersion: string
  /** Of the API. */
  processes: number
  /** One more process of the worker beside the others. */
  addWorker(): Promise<void>
  /** POST with JSON; throws unless the status is 2xx. */
  post<T>(path: string, body: unknown): Promise<T>
  /** JSON lines; throws unless the status is 2xx. */
  upload<T>(path: string, lines: string): Promise<T>
  get<T>(path: string): Promise<T>
  /** Processor time of all its processes so far, in milliseconds; undefined where that cannot be told. */
  workMs(): number | undefined
  /** Its processes do nothing until `resume`. */
  pause(): void
  resume(): void
  /** The same of each part, by its name. */
  workByPart(): Record<string, number> | undefined
  /** MiB of the worker's process and of each of the API's, the primary first; undefined where that cannot be told. */
  memory(): { worker: number[]; api: number[] } | undefined
  /** Credentials that the database holds. */
  countCredentials(): Promise<number>
  close(): Promise<void>
}

async function startParts(directory: string, env: Environment, say: (line: string) => void, parts: Part[]) {
  const started = <P extends Part>(part: P): P => {
    parts.push(part)
    return part
  }
  const postgres = started(await startPostgres({ directory: join(directory, 'postgres'), port: await freePort() }))
  const temporal = started(
    await startTemporal({
      binary: await findTemporalBinary(env, say),
      port: await freePort(),
      uiPort: await freePort(),
      databaseFile: join(directory, 'temporal.db'),
    }),
  )
  const [port, operatorPort] = [await freePort(), await freePort()]
  const full = {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => FREE.includes(name) || !(name in VARIABLES))),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    PORT: String(port),
    OPERATOR_PORT: String(operatorPort),
    DATABASE_URL: postgres.url,
    TEMPORAL_ADDRESS: temporal.address,
    KEY_STORE_MASTER_KEY: randomBytes(32).toString('base64'),
    RATE_LIMIT_PER_MINUTE: '1000000', // its default is what one client of many may ask
    WEBHOOK_ALLOW_PRIVATE: 'true', // receivers are on this machine
  }
  const file = join(directory, 'first-tenant.json')
  const prepared = await run(process.execPath, ['--import=tsx', 'stack/prepare.ts', file], { cwd: root, env: full })
  if (prepared.code !== 0) throw new Error(`The platform could not be prepared: ${prepared.output}`)
  const service = async (
    name: string,
    entry: 'api/server.ts' | 'activities/worker.ts',
    ready: number,
    own: Environment = {},
  ) => {
    const readyUrl = `http://127.0.0.1:${ready}/health/ready`
    const logFile = join(directory, `${name}.log`)
    const { state, ...part } = await startService({
      name,
      entry,
      readyUrl,
      env: { ...full, ...own },
      shutdownSeconds: 10,
      logFile,
      say,
    })
    started(part)
    if (state !== 'ready') throw new Error(`${name} is not ready: ${state}`)
  }
  await service('worker', 'activities/worker.ts', operatorPort + 1)
  await service('api', 'api/server.ts', port)
  const first = readFirstTenant(file)
  if (!first) throw new Error('The first tenant was not made.')
  const addWorker = async () => {
    const operator = await freePort()
    await service('worker 2', 'activities/worker.ts', operator + 1, { OPERATOR_PORT: String(operator) })
  }
  return { postgres, port, first, config: loadConfig(full), addWorker }
}

async function ask<T>(
  url: string,
  init: { method?: string; type?: string; body?: string; token?: string },
): Promise<T> {
  const { method = 'POST', type = 'application/json', body = null, token } = init
  const headers = {
    ...(body === null ? {} : { 'content-type': type }),
    ...(token ? { authorization: `Bearer ${token}` } : {}),
  }
  const response = await fetch(url, { method, headers, body })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`)
  return JSON.parse(text) as T
}

/**
 * The whole platform as `npm start` runs it, on free ports and with data of its own: durable PostgreSQL, Temporal, the
 * worker, the API as a cluster of processes.
 */
export async function openPlatform(env: Environment, say: (line: string) => void): Promise<BenchedPlatform> {
  await buildAll(say)
  const directory = mkdtempSync(join(tmpdir(), 'countersign-bench-'))
  const parts: Part[] = []
  const pids = () => parts.map(({ pid }) => pid)
  const signal = (which: 'SIGSTOP' | 'SIGCONT') => signalAll(pids(), which)
  const close = async () => {
    signal('SIGCONT')
    for (const part of parts.reverse()) await part.stop()
    await dismissGuard()
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    const { postgres, port, first, config, addWorker } = await startParts(directory, env, say, parts)
    const base = `http://127.0.0.1:${port}`
    const client = { clientId: first.clientId, clientSecret: first.clientSecret, grantType: 'client_credentials' }
    const { access_token: token } = await ask<{ access_token: string }>(`${base}/v1/auth/token`, {
      body: JSON.stringify(client),
    })
    const orm = await connect(postgres.superuserUrl, 1)
    const select = async <Row extends object>(text: string) =>
      (await (await sqlOf(orm)).query<Row>({ text, values: [] })).rows[0]
    const version = await select<{ server_version: string }>('show server_version')
    return {
      host: '127.0.0.1',
      port,
      token,
      config,
      tenantId: first.tenantId,
      postgresVersion: version?.server_version.split(' ')[0] ?? 'unknown',
      processes: config.apiProcesses,
      workMs: () => workOf(pids()),
      pause: () => signal('SIGSTOP'),
      resume: () => signal('SIGCONT'),
      workByPart() {
        const each = parts.map(({ name, pid }) => [name, workOf([pid])] as const)
        return each.every((entry): entry is [string, number] => entry[1] !== undefined)
          ? Object.fromEntries(each)
          : undefined
      },
      memory() {
        const of = (name: string) => memoryOf(parts.find((part) => part.name === name)?.pid ?? 0)
        const [worker, api] = [of('worker'), of('api')]
        return worker && api && { worker, api }
      },
      addWorker,
      post: (path, body) => ask(`${base}${path}`, { body: JSON.stringify(body), token }),
      upload: (path, body) => ask(`${base}${path}`, { type: 'application/x-ndjson', body, token }),
      get: (path) => ask(`${base}${path}`, { method: 'GET', token }),
      countCredentials: async () =>
        (await select<{ count: number }>('select count(*)::int as count from credentials'))?.count ?? 0,
      async close() {
        await orm.close()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}
