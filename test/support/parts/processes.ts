import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bootstrap } from '../../../activities/administration/bootstrap.ts'
import { openDependencies } from '../../../activities/index.ts'
import { loadConfig, type Variable } from '../../../config.ts'
import { dismissGuard } from '../../../stack/parts/part.ts'
import { freePort } from '../../../stack/parts/ports.ts'
import { startPostgres } from '../../../stack/parts/postgres.ts'
import { findTemporalBinary } from '../../../stack/parts/temporal.binary.ts'
import { startTemporal } from '../../../stack/parts/temporal.ts'
import { CLUSTER } from '../../../stack/tests/cluster.ts'
import { dataDirectory } from '../../../stack/tests/data.ts'
import { until } from '../credentials/dids.ts'
import { descendants } from '../stack/stack.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** One of the platform's entries as a process of its own, that can be killed and started again. */
export function createEntry(name: string, file: string, env: NodeJS.ProcessEnv, readyUrl: string) {
  let child: ChildProcess | undefined
  let output = ''
  const gone = () => !child || child.exitCode !== null || child.signalCode !== null
  const answers = () =>
    fetch(readyUrl).then(
      ({ ok }) => ok,
      () => false,
    )
  return {
    name,
    gone,
    async start(): Promise<void> {
      output = ''
      child = spawn(process.execPath, [...process.execArgv, file], {
        cwd: root,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      for (const stream of [child.stdout, child.stderr])
        stream?.setEncoding('utf8').on('data', (text: string) => {
          output = (output + text).slice(-20_000)
        })
      await until(`${name} to be ready`, answers, 120_000).catch((error: Error) => {
        throw new Error(`${error.message}\n${output}`)
      })
    },
    /** Resident memory of it and of those that it started. */
    memoryBytes(): number {
      const pids = child?.pid === undefined ? [] : [child.pid, ...descendants(child.pid)]
      const pages = pids.map((pid) => Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]))
      return pages.reduce((sum, resident) => sum + resident * 4096, 0)
    },
    /** SIGSTOP: it holds what it has and does nothing. */
    pause: () => child?.kill('SIGSTOP'),
    resume: () => child?.kill('SIGCONT'),
    /** kill -9 of the process and of those that it started. */
    async kill(): Promise<void> {
      if (gone() || child?.pid === undefined) return
      const ended = once(child, 'exit')
      const pids = [child.pid, ...descendants(child.pid)]
      for (const pid of pids) process.kill(pid, 'SIGKILL')
      await ended
    },
  }
}

/** The platform as real processes on ports and in directories of their own, for tests that kill them. */
export async function openProcesses(
  more: Partial<Record<Variable, string>> = {},
  {
    durable = false,
    isPublic = false,
  }: { durable?: boolean /** At the address that it publishes. */; isPublic?: boolean } = {},
) {
  const directory = dataDirectory('processes')
  const cluster = {
    directory: join(directory, 'postgres'),
    port: await freePort(),
    durable,
    from: durable ? undefined : process.env[CLUSTER],
  }
  let database = await startPostgres(cluster)
  const options = {
    binary: await findTemporalBinary(process.env, () => undefined),
    port: await freePort(),
    uiPort: await freePort(),
    databaseFile: join(directory, 'temporal.db'),
  }
  let server = await startTemporal(options)
  const [port, apiOperator, workerOperator] = [await freePort(), await freePort(), (await freePort()) - 1]
  const env = {
    PATH: process.env.PATH,
    PORT: String(port),
    API_PROCESSES: '1',
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: server.address,
    KEY_STORE_MASTER_KEY: randomBytes(32).toString('base64'),
    DID_WEB_CHECK_SECONDS: '1',
    SHUTDOWN_SECONDS: '3',
    LOG_LEVEL: 'warn',
    ...(isPublic && { PUBLIC_URL: `http://localhost:${port}`, HOST: 'localhost' }),
    ...more,
  }
  const config = loadConfig(env)
  const { clientId, clientSecret = '', tenantId } = await bootstrap(config, () => undefined)
  const url = `http://127.0.0.1:${port}`
  const api = createEntry(
    'the API',
    'api/server.ts',
    { ...env, OPERATOR_PORT: String(apiOperator) },
    `${url}/health/ready`,
  )
  const worker = createEntry(
    'the worker',
    'activities/worker.ts',
    { ...env, OPERATOR_PORT: String(workerOperator) },
    `http://127.0.0.1:${workerOperator + 1}/health/ready`,
  )
  const temporal = {
    name: 'Temporal',
    gone: () => false,
    async start(): Promise<void> {
      server = await startTemporal(options)
    },
    async kill(): Promise<void> {
      process.kill(server.pid, 'SIGKILL')
      await server.exited
    },
    /** Its database goes, and all that it knew. */
    async lose(): Promise<void> {
      await temporal.kill()
      for (const name of await readdir(directory)) if (name.startsWith('temporal.db')) await rm(join(directory, name))
      await temporal.start()
    },
  }
  const postgres = {
    name: 'PostgreSQL',
    gone: () => false,
    async start(): Promise<void> {
      database = await startPostgres(cluster)
    },
    async kill(): Promise<void> {
      process.kill(database.pid, 'SIGKILL')
      await database.exited
    },
  }
  const dependencies = await openDependencies(config)
  await Promise.all([api.start(), worker.start()])
  return {
    url,
    port,
    config,
    /** Of every process. */
    env,
    /** Of the database as the superuser, who sees all rows and may change all. */
    superuserUrl: database.superuserUrl,
    api,
    worker,
    temporal,
    postgres,
    first: { tenantId, clientId, clientSecret },
    /** For looking behind the processes. */
    dependencies,
    async close() {
      await api.kill()
      await worker.kill()
      await dependencies.close()
      await server.stop()
      await database.stop()
      await dismissGuard()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export type Processes = Awaited<ReturnType<typeof openProcesses>>
