import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import pg from 'pg'
import { barrier, runAs, unprivilegedOwner } from '../../stack/local/unprivileged.ts'
import { freePort } from '../../stack/parts/ports.ts'
import { findBinaries, reachable } from '../../stack/parts/postgres.binaries.ts'
import { settledPostgres, startPostgres } from '../../stack/parts/postgres.ts'
import { run } from '../../stack/parts/run.ts'
import { needs } from '../support/parts.ts'
import { isAlive, script, temporary } from '../support/stack/stack.ts'

async function ask(url: string, statement: string): Promise<Record<string, unknown>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return ((await client.query(statement)).rows[0] ?? {}) as Record<string, unknown>
  } finally {
    await client.end()
  }
}

test.serial('PostgreSQL comes up in UTF-8, durable, on loopback alone, for an owner who is no superuser', async (t) => {
  const directory = temporary(t, 'postgres')
  const postgres = await startPostgres({ directory, port: await freePort() })
  t.teardown(postgres.stop)
  const found = await ask(
    postgres.url,
    `select current_setting('server_encoding') as encoding, current_setting('fsync') as fsync,
      current_setting('synchronous_commit') as commits, current_setting('listen_addresses') as addresses,
      current_setting('max_wal_size') as wal,
      rolsuper, rolbypassrls, rolcreaterole, rolcreatedb,
      (select datlocale from pg_database where datname = current_database()) as locale
      from pg_roles where rolname = current_user`,
  )
  t.deepEqual(found, {
    encoding: 'UTF8',
    fsync: 'on',
    commits: 'on',
    addresses: '127.0.0.1',
    wal: '4GB', // checkpoints come by time (D-1003)
    rolsuper: false,
    rolbypassrls: false,
    rolcreaterole: true,
    rolcreatedb: true,
    locale: 'C.UTF-8',
  })
  const superuser = `select current_setting('unix_socket_directories') as sockets, rolsuper
    from pg_roles where rolname = current_user`
  t.deepEqual(await ask(postgres.superuserUrl, superuser), { sockets: '', rolsuper: true })
  t.is(statSync(join(directory, 'password')).mode & 0o777, 0o600)
  if (process.getuid?.() === 0) t.not(statSync(join(directory, 'data')).uid, 0)
})

test.serial('a wrong password is refused', async (t) => {
  const postgres = await startPostgres({ directory: temporary(t, 'postgres'), port: await freePort(), durable: false })
  t.teardown(postgres.stop)
  const url = new URL(postgres.url)
  url.password = 'wrong'
  await t.throwsAsync(ask(url.href, 'select 1'), { code: '28P01' })
})

test.serial('what was committed is there after a stop, after kill -9, and at the same address', async (t) => {
  const options = { directory: temporary(t, 'postgres'), port: await freePort() }
  const first = await startPostgres(options)
  await ask(first.url, 'create table kept as select 1 as n')
  await first.stop()
  t.false(isAlive(first.pid))
  const second = await startPostgres(options)
  t.is(second.url, first.url)
  await ask(second.url, 'insert into kept values (2)')
  process.kill(second.pid, 'SIGKILL')
  t.is(await second.exited, 'signal SIGKILL')
  const third = await startPostgres(options)
  t.teardown(third.stop)
  t.deepEqual(await ask(third.url, 'select sum(n)::int as sum from kept'), { sum: 3 })
})

test.serial(
  'a pid file whose number is now that of another program does not block the start, nor is that program ended',
  async (t) => {
    const options = { directory: temporary(t, 'postgres'), port: await freePort(), durable: false }
    const first = await startPostgres(options)
    const file = join(options.directory, 'data', 'postmaster.pid')
    const content = readFileSync(file, 'utf8')
    process.kill(first.pid, 'SIGKILL')
    await first.exited
    writeFileSync(file, content.replace(/^\d+/, String(process.pid)))
    const second = await startPostgres(options)
    t.teardown(second.stop)
    t.deepEqual(await ask(second.url, 'select 1 as n'), { n: 1 })
  },
)

test.serial('a server that still runs on the directory is ended first', async (t) => {
  const directory = temporary(t, 'postgres')
  const first = await startPostgres({ directory, port: await freePort(), durable: false })
  const second = await startPostgres({ directory, port: await freePort(), durable: false })
  t.teardown(second.stop)
  t.false(isAlive(first.pid))
  t.deepEqual(await ask(second.url, 'select 1 as n'), { n: 1 })
})

