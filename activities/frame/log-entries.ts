import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { LogEntry } from '../../entities/tokens-logs.ts'
import { assertEntryName, type EntryName } from '../../protocol/event-types.ts'
import { objectIdsOf } from '../../protocol/operations.ts'
import type { Dependencies } from '../dependencies.ts'

/** Who did what no client asked for: scheduled work, deliveries, messages that came from outside (D-495). */
export const PLATFORM = 'platform'

/** A log entry of a change, or of work that continues after its request was answered. */
export interface NewLogEntry {
  tenantId: string
  /** Id of the request, or of the one that started the work. */
  requestId: string
  /** Of the client that asked for it, also where the work went on later; absent where no client did. */
  clientId?: string
  /** Log name, as of an operation, or in the entries.ts of its area (getLogEventTypes): the entry is `<name>_SUCCESS` or `<name>_FAIL`. */
  name: EntryName
  category: string
  outcome: 'SUCCESS' | 'FAIL'
  /** Ids and counts only: no personal data. The entry is found by each id. */
  metadata: Record<string, string | number | boolean | null>
}

/** Writes the entry in the transaction of `em`, together with its change. */
export function addLogEntry(
  em: SqlEntityManager,
  { now, uuid }: Pick<Dependencies, 'now' | 'uuid'>,
  { tenantId, requestId, clientId = PLATFORM, name, category, outcome, metadata }: NewLogEntry,
): void {
  assertEntryName(name)
  em.create(LogEntry, {
    id: uuid(),
    tenantId,
    requestId,
    category,
    type: `${name}_${outcome}`,
    timestamp: now(),
    data: {},
    metadata: { clientId, ...metadata },
    objectIds: objectIdsOf(metadata),
  })
}
