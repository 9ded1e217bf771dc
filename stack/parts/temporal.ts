import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { launch, type Part } from './part.ts'
import { tail } from './run.ts'

export interface TemporalOptions {
  /** The Temporal CLI, as `findTemporalBinary` gives it. */
  binary: string
  port: number
  uiPort: number
  /** SQLite file that workflows survive in; made when missing. */
  databaseFile: string
  namespace?: string
  /** Where the UI asks for decoded payloads, when the operator serves that. */
  codecEndpoint?: string
  /** Dynamic configuration, as `key=value`. */
  settings?: readonly string[]
  logFile?: string
  /** Told of the process before it is ready. */
  launched?: (part: Part) => void
}

export interface Temporal extends Part {
  /** host:port of the gRPC service. */
  address: string
  uiUrl: string
}

const lastLines = (log: string) => tail(readFileSync(log, 'utf8'))

/** Ready when the UI's server gets an answer about the namespace from the gRPC service: then both are there. */
async function answers(uiUrl: string, namespace: string): Promise<boolean> {
  try {
    const response = await fetch(`${uiUrl}/api/v1/namespaces/${namespace}`, { signal: AbortSignal.timeout(2_000) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false // not listening yet
  }
}

/** Brings up Temporal's development server with its UI on 127.0.0.1. Throws a sentence that says why it did not start. */
export async function startTemporal(options: TemporalOptions): Promise<Temporal> {
  const { binary, port, uiPort, namespace = 'default' } = options
  const databaseFile = resolve(options.databaseFile)
  mkdirSync(dirname(databaseFile), { recursive: true })
  const log = options.logFile ?? `${databaseFile}.log`
  const output = openSync(log, 'a', 0o600)
  const args = ['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--ui-port', String(uiPort)]
  args.push('--db-filename', databaseFile, '--log-format', 'json', '--log-level', 'warn')
  // without it the server gives tasks out in the order in which they came, whichever tenant's they are (D-202)
  for (const setting of ['matching.enableFairness=true', ...(options.settings ?? [])])
    args.push('--dynamic-config-value', setting)
  if (namespace !== 'default') args.push('--namespace', namespace)
  if (options.codecEndpoint) args.push('--ui-codec-endpoint', options.codecEndpoint)
  const part = await launch({
    name: 'Temporal',
    command: binary,
    args,
    // not ours: the CLI reads TEMPORAL_* variables, which are meant for clients
    env: { HOME: homedir() },
    stdio: ['ignore', output, output],
    signal: 'SIGTERM',
    graceMs: 10_000,
    umask: 0o077, // payloads are encrypted, ids and times in the database file are not
  }).finally(() => closeSync(output))
  options.launched?.(part)
  const uiUrl = `http://127.0.0.1:${uiPort}`
  let exit: string | undefined
  void part.exited.then((how) => {
    exit = how
  })
  const deadline = Date.now() + 60_000
  while (!(await answers(uiUrl, namespace))) {
    if (exit !== undefined || Date.now() >= deadline) {
      await part.stop()
      throw new Error(`Temporal did not start (${exit ?? 'no answer in 60 s'}): ${lastLines(log)}`)
    }
    await wait(50)
  }
  return { ...part, address: `127.0.0.1:${port}`, uiUrl }
}
