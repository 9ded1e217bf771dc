import type { Logger } from 'pino'
import type { Sql } from '../entities/orm.ts'

export interface QueuedEntry {
  id: string
  tenantId: string
  category: string
  type: string
  timestamp: Date
  requestId: string
  data: Record<string, unknown>
  metadata: Record<string, unknown>
}

const BATCH = 500
/** Beyond this many waiting entries, requests wait for room: nothing is dropped and memory stays bounded. */
const ROOM = 10_000
const PAUSE_MS = 25

const INSERT = `insert into logs (id, tenant_id, category, type, timestamp, request_id, data, metadata)
select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::uuid[], $7::json[], $8::json[])
on conflict (id) do nothing`

/** The log entries of operations that changed nothing, or failed: written in batches, off the request's path. */
export interface LogQueue {
  add(entry: QueuedEntry): Promise<void>
  /** Writes all that is waiting; throws when the database does not take it. */
  flush(): Promise<void>
  close(): Promise<void>
}

export function createLogQueue(sql: Sql, log: Logger): LogQueue {
  const waiting: QueuedEntry[] = []
  let writing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  async function writeAll() {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH)
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
        ],
      })
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
    timer ??= setTimeout(() => {
      timer = undefined
      flush().catch((error: Error) => {
        log.error({ err: error, waiting: waiting.length }, 'log entries wait for the database')
        schedule(1_000)
      })
    }, afterMs)
  }

  return {
    async add(entry) {
      if (waiting.length >= ROOM) await flush()
      waiting.push(entry)
      schedule(PAUSE_MS)
    },
    flush,
    async close() {
      clearTimeout(timer)
      await flush()
    },
  }
}
