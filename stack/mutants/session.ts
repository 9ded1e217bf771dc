/**
 * One test file in a process that stays: what the file brings up is brought up once, and its tests run as often as they
 * are asked for, with a mutant or with none. The tests run in AVA's own runner; only the order is ours
 * (`ava/lib/runner.js`, `start`).
 */
import { pathToFileURL } from 'node:url'
import { createMutantSwitch } from './switch.ts'

export interface Order {
  titles: string[]
  mutant?: string
  /** More visits of a mutant than this are a loop without end. */
  hitLimit?: number
}

export interface RanTest {
  title: string
  milliseconds: number
  /** Mutants that it came by. */
  covered: string[]
  /** Why it failed. */
  why?: string
}

export type Answer = { titles: string[]; why?: string } | { ran: RanTest[] }

interface Task {
  title: string
  metadata: { skipped: boolean }
}

interface AvaEvent {
  err?: { message?: string; formattedError?: string }
}

/** AVA's runner, as far as it is used here. */
interface Runner {
  chain: unknown
  tasks: Record<'before' | 'serial' | 'concurrent', Task[]>
  start(): Promise<void>
  emit(name: string, event: AvaEvent): Promise<void>
  runHooks(tasks: Task[], context: Context): Promise<boolean>
  runTest(task: Task, context: Context): Promise<boolean>
}

interface Context {
  copy(): Context
}

const part = <Module>(path: string) =>
  import(pathToFileURL(`${process.cwd()}/node_modules/ava/lib/${path}`).href) as Promise<Module>
const { default: AvaRunner } = await part<{ default: new (options: object) => Runner }>('runner.js')
const { default: AvaContext } = await part<{ default: new () => Context }>('context-ref.js')
const { refs } = await part<{ refs: { runnerChain: unknown } }>('worker/state.js')

const file = process.argv[2] ?? ''
const mutants = createMutantSwitch()
const runner = new AvaRunner({ file, projectDir: process.cwd(), serial: true })
const context = new AvaContext()
let failure: string | undefined

runner.start = async () => undefined
runner.emit = async (_name, { err }) => {
  if (err) failure ??= err.message || err.formattedError || 'it failed'
}
refs.runnerChain = runner.chain

// what fails beside a test fails the test, as in AVA
for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, (error: unknown) => {
    failure ??= `${event}: ${error instanceof Error ? error.message : String(error)}`
  })

async function open(): Promise<Map<string, Task>> {
  await import(pathToFileURL(file).href)
  await runner.runHooks(runner.tasks.before, context)
  const tasks = [...runner.tasks.serial, ...runner.tasks.concurrent].filter(({ metadata }) => !metadata.skipped)
  return new Map(tasks.map((task) => [task.title, task]))
}

async function run(title: string, task: Task): Promise<RanTest> {
  const begun = performance.now()
  failure = undefined
  mutants.test(title)
  const passed = await runner.runTest(task, context.copy())
  mutants.test(undefined)
  const why = failure ?? (passed ? undefined : 'it failed')
  const test = { title, milliseconds: performance.now() - begun, covered: mutants.covered(title) }
  return why === undefined ? test : { ...test, why }
}

/** Up to the first that fails. */
async function runAll(tests: Map<string, Task>, { titles, mutant, hitLimit }: Order): Promise<RanTest[]> {
  const ran: RanTest[] = []
  mutants.plant(mutant, hitLimit)
  for (const title of titles) {
    const task = tests.get(title)
    if (!task) continue
    ran.push(await run(title, task))
    if (ran.at(-1)?.why !== undefined) break
  }
  mutants.plant(undefined)
  return ran
}

const answer = (message: Answer) => process.send?.(message)

process.once('disconnect', () => process.exit()) // the guard ends what the file brought up
try {
  const tests = await open()
  process.on('message', (order: Order) => void runAll(tests, order).then((ran) => answer({ ran })))
  answer({ titles: [...tests.keys()], ...(failure === undefined ? {} : { why: failure }) })
} catch (error) {
  answer({ titles: [], why: error instanceof Error ? error.message : String(error) })
}
