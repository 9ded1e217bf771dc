import type { Logger } from 'pino'
import type { Sql } from '../../entities/orm.ts'
import { Unavailable } from '../../protocol/errors.ts'

export interface QueuedEntry {
  id: string
  tenantId: string
  category: string
  type: string
  timestamp: Date
  requestId: string
  data: Record<string, unknown>
  metadata: Record<string, unknown>
  objectIds: string[]
  /**
   * UUID of a credential that a caller sent: the entry is about it where the tenant issued it. Ids of other issuers'
   * credentials lead to persons, and are not recorded.
   */
  presentedId?: string
  /**
   * SHA-256 in hexadecimal of the presented text, which must be the one that the tenant issued (D-339). Without it the id
   * decides.
   */
  presentedDigest?: string
}

const BATCH = 500
/** Requests wait while more entries than this are queued: no entry is dropped, and memory is bounded. */
const ROOM = 10_000
const PAUSE_MS = 25
const RETRY_MS = 1_000
/** Entries of one name that strangers cause become one in this time. */
const GATHER_MS = 60_000
/** Names that are gathered at a time. */
const MOST_GATHERED = 10_000

/** An array of arrays would be unnested whole, so the ids of each entry come as the text of an array. */
const INSERT = `insert into logs (id, tenant_id, category, type, timestamp, request_id, data, metadata, object_ids)
select e.id, e.tenant_id, e.category, e.type, e.timestamp, e.request_id, e.data, e.metadata,
  e.object_ids::uuid[] || array(select c.id from credentials c where c.id = e.presented_id and c.tenant_id = e.tenant_id
    and (e.digest is null or e.digest = encode(sha256(convert_to(c.document ->> 'encoded', 'UTF8')), 'hex')))
from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::uuid[], $7::json[], $8::json[],
  $9::text[], $10::uuid[], $11::text[])
  as e (id, tenant_id, category, type, timestamp, request_id, data, metadata, object_ids, presented_id, digest)
on conflict (id) do nothing`

/** The log entries of operations that changed nothing, or failed: written in batches, off the request's path. */
export interface LogQueue {
  add(entry: QueuedEntry): void
  /**
   * Adds an entry that strangers can cause as often as they like. The first of a name is written at once, the others
   * of a minute as one: it is the last of them, and its metadata has their `count`.
   */
  gather(name: string, entry: QueuedEntry): void
  /**
   * Returns undefined while there is room for an entry, else a promise of room, which rejects with
   * `Unavailable('database')` when the database takes none. Call it before an operation begins: entries of finished
   * work are always added.
   */
  room(): Promise<void> | undefined
  /** Writes all queued entries; throws when the database does not take them. */
  flush(): Promise<void>
  /** Writes all queued entries. Those that the database does not take, or that come later, go to the process's own log. */
  close(): Promise<void>
}

/** data_exception, integrity_constraint_violation (PostgreSQL, Appendix A): the fault is in the entry. */
const isRefused = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^2[23]/.test(String(error.code))

export function createLogQueue(sql: Sql, log: Logger, { roomFor = ROOM, gatherMs = GATHER_MS } = {}): LogQueue {
  const waiting: QueuedEntry[] = []
  const gathered = new Map<string, { last: QueuedEntry | undefined; count: number; timer: NodeJS.Timeout }>()
  let writing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  async function insert(batch: QueuedEntry[]): Promise<void> {
    const column = <T>(pick: (entry: QueuedEntry) => T) => batch.map(pick)
    await sql.query({
      name: 'queued-logs',
      text: INSERT,
      values: [
        column((entry) => entry.id),
        column((entry) => entry.tenantId),
        column((entry) => entry.category),
        column((entry) => entry.type),
        column((entry) => entry.timestamp),
        column((entry) => entry.requestId),
        column((entry) => JSON.stringify(entry.data)),
        column((entry) => JSON.stringify(entry.metadata)),
        column((entry) => `{${entry.objectIds.join()}}`),
        column((entry) => entry.presentedId ?? null),
        column((entry) => entry.presentedDigest ?? null),
      ],
    })
  }

  /** Writes an entry that the database refuses to the process's own log, because it would block all others. */
  async function write(batch: QueuedEntry[]): Promise<void> {
    try {
      await insert(batch)
    } catch (error) {
      if (!isRefused(error)) throw error
      if (batch.length === 1) return log.error({ err: error, entry: batch[0] }, 'a log entry was refused')
      const half = Math.ceil(batch.length / 2)
      await write(batch.slice(0, half))
      await write(batch.slice(half))
    }
  }

  async function writeAll() {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH)
      await write(batch)
      waiting.splice(0, batch.length)
    }
  }

  const flush = (): Promise<void> => {
    writing ??= writeAll().finally(() => {
      writing = undefined
    })
    return writing
  }

  function schedule(afterMs: number) {
    if (isClosed) return // nothing takes entries any more, and a timer would keep the process from ending
    timer ??= setTimeout(() => {
      timer = undefined
      flush().catch((error: Error) => {
        log.error({ err: error, waiting: waiting.length }, 'log entries wait for the database')
        schedule(RETRY_MS)
      })
    }, afterMs)
  }

  function add(entry: QueuedEntry) {
    if (isClosed) return log.error({ entry }, 'a log entry came when this process had closed its log')
    waiting.push(entry)
    schedule(PAUSE_MS)
  }

  /** Adds what was gathered under a name; false if that is nothing. */
  function addGathered(name: string): boolean {
    const { last, count = 0, timer } = gathered.get(name) ?? {}
    clearTimeout(timer)
    gathered.delete(name)
    if (last) add({ ...last, metadata: { ...last.metadata, count } })
    return last !== undefined
  }

  function startGathering(name: string) {
    // while they go on, none of them is the first any more
    const next = () => void (addGathered(name) && startGathering(name))
    gathered.set(name, { last: undefined, count: 0, timer: setTimeout(next, gatherMs).unref() })
    const [oldest] = gathered.keys()
    if (gathered.size > MOST_GATHERED && oldest !== undefined) addGathered(oldest)
  }

  return {
    add,
    gather(name, entry) {
      if (isClosed) return add(entry)
      const more = gathered.get(name)
      if (more) {
        more.last = entry
        more.count += 1
        return
      }
      add(entry)
      startGathering(name)
    },
    room() {
      if (waiting.length < roomFor) return undefined
      return flush().catch((error: unknown) => {
        throw new Unavailable('database', 'The log cannot take entries now. Try again shortly.', 5, { cause: error })
      })
    },
    flush,
    async close() {
      for (const name of [...gathered.keys()]) addGathered(name)
      isClosed = true
      clearTimeout(timer)
      try {
        await flush()
      } catch (error) {
        for (const entry of waiting) log.error({ entry }, 'a log entry could not be written before the end')
        throw error
      }
    },
  }
}
