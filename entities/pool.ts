import type { Pool, PoolClient } from 'pg'

/** Observer of the pool of one role. */
export interface PoolObserver {
  /** Called once for each pool, whose counters may be read from then on. */
  opened?(pool: Pick<Pool, 'totalCount' | 'idleCount' | 'waitingCount'>): void
  /** A caller waited for a connection, and got one or an error. */
  waited?(seconds: number, error: unknown): void
  /** `statement` is a name or a verb: one of few. */
  queried?(statement: string, seconds: number, error: unknown): void
}

/** The server did not answer a statement: server or network hangs, and the outcome is unknown. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
  readonly code = 'ETIMEDOUT'
}

const VERBS = new Set(['begin', 'start', 'commit', 'rollback', 'savepoint', 'select', 'insert', 'update', 'delete'])

/** The name of a named statement, else its verb. */
function labelOf(statement: unknown): string {
  const query: unknown = typeof statement === 'object' && statement !== null ? statement : { text: statement }
  const { name, text } = query as { name?: unknown; text?: unknown }
  if (typeof name === 'string' && name !== '') return name
  const [, verb = ''] = typeof text === 'string' ? (/^\s*(\w+)/.exec(text.slice(0, 40)) ?? []) : []
  return VERBS.has(verb.toLowerCase()) ? verb.toLowerCase() : 'other'
}

type Connected = (
  error: Error | undefined,
  client: PoolClient | undefined,
  release: (destroy?: boolean) => void,
) => void

const secondsSince = (from: number) => (performance.now() - from) / 1000

/** A client of `pg` has its connection, and that its socket; the type of a pool's clients leaves them out. */
function endConnection(client: PoolClient, error?: Error): void {
  const { connection } = client as PoolClient & { connection: { stream: { destroy(error?: Error): void } } }
  connection.stream.destroy(error)
}

interface Watched {
  answerMs: number
  observer: PoolObserver
  /** Called when a statement on this connection had no answer. */
  hung(): void
}

/**
 * Ends a connection whose statement has had no answer for `answerMs`, so that it is never used again: the statement's
 * own answer would be taken for that of the next one. pg's `query_timeout` leaves such a connection in the pool.
 */
function limitAnswers(client: PoolClient, { answerMs, observer, hung }: Watched): void {
  const { query } = client
  const limited = (...args: unknown[]): unknown => {
    const from = performance.now()
    const late = setTimeout(() => {
      hung()
      endConnection(client, new NoAnswer(`The database did not answer within ${answerMs} ms.`))
    }, answerMs)
    const done = (error: unknown) => {
      clearTimeout(late)
      observer.queried?.(labelOf(args[0]), secondsSince(from), error)
    }
    const callback = args.at(-1)
    if (typeof callback === 'function') {
      const told = (error: unknown, result: unknown) => {
        done(error)
        callback(error, result)
      }
      return Reflect.apply(query, client, [...args.slice(0, -1), told])
    }
    const answer: unknown = Reflect.apply(query, client, args)
    if (answer instanceof Promise) answer.then(() => done(undefined), done)
    else clearTimeout(late) // a cursor, whose end cannot be observed
    return answer
  }
  Reflect.set(client, 'query', limited)
}

/**
 * Releases a connection to the pool when it ends: a Kysely transaction whose BEGIN or ROLLBACK fails never releases it
 * (kysely 0.29, ControlledTransaction), and enough of them would empty the pool.
 */
function releaseWhenEnded(client: PoolClient): void {
  const { release } = client
  let lost = false
  const ended = (error: Error) => {
    lost = true
    release(error)
  }
  client.once('error', ended)
  client.release = (destroy) => {
    if (lost) return
    client.off('error', ended)
    release(destroy)
  }
}

/**
 * Watches a pool and each of its connections. After a statement without an answer, no connection is used that was made
 * before it: they lead to the same server, and each would cost a request `answerMs`.
 */
export function watchPool(pool: Pool, answerMs: number, observer: PoolObserver = {}): void {
  const madeAt = new WeakMap<object, number>()
  let hungAt = Number.NEGATIVE_INFINITY
  const hung = () => {
    hungAt = performance.now()
  }
  pool.on('connect', (client) => {
    madeAt.set(client, performance.now())
    limitAnswers(client, { answerMs, observer, hung })
  })
  const connect = pool.connect.bind(pool)
  const fresh = (connected: Connected): void =>
    connect((error, client, release) => {
      if (!client) return connected(error, client, release)
      releaseWhenEnded(client)
      if ((madeAt.get(client) ?? hungAt) >= hungAt) return connected(error, client, client.release)
      client.release(true)
      endConnection(client)
      fresh(connected)
    })
  const measured = (connected: Connected): void => {
    const from = performance.now()
    fresh((error, client, release) => {
      observer.waited?.(secondsSince(from), error)
      connected(error, client, release)
    })
  }
  const either = (connected?: Connected) =>
    connected
      ? measured(connected)
      : new Promise((resolve, reject) => measured((error, client) => (error ? reject(error) : resolve(client))))
  Reflect.set(pool, 'connect', either)
  observer.opened?.(pool)
}
