import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { LogEntry } from '../../entities/tokens-logs.ts'
import type { Dependencies } from '../dependencies.ts'

/** What the log says of work that goes on after the request that asked for it was answered. */
export interface FollowUp {
  tenantId: string
  /** Of the request that asked for it. */
  requestId: string
  clientId: string
  /** As of an operation: the entry is `<name>_SUCCESS` or `<name>_FAIL`. */
  name: string
  category: string
  outcome: 'SUCCESS' | 'FAIL'
  /** Ids and counts only: no personal data. */
  metadata: Record<string, string | number | boolean | null>
}

/** The entry is written by the transaction of `em`, with the change that it is about. */
export function addLogEntry(
  em: SqlEntityManager,
  { now, uuid }: Pick<Dependencies, 'now' | 'uuid'>,
  { tenantId, requestId, clientId, name, category, outcome, metadata }: FollowUp,
): void {
  em.create(LogEntry, {
    id: uuid(),
    tenantId,
    requestId,
    category,
    type: `${name}_${outcome}`,
    timestamp: now(),
    data: {},
    metadata: { clientId, ...metadata },
  })
}
