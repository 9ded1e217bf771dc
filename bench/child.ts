import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** A process of its own for one kind of work, so that neither its heap nor its event loop is ours. */
export interface Child<Job, Result> {
  ask(job: Job): Promise<Result>
  stop(): void
}

type Answer<Result> = { result: Result } | { failure: string }

export function startChild<Job extends object, Result>(entry: string): Child<Job, Result> {
  const child = fork(fileURLToPath(new URL(entry, import.meta.url)), { execArgv: ['--import=tsx'] })
  return {
    ask: (job) =>
      new Promise((resolve, reject) => {
        const ended = () => reject(new Error(`${entry} ended early.`))
        child.once('exit', ended)
        child.once('message', (answer: Answer<Result>) => {
          child.off('exit', ended)
          if ('failure' in answer) reject(new Error(`${entry}: ${answer.failure}`))
          else resolve(answer.result)
        })
        child.send(job)
      }),
    stop: () => {
      child.kill()
    },
  }
}

/** The other end: does one job after the other, and ends with its parent. */
export function serveJobs<Job, Result>(work: (job: Job) => Promise<Result>): void {
  process.on('message', (job: Job) => {
    work(job).then(
      (result) => process.send?.({ result }),
      (error: unknown) =>
        process.send?.({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    )
  })
  process.on('disconnect', () => process.exit())
}
