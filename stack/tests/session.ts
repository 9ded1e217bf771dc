/**
 * A process that runs one test file after the other, each in AVA's own runner: it loads the platform and warms up once.
 * What happens goes to the parent as the same lines as AVA's of a file of its own (`observer.ts`). It does what
 * `ava/lib/worker/base.js` does, without an AVA around it.
 */
import { writeSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { type AvaError, type AvaEvent, lineOf } from './observer.ts'

/** What the parent asks for: a file, by its whole path. */
export interface Order {
  file: string
}

/** AVA's runner, as far as it is used here. */
interface Runner {
  chain: object
  /** How many tests and hooks the file has declared. */
  nextTaskIndex: number
  on(name: string, listener: (event: { data: unknown }) => void): void
  saveSnapshotState(): Promise<unknown>
}

const part = <Module>(path: string) =>
  import(pathToFileURL(`${process.cwd()}/node_modules/ava/lib/${path}`).href) as Promise<Module>
const { set: setChalk } = await part<{ set(options: { level: number }): void }>('chalk.js')
setChalk({ level: 0 })
const { default: AvaRunner } = await part<{ default: new (options: object) => Runner }>('runner.js')
const { default: serialize } = await part<{ default(error: unknown, of?: object): AvaError }>('serialize-error.js')
const { flags, refs } = await part<{ flags: { loadedMain: boolean }; refs: { runnerChain: unknown } }>(
  'worker/state.js',
)

const EVENTS = 3
const unhandled = new Map<Promise<unknown>, unknown>()
const environment = { ...process.env }
let chain: object = () => undefined
let file = ''

const tell = (event: AvaEvent) => {
  const line = lineOf(event)
  if (line) writeSync(EVENTS, line)
}

// test files and what they share import one `test` for good: it is of the file that runs
refs.runnerChain = new Proxy(() => undefined, {
  apply: (_target, self, args) => Reflect.apply(chain as () => unknown, self, args),
  get: (_target, name) => Reflect.get(chain, name),
})
flags.loadedMain = true

/** Nothing is sure of a process in which something failed beside its tests. */
function giveUp(type: string, error: unknown): never {
  tell({ type, err: error === undefined ? undefined : serialize(error, { testFile: file }) })
  return exit(1)
}

const exit = process.exit.bind(process)
process.exit = (code) => {
  tell({ type: 'process-exit', stack: new Error('Unexpected process.exit()').stack })
  return exit(code)
}
process.on('uncaughtException', (error) => giveUp('uncaught-exception', error))
process.on('unhandledRejection', (reason, promise) => unhandled.set(promise, reason))
process.on('rejectionHandled', (promise) => unhandled.delete(promise))

function restoreEnvironment(): void {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
}

/** Without this, the open channel would hide that nothing is left that could end a test. */
const listen = (on: boolean) => (on ? process.channel?.ref() : process.channel?.unref())

function run(order: Order): void {
  file = order.file
  const runner = new AvaRunner({ file, projectDir: process.cwd(), recordNewSnapshots: false })
  chain = runner.chain
  runner.on('stateChange', ({ data }) => tell(data as AvaEvent))
  runner.on('error', ({ data }) => giveUp('internal-error', data))
  runner.on('finish', () => void finish(runner).catch((error: unknown) => giveUp('internal-error', error)))
  import(pathToFileURL(file).href).then(
    () => (runner.nextTaskIndex > 0 ? listen(false) : giveUp('missing-ava-import', undefined)),
    (error: unknown) => giveUp('uncaught-exception', error),
  )
}

async function finish(runner: Runner): Promise<void> {
  listen(true)
  await runner.saveSnapshotState()
  tell({ type: 'worker-finished' })
  await setImmediate()
  for (const reason of unhandled.values()) giveUp('unhandled-rejection', reason)
  restoreEnvironment()
  tell({ type: 'end', bytes: process.memoryUsage.rss() })
}

process.on('message', run)
process.once('disconnect', () => exit(0))