test.serial(
  'a command waits for a server that is coming up, and ends none that another command has started',
  async (t) => {
    const options = { directory: temporary(t, 'postgres'), port: await freePort(), durable: false }
    const server = await startPostgres(options)
    t.teardown(server.stop)
    const file = join(options.directory, 'data', 'postmaster.pid')
    const content = readFileSync(file, 'utf8')
    writeFileSync(file, content.replace(/^ready *$/m, 'starting')) // as its own line is while it recovers
    let waits = 0
    const found = settledPostgres(options.directory, () => {
      waits += 1
    })
    await t.throwsAsync(startPostgres({ ...options, spares: true }), {
      message: /Another command has started PostgreSQL/,
    })
    t.true(isAlive(server.pid))
    t.is(waits, 1)
    writeFileSync(file, content)
    t.is(await found, server.url)
  },
)

test.serial('a start has no deadline while PostgreSQL recovers', async (t) => {
  const options = { directory: temporary(t, 'postgres'), port: await freePort() }
  const first = await startPostgres(options)
  await ask(first.url, 'create table kept as select generate_series(1, 100000) as n')
  process.kill(first.pid, 'SIGKILL')
  await first.exited
  const file = join(options.directory, 'data', 'postmaster.pid')
  const second = await startPostgres({
    ...options,
    silentMs: 500,
    launched: ({ pid }) => {
      void (async () => {
        const status = () => {
          const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
          return text.startsWith(`${pid}\n`) ? text.split('\n')[7]?.trim() : undefined
        }
        while (status() === undefined) await wait(5)
        if (status() !== 'starting') return
        process.kill(pid, 'SIGSTOP')
        await wait(2_000)
        process.kill(pid, 'SIGCONT')
      })()
    },
  })
  t.teardown(second.stop)
  t.deepEqual(await ask(second.url, 'select count(*)::int as n from kept'), { n: 100_000 })
})

test.serial('kill -9 of the process that started it leaves no server behind', async (t) => {
  const directory = temporary(t, 'postgres')
  const parent = script(['test/support/stack/stack.parent.ts', directory, String(await freePort())])
  t.true(await parent.says(/^\d+$/))
  const postmaster = Number(parent.lines[0])
  t.true(isAlive(postmaster))
  parent.child.kill('SIGKILL')
  await parent.ended
  const restarted = await startPostgres({ directory, port: await freePort(), durable: false })
  t.teardown(restarted.stop)
  t.false(isAlive(postmaster))
})

test.serial('a port that is taken gives a sentence, not a hang', async (t) => {
  const port = await freePort()
  const first = await startPostgres({ directory: temporary(t, 'postgres'), port, durable: false })
  t.teardown(first.stop)
  await t.throwsAsync(startPostgres({ directory: temporary(t, 'postgres'), port, durable: false }), {
    message: /^PostgreSQL did not start \(exit code 1\): .*could not create any TCP/,
  })
})

const asRoot = needs('the root user', test.serial)

asRoot('as root, a checkout and a data directory that only root may enter are no obstacle', async (t) => {
  const directory = temporary(t, 'postgres')
  const project = join(directory, 'closed', 'project')
  mkdirSync(project, { recursive: true })
  chmodSync(join(directory, 'closed'), 0o700)
  const owner = unprivilegedOwner()
  if (!owner) return t.fail()
  t.is(barrier(project, owner), directory)
  const cache = temporary(t, 'cache')
  chmodSync(cache, 0o755)
  const found = await findBinaries(undefined)
  const native = join(project, 'native')
  cpSync(dirname(dirname(found.postgres)), native, { recursive: true, verbatimSymlinks: true })
  const closed = { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') }
  const opened = reachable(closed, '1', owner, cache)
  t.is(barrier(opened.postgres, owner), undefined)
  t.is(reachable(closed, '1', owner, cache).postgres, opened.postgres)
  t.is(reachable(closed, '1', undefined, cache).postgres, closed.postgres)
  const version = runAs(owner, opened.postgres, ['--version'], [project])
  const { output } = await run(version.command, version.args, { uid: version.uid, gid: version.gid, cwd: '/', env: {} })
  t.regex(output, /^postgres \(PostgreSQL\) 18/)
})
