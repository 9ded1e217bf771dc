import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Answer, Order, RanTest } from './session.ts'

const SESSION = fileURLToPath(new URL('./session.ts', import.meta.url))

export interface Session {
  titles: string[]
  /** Undefined when the tests did not end in time, or ended the process; then the session is over. */
  run(order: Order, timeoutMs: number): Promise<RanTest[] | undefined>
  close(): Promise<void>
}

/** Throws when the file or one of its hooks fails. */
async function openSession(file: string, env: NodeJS.ProcessEnv): Promise<Session> {
  const child = fork(SESSION, [file], {
    env: { ...env, NODE_ENV: 'test' },
    execArgv: ['--import=tsx'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const exited = once(child, 'exit')
  const answers = () =>
    new Promise<Answer | undefined>((resolve) => {
      child.once('message', (message) => resolve(message as Answer))
      void exited.then(() => resolve(undefined))
    })
  const close = async () => {
    child.kill('SIGKILL')
    await exited
  }
  const opened = await answers()
  const why = opened === undefined ? 'its process ended' : 'why' in opened ? opened.why : undefined
  if (why !== undefined || !opened || !('titles' in opened)) {
    await close()
    throw new Error(`${file} cannot be used: ${why}`)
  }
  return {
    titles: opened.titles,
    async run(order, timeoutMs) {
      const answer = answers()
      child.send(order)
      const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
      const ran = await answer
      clearTimeout(timer)
      return ran && 'ran' in ran ? ran.ran : undefined
    },
    close,
  }
}

/** One session per file, opened when it is first asked for. */
export function createSessions(env: NodeJS.ProcessEnv) {
  const open = new Map<string, Promise<Session>>()
  const of = (file: string): Promise<Session> => {
    const session = open.get(file) ?? openSession(file, env)
    open.set(file, session)
    return session
  }
  const close = async (file: string) => {
    const session = open.get(file)
    open.delete(file)
    await (await session)?.close()
  }
  return { of, close, closeAll: () => Promise.all([...open.keys()].map(close)) }
}

export type Sessions = ReturnType<typeof createSessions>
