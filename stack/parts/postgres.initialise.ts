import { chownSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Owner, runAs } from '../local/unprivileged.ts'
import { majorOf } from './postgres.binaries.ts'
import { run, tail } from './run.ts'

export interface Cluster {
  directory: string
  data: string
  owner: Owner | undefined
  initdb: string
  postgres: string
  password: string
}

async function runOn(data: string, cluster: Cluster, command: string, args: string[], input = ''): Promise<void> {
  const { command: program, args: withOwner, ...ids } = runAs(cluster.owner, command, args, [data])
  const { code, output } = await run(program, withOwner, { ...ids, cwd: '/', env: { LC_ALL: 'C', TZ: 'UTC' }, input })
  if (code !== 0 || /^(ERROR|FATAL|PANIC):/m.test(output))
    throw new Error(`PostgreSQL's data directory could not be made: ${tail(output)}`)
}

/**
 * Makes the data directory under another name and renames it when it is whole, so that a start that was cut off leaves
 * nothing half made. The roles are made in single-user mode: no server is needed, and no password is in a file of others.
 */
export async function initialise(cluster: Cluster, durable: boolean): Promise<void> {
  const data = `${cluster.data}.new`
  rmSync(data, { recursive: true, force: true })
  mkdirSync(data, { mode: 0o700 })
  if (cluster.owner) chownSync(data, cluster.owner.uid, cluster.owner.gid)
  // the provider inside PostgreSQL: the same C.UTF-8 on every machine, whatever locales it has; since version 17
  const builtin = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const locale = [...(majorOf(cluster) >= 17 ? builtin : ['--locale=C.UTF-8']), '--encoding=UTF8']
  // a log in files of 1 MB: a copy of the cluster then takes half of the time
  const speed = durable ? [] : ['--no-sync', '--wal-segsize=1']
  await runOn(data, cluster, cluster.initdb, ['-D', data, '-U', 'postgres', '-A', 'reject', ...locale, ...speed])
  const statements = [
    `ALTER ROLE postgres PASSWORD '${cluster.password}'`,
    `CREATE ROLE countersign LOGIN CREATEROLE CREATEDB PASSWORD '${cluster.password}'`,
    'CREATE DATABASE countersign OWNER countersign',
  ]
  const single = ['--single', '-j', '-D', data, '-c', `fsync=${durable ? 'on' : 'off'}`, 'postgres']
  await runOn(data, cluster, cluster.postgres, single, statements.map((statement) => `${statement};\n\n`).join(''))
  writeFileSync(join(data, 'pg_hba.conf'), 'host all all 127.0.0.1/32 scram-sha-256\n')
  renameSync(data, cluster.data)
}

/** Copies data and password, with their owner, from the directory of a server that does not run. */
export async function copyCluster(from: string, to: string): Promise<void> {
  const { code, output } = await run('cp', ['-pR', join(from, 'password'), join(from, 'data'), to], {})
  if (code !== 0) throw new Error(`PostgreSQL's data directory could not be copied: ${tail(output)}`)
}
