import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { bootstrap } from '../../activities/administration/bootstrap.ts'
import { scheduledJobs } from '../../activities/frame/schedules.ts'
import { createActivities, type MoreFormats, openDependencies } from '../../activities/index.ts'
import type { KeyStore } from '../../activities/keys/index.ts'
import { type Running, startApi } from '../../api/server.process.ts'
import { loadConfig, type Variable } from '../../config.ts'
import { freePort } from '../../stack/parts/ports.ts'
import { startPostgres } from '../../stack/parts/postgres.ts'
import { findTemporalBinary } from '../../stack/parts/temporal.binary.ts'
import { startTemporal } from '../../stack/parts/temporal.ts'
import { CLUSTER, PLATFORM, readPlatform } from '../../stack/tests/cluster.ts'
import { dataDirectory } from '../../stack/tests/data.ts'
import { addTenant } from './frame/tenants.ts'
import { descendants } from './stack/stack.ts'

export interface WorldOptions {
  /** Temporal and a worker in this process; without them, what needs no workflow must work all the same. */
  workflows?: boolean
  /** Dynamic configuration of Temporal, as `key=value`. */
  temporalSettings?: readonly string[]
  env?: Partial<Record<Variable, string>>
  /** What the worker signs with, made of the platform's own store: for keys that are away. */
  workerKeys?: (keys: KeyStore) => KeyStore
  /** Formats that the worker knows besides the platform's. */
  formats?: MoreFormats
  /** Stands between the platform and PostgreSQL: gets its port, and answers the one to connect to instead. */
  between?: (port: number) => Promise<number>
}

export interface Client {
  tenantId: string
  clientId: string
  clientSecret: string
}

export interface Reply {
  status: number
  headers: Headers
  text: string
  /** The body as JSON; throws when it is none. */
  json<T = Record<string, unknown>>(): T
}

export interface Ask {
  method?: string
  token?: string
  body?: unknown
  /** Sent as it is, in place of `body`. */
  raw?: string | Uint8Array<ArrayBuffer> | ReadableStream
  headers?: Record<string, string>
}

