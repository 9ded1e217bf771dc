import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Environment, read } from '../../config.ts'
import { withLock } from '../local/lock.ts'
import { type Say, withProgress } from '../local/progress.ts'
import { binaryCache, isExecutable, onPath } from './temporal.binary.ts'

/** Vault's own command line as a program of one call: there is no `go install` for it. */
const MAIN = `package main

import (
	"os"

	"github.com/hashicorp/vault/command"
)

func main() { os.Exit(command.Run(os.Args[1:])) }
`

/** This pair of versions compiles, others do not; the two replacements are Vault's own, which a dependent must repeat. */
const GO_MOD = `module countersign/vault

go 1.23.3

require (
	github.com/hashicorp/vault v1.19.0
	github.com/hashicorp/vault/sdk v0.15.2
)

replace github.com/99designs/keyring => github.com/Jeffail/keyring v1.2.3

replace github.com/ma314smith/signedxml v1.1.1 => github.com/moov-io/signedxml v1.1.1
`

/** Builds into `directory`; answers the tail of what Go said when that failed. */
async function build(go: string, directory: string, env: Environment): Promise<string | undefined> {
  writeFileSync(join(directory, 'main.go'), MAIN)
  writeFileSync(join(directory, 'go.mod'), GO_MOD)
  const args = ['build', '-mod=mod', '-tags', 'minimal', '-o', 'vault', '.']
  const child = spawn(go, args, {
    cwd: directory,
    env: { ...env, GOFLAGS: '', GOWORK: 'off' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let tail = ''
  child.stderr.on('data', (chunk: Buffer) => {
    tail = (tail + chunk.toString()).slice(-2_000)
  })
  const stop = () => child.kill('SIGTERM')
  process.once('exit', stop)
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    return code === 0 ? undefined : tail.trim().split('\n').slice(-2).join(' | ')
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    process.off('exit', stop)
  }
}

async function buildInto(cache: string, go: string, env: Environment, say: Say): Promise<string> {
  const directory = mkdtempSync(join(cache, '.build-vault-'))
  try {
    const what = 'Building Vault with Go for the tests, once (about 4 minutes)'
    const failure = await withProgress(what, say, () => build(go, directory, env))
    if (failure !== undefined) throw new Error(`Vault could not be built: ${failure}`)
    renameSync(join(directory, 'vault'), join(cache, 'vault'))
    return join(cache, 'vault')
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/**
 * The Vault program for tests: VAULT_BINARY, else PATH, else the cache, else a build with Go. Undefined where there is
 * neither Vault nor Go: such tests are skipped. Production brings its own Vault or OpenBao.
 */
export async function findVaultBinary(env: Environment, say: Say): Promise<string | undefined> {
  const named = read(env, 'VAULT_BINARY')
  if (named) {
    if (isExecutable(named)) return named
    throw new Error(`VAULT_BINARY is not usable: there is no program at ${named}.`)
  }
  const cache = binaryCache(env)
  const cached = join(cache, 'vault')
  const known = onPath('vault', env) ?? (isExecutable(cached) ? cached : undefined)
  const go = onPath('go', env)
  if (known || !go) return known
  mkdirSync(cache, { recursive: true })
  return withLock(
    join(cache, '.vault.lock'),
    async () => (isExecutable(cached) ? cached : buildInto(cache, go, env, say)),
    () => say('Waiting for another run, which is building Vault …'),
  )
}
