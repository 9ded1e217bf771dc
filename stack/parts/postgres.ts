import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { privateDirectory } from '../local/private.ts'
import { runAs, unprivilegedOwner } from '../local/unprivileged.ts'
import { launch, type Part } from './part.ts'
import { findBinaries } from './postgres.binaries.ts'
import { type Cluster, copyCluster, initialise } from './postgres.initialise.ts'
import { commandLineOf, end, startOf } from './processes.ts'
import { tail } from './run.ts'

export interface PostgresOptions {
  /** Holds `data`, `password` and `postgres.log`; made when missing. */
  directory: string
  port: number
  /** False gives up crash safety of the machine (not of the process) for speed: for tests. */
  durable?: boolean
  /** A stopped server's directory; a new one begins as its copy. */
  from?: string
  /** Told of the process before it is ready. */
  launched?: (part: Part) => void
  /** Told once where it takes long to be ready, as after a crash. */
  recovering?: () => void
  /** A server of another command on this directory is left alone, and the start fails: for commands beside `npm start`. */
  spares?: boolean
  /** Milliseconds without a sign of life after which a start counts as failed. */
  silentMs?: number
}

export interface Postgres extends Part {
  /** Of the database `countersign` as the role `countersign`: owns it, may create roles and databases, is no superuser. */
  url: string
  /** Of the same database as the superuser. */
  superuserUrl: string
}

/** Kept beside the data, readable by us alone, so that the address stays the same. */
function password(directory: string): string {
  const file = join(directory, 'password')
  if (!existsSync(file)) {
    writeFileSync(`${file}.new`, randomBytes(24).toString('base64url'), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }
  return readFileSync(file, 'utf8').trim()
}

const pidFile = (data: string) => join(data, 'postmaster.pid')

const addressOf = (role: string, secret: string, port: number) =>
  `postgresql://${role}:${secret}@127.0.0.1:${port}/countersign`

/** Lines of postmaster.pid: 1 process, 2 data directory, 4 port, 8 status (src/include/utils/pidfile.h). */
function postmaster(data: string): { pid: number; port: number; status: string } | undefined {
  try {
    const lines = readFileSync(pidFile(data), 'utf8').split('\n')
    return { pid: Number(lines[0]), port: Number(lines[3]), status: lines[7]?.trim() ?? '' }
  } catch {
    return undefined // not running
  }
}

const isOurs = (pid: number, data: string) => commandLineOf(pid).includes(` -D ${data} `)

/** Address of the server that runs on this directory, as the role `countersign`; undefined when none does. */
export function runningPostgres(directory: string): string | undefined {
  const data = join(resolve(directory), 'data')
  const found = postmaster(data)
  if (found?.status !== 'ready' || !isOurs(found.pid, data)) return undefined
  return addressOf('countersign', password(directory), found.port)
}

/** As `runningPostgres`; waits for a server that is coming up, or going down. `waiting` is told once. */
export async function settledPostgres(directory: string, waiting: () => void): Promise<string | undefined> {
  const data = join(resolve(directory), 'data')
  const isBetween = () => {
    const found = postmaster(data)
    return found !== undefined && found.status !== 'ready' && isOurs(found.pid, data)
  }
  if (isBetween()) waiting()
  while (isBetween()) await wait(100)
  return runningPostgres(directory)
}

/** Ends a server that still runs on this directory, and takes away a pid file whose number now is somebody else's. */
async function clear(data: string, spares: boolean): Promise<void> {
  const old = postmaster(data)
  if (!old) return
  const started = startOf(old.pid)
  const ours = started !== undefined && isOurs(old.pid, data)
  if (ours && spares) throw new Error(`Another command has started PostgreSQL on ${data}: run this one again.`)
  if (ours) await end({ name: 'PostgreSQL', pid: old.pid, started, signal: 'SIGINT', graceMs: 20_000 })
  rmSync(pidFile(data), { force: true })
}

const lastLines = (log: string) => tail(readFileSync(log, 'utf8'))

/** Brings up PostgreSQL on 127.0.0.1, UTF-8, without a Unix socket. Throws a sentence that says why it did not start. */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const directory = resolve(options.directory)
  const owner = unprivilegedOwner()
  privateDirectory(directory, owner)
  if (options.from && !existsSync(join(directory, 'data'))) await copyCluster(options.from, directory)
  const { initdb, postgres } = await findBinaries(owner)
  const cluster: Cluster = {
    directory,
    data: join(directory, 'data'),
    owner,
    initdb,
    postgres,
    password: password(directory),
  }
  if (!existsSync(cluster.data)) await initialise(cluster, options.durable ?? true)
  await clear(cluster.data, options.spares ?? false)
  const part = await untilReady(cluster, options)
  const address = (role: string) => addressOf(role, cluster.password, options.port)
  return { ...part, url: address('countersign'), superuserUrl: address('postgres') }
}

export const RECOVERING = 'PostgreSQL is still starting: after a crash it recovers first, which may take minutes …'

/** A start without recovery takes less. */
const RECOVERING_MS = 5_000

async function untilReady(cluster: Cluster, options: PostgresOptions): Promise<Part> {
  const log = join(cluster.directory, 'postgres.log')
  const silentMs = options.silentMs ?? 60_000
  const begun = Date.now()
  let deadline = begun + silentMs
  let isTold = false
  for (;;) {
    const part = await launchServer(cluster, options, log)
    options.launched?.(part)
    let exit: string | undefined
    void part.exited.then((how) => {
      exit = how
    })
    while (exit === undefined && Date.now() < deadline) {
      const state = postmaster(cluster.data)
      if (state?.pid === part.pid && state.status === 'ready') return part
      // recovery takes as long as there was to write since the last checkpoint
      const isStarting = state?.pid === part.pid && state.status === 'starting'
      if (isStarting) deadline = Date.now() + silentMs
      if (isStarting && !isTold && Date.now() > begun + RECOVERING_MS) {
        isTold = true
        options.recovering?.()
      }
      await wait(25)
    }
    await part.stop()
    // the last backends of a killed server need a moment to notice and let the shared memory go
    if (Date.now() >= deadline || !lastLines(log).includes('shared memory'))
      throw new Error(`PostgreSQL did not start (${exit ?? `no answer in ${silentMs / 1000} s`}): ${lastLines(log)}`)
    await wait(250)
  }
}

async function launchServer(cluster: Cluster, { port, durable = true }: PostgresOptions, log: string): Promise<Part> {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    fsync: durable ? 'on' : 'off',
    // a checkpoint by time: after each one, every page that changes is written whole to the log once
    max_wal_size: '4GB',
    log_error_verbosity: 'terse', // a DETAIL line repeats values of rows
    log_min_error_statement: 'panic',
    log_connections: 'off',
  }
  const args = ['-D', cluster.data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  const output = openSync(log, 'a', 0o600)
  try {
    return await launch({
      name: 'PostgreSQL',
      ...runAs(cluster.owner, cluster.postgres, args, [cluster.data]),
      cwd: '/',
      env: { LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', output, output],
      signal: 'SIGINT',
      graceMs: 20_000,
    })
  } finally {
    closeSync(output)
  }
}