/** One request, as any client sends it. */
export async function send(url: string, { method, token, body, raw, headers = {} }: Ask): Promise<Reply> {
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(url, {
    method: method ?? (content === undefined ? 'GET' : 'POST'),
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(content === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: content,
    ...(content instanceof ReadableStream ? { duplex: 'half' as const } : {}),
    redirect: 'manual',
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: <T>() => JSON.parse(text) as T }
}

async function startWorkflows(directory: string, settings: readonly string[]) {
  const binary = await findTemporalBinary(process.env, () => undefined)
  const [port, uiPort] = [await freePort(), await freePort()]
  return startTemporal({ binary, port, uiPort, databaseFile: join(directory, 'temporal.db'), settings })
}

/** Variables that a platform is bootstrapped with. */
const AT_BOOTSTRAP = /^(?:PUBLIC_URL|KEY_STORE_|VAULT_|TOKEN_KEY_|WEBHOOK_KEY_)/

/** The platform that a world may begin as a copy of. */
function preparedFor(env: Partial<Record<Variable, string>>) {
  const directory = process.env[PLATFORM]
  if (!directory || Object.keys(env).some((name) => AT_BOOTSTRAP.test(name))) return undefined
  return { directory, ...readPlatform(directory) }
}

/** A whole platform of the test's own: PostgreSQL, the API over HTTP, one tenant; Temporal and a worker when asked. */
export async function openWorld(options: WorldOptions = {}) {
  const undo: (() => Promise<void>)[] = []
  const close = async () => {
    for (let last = undo.pop(); last; last = undo.pop()) await last()
  }
  return build(options, undo, close).catch(async (error: unknown) => {
    await close() // what a failed start leaves behind would keep the test from ending
    throw error
  })
}

async function build(
  {
    workflows = false,
    temporalSettings = [],
    env = {},
    workerKeys = (keys) => keys,
    formats,
    between = async (port) => port,
  }: WorldOptions,
  undo: (() => Promise<void>)[],
  close: () => Promise<void>,
) {
  const directory = dataDirectory('world')
  undo.push(() => rm(directory, { recursive: true, force: true }))
  const platform = preparedFor(env)
  const place = {
    directory: join(directory, 'postgres'),
    port: await freePort(),
    durable: false,
    from: platform?.directory ?? process.env[CLUSTER],
  }
  let postgres = await startPostgres(place)
  undo.push(() => postgres.stop())
  const temporal = workflows ? await startWorkflows(directory, temporalSettings) : undefined
  undo.push(async () => temporal?.stop())
  const database = new URL(postgres.url)
  database.port = String(await between(place.port))
  const port = await freePort()
  const url = `http://localhost:${port}`
  const config = loadConfig({
    PUBLIC_URL: url,
    HOST: 'localhost',
    PORT: String(port),
    DATABASE_URL: database.href,
    TEMPORAL_ADDRESS: temporal?.address ?? `127.0.0.1:${await freePort()}`,
    KEY_STORE_MASTER_KEY: platform?.masterKey ?? randomBytes(32).toString('base64'),
    DATABASE_TIMEOUT_MS: '20000', // a loaded machine must not decide a test
    STATUS_WINDOW_SECONDS: '2',
    DID_WEB_CHECK_SECONDS: '1',
    SHUTDOWN_SECONDS: '3',
    LOG_LEVEL: 'fatal',
    // all tests come from one address
    LOGIN_FAILURES_PER_MINUTE: '1000000',
    ACCOUNT_REQUESTS_PER_HOUR: '1000000',
    ...(!env.SMTP_URL && { MAIL_DIRECTORY: join(directory, 'mail') }),
    ...env,
  })
  const { tenantId, clientId, clientSecret } = platform ?? (await bootstrap(config, () => undefined))
  if (!clientSecret) throw new Error('a new platform makes a new secret')
  const dependencies = await openDependencies(config, { patient: true })
  undo.push(() => dependencies.close())
  const work = async () => {
    // 500 modules of Temporal's, which most files do without
    const { startWorker } = await import('../../activities/frame/worker/start.ts')
    return startWorker({
      ...dependencies,
      activities: createActivities({ ...dependencies, keys: workerKeys(dependencies.keys) }, {}, formats),
      jobs: scheduledJobs(),
    })
  }
  const worker = temporal ? await work() : undefined
  undo.push(async () => worker?.stop())
  let api: Running | undefined = await startApi(config)
  undo.push(async () => api?.stop())

  const ask = (path: string, question: Ask = {}) => send(`${url}${path}`, question)

  const tokenOf = async (client: Client, scope?: string): Promise<string> => {
    const body = {
      clientId: client.clientId,
      clientSecret: client.clientSecret,
      grantType: 'client_credentials',
      scope,
    }
    const reply = await ask('/v1/auth/token', { body })
    if (reply.status !== 200) throw new Error(`no token: ${reply.text}`)
    return reply.json<{ access_token: string }>().access_token
  }

  const first: Client = { tenantId, clientId, clientSecret }
  return {
    url,
    config,
    first,
    /** For looking behind the API; the API has connections of its own. */
    dependencies,
    ask,
    tokenOf,
    /** Another tenant with a client that may do everything. */
    addTenant: (subdomain?: string) => addTenant(dependencies.systemSql, subdomain),
    /** A token of the first tenant that may do everything. */
    token: await tokenOf(first),
    /** Of the database as the superuser, who sees all rows and may change all. */
    superuserUrl: postgres.superuserUrl,
    /** All processes of PostgreSQL get a signal: SIGSTOP, and it hangs; SIGCONT, and it goes on. */
    signalDatabase(signal: 'SIGSTOP' | 'SIGCONT') {
      for (const pid of [postgres.pid, ...descendants(postgres.pid)]) process.kill(pid, signal)
    },
    /** PostgreSQL goes away, and comes back with what it held. */
    stopDatabase: () => postgres.stop(),
    async startDatabase() {
      postgres = await startPostgres(place)
    },
    /** The worker stops as at SIGTERM; the API goes on. */
    stopWorker: async () => worker?.stop(),
    /** Another worker in place of one that was stopped. */
    async startWorker(): Promise<void> {
      const another = await work()
      undo.push(() => another.stop())
    },
    /** SIGTERM's part of a stop: answers what was accepted, then lets go. */
    async stopApi() {
      await api?.stop()
      api = undefined
    },
    close,
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>
