import {
  accessSync,
  constants,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { withLock } from '../local/lock.ts'
import { type Say, withProgress } from '../local/progress.ts'
import { run, tail } from './run.ts'

/** Later tags carry replace directives, which `go install` refuses. */
const TEMPORAL_MODULE = 'github.com/temporalio/cli/cmd/temporal@v1.5.1'

type Environment = Readonly<Record<string, string | undefined>>

/** Where binaries live that are fetched or built once for a machine. */
export const binaryCache = (env: Environment): string =>
  join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'countersign', 'bin')

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** A program of that name on PATH. */
export const onPath = (name: string, env: Environment): string | undefined =>
  (env.PATH ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((directory) => join(directory, name))
    .find(isExecutable)

/** The tail of what a command said, when it failed; undefined when it ended well. */
async function failureOf(command: string, args: string[], env: Environment): Promise<string | undefined> {
  try {
    const { code, output } = await run(command, args, { env })
    return code === 0 ? undefined : tail(output, 2)
  } catch (error) {
    return (error as Error).message
  }
}

async function buildWithGo(into: string, env: Environment, say: Say): Promise<string | undefined> {
  const go = onPath('go', env)
  if (!go) return 'Go is not installed'
  const directory = mkdtempSync(join(into, '.build-temporal-'))
  try {
    const what = 'Building the Temporal server with Go, once (about 3 minutes)'
    const goEnv = { ...env, GOBIN: directory, CGO_ENABLED: '0', GOFLAGS: '' }
    const failure = await withProgress(what, say, () => failureOf(go, ['install', TEMPORAL_MODULE], goEnv))
    if (failure === undefined) renameSync(join(directory, 'temporal'), join(into, 'temporal'))
    return failure
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** @temporalio/testing fetches a server and starts it; we want the file. */
async function download(into: string, say: Say): Promise<string | undefined> {
  const directory = mkdtempSync(join(into, '.download-temporal-'))
  try {
    const { TestWorkflowEnvironment } = await import('@temporalio/testing')
    const server = { executable: { type: 'cached-download' as const, downloadDir: directory } }
    const environment = await withProgress('Downloading the Temporal server, once', say, () =>
      TestWorkflowEnvironment.createLocal({ server }),
    )
    const file = readdirSync(directory)
      .map((name) => join(directory, name))
      .find(isExecutable)
    if (file) copyFileSync(file, join(into, 'temporal.new'))
    await environment.teardown()
    if (!file) return 'the download has no program'
    renameSync(join(into, 'temporal.new'), join(into, 'temporal'))
    return undefined
  } catch (error) {
    return (error as Error).message.split(': ').slice(0, 3).join(': ')
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/**
 * The Temporal CLI, whose `server start-dev` we run: TEMPORAL_CLI, else PATH, else the cache, else a build, else a
 * download. Throws one sentence on what to install.
 */
export async function findTemporalBinary(env: Environment, say: Say, fetchInto = download): Promise<string> {
  if (env.TEMPORAL_CLI) {
    if (isExecutable(env.TEMPORAL_CLI)) return env.TEMPORAL_CLI
    throw new Error(`TEMPORAL_CLI is not usable: there is no program at ${env.TEMPORAL_CLI}.`)
  }
  const cache = binaryCache(env)
  const cached = join(cache, 'temporal')
  const known = onPath('temporal', env) ?? (isExecutable(cached) ? cached : undefined)
  if (known) return known
  mkdirSync(cache, { recursive: true })
  const waiting = () => say('Waiting for another start, which is building the Temporal server …')
  return withLock(
    join(cache, '.temporal.lock'),
    async () => {
      if (isExecutable(cached)) return cached
      for (const name of readdirSync(cache).filter((name) => /^\.(build|download)-temporal-/.test(name)))
        rmSync(join(cache, name), { recursive: true, force: true }) // of a start that was cut off
      const notBuilt = await buildWithGo(cache, env, say)
      if (notBuilt === undefined) return cached
      say(`The Temporal server could not be built (${notBuilt}).`)
      const notFetched = await fetchInto(cache, say)
      if (notFetched === undefined) return cached
      throw new Error(
        `There is no Temporal server: ${notBuilt}, and it could not be downloaded (${notFetched}). Install the Temporal CLI ` +
          '(https://docs.temporal.io/cli) or Go, or set TEMPORAL_CLI to a program or TEMPORAL_ADDRESS to a server.',
      )
    },
    waiting,
  )
}
