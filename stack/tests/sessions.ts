import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { launch } from '../parts/part.ts'
import { eventOf, type FileRun, followFile, notBegun } from './file.ts'
import { SHARED, type TestEvent } from './observer.ts'
import { showLine } from './output.ts'
import type { PlannedFile } from './plan.ts'
import type { FileReport } from './report.ts'
import type { Order } from './session.ts'

const SESSION = fileURLToPath(new URL('./session.ts', import.meta.url))
const TYPESCRIPT = new URL('./typescript.mjs', import.meta.url).href

/** A process keeps all modules that it loaded: with so much memory, another one takes its place. */
const BYTES = 1.25 * 2 ** 30

async function launchSession({ suite, env }: FileRun) {
  const part = await launch({
    name: 'test files',
    command: process.execPath,
    args: ['--enable-source-maps', `--import=${TYPESCRIPT}`, SESSION],
    cwd: suite.root,
    env: { ...env, NODE_ENV: 'test', [SHARED]: 'yes' },
    stdio: ['ignore', 'ignore', 'inherit', 'pipe', 'ipc'],
    signal: 'SIGTERM',
    graceMs: 2_000,
  })
  const lines = createInterface({ input: part.child.stdio[3] as Readable })
  const read = once(lines, 'close')
  const exited = part.exited.then((how) => read.then(() => how))
  let bytes = 0
  let alive = true
  void part.exited.then(() => {
    alive = false
  })
  const nothing = ({ type, why = [] }: TestEvent): void =>
    void showLine(`Between two test files: ${type}\n${why.join('\n')}`)
  let hear = nothing
  lines.on('line', (line) => hear(eventOf(line)))

  /** One file; afterwards the process waits for the next, or has ended. */
  async function run(file: PlannedFile, options: FileRun): Promise<FileReport> {
    const followed = followFile(file, options, () => void part.stop())
    const ended = new Promise<string>((resolve) => {
      hear = (event) => {
        followed.add(event)
        if (event.type !== 'end') return
        bytes = event.bytes ?? 0
        resolve('exit code 0')
      }
    })
    const order: Order = { file: join(options.suite.root, file.path) }
    part.child.send(order, () => undefined) // of a process that has just ended, `exited` tells
    const how = await Promise.race([ended, exited])
    followed.over()
    hear = nothing
    if (!alive) await part.stop() // what is left of its group
    return followed.end(how)
  }
  return { run, isFresh: () => alive && bytes < BYTES, close: () => part.stop() }
}

type Session = Awaited<ReturnType<typeof launchSession>>

/** Processes that run test files one after the other; each is used by one file at a time. */
export function createSessions() {
  const idle: Session[] = []
  return {
    async run(file: PlannedFile, options: FileRun): Promise<FileReport> {
      if (options.stop.aborted) return notBegun(file)
      const waiting = idle.pop()
      const session = waiting?.isFresh() ? waiting : await launchSession(options)
      const report = await session.run(file, options)
      // nothing is sure of a process in which something failed
      if (report.failed.length === 0 && session.isFresh()) idle.push(session)
      else await session.close()
      return report
    },
    /** Ends those that wait. */
    closeAll: async () => void (await Promise.all(idle.splice(0).map((session) => session.close()))),
  }
}
