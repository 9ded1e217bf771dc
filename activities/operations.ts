import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { inTenant } from '../entities/orm.ts'
import { LogEntry } from '../entities/tokens-logs.ts'
import type { Dependencies } from './index.ts'

/** Who asks, and under which names the answer can be found again. */
export interface Call {
  tenantId: string
  clientId: string
  /** UUID; the `instance` of a problem, the `x-request-id` header and the log's requestId. */
  requestId: string
  /** Present when the caller sent an Idempotency-Key. `effect`: what an earlier try of this request committed. */
  idempotency?: { key: string; effect?: unknown }
}

export interface Operation {
  /** `<OPERATION>` of the log entry `<OPERATION>_SUCCESS`, e.g. DID_CREATE. */
  name: string
  category: string
  /** Ids only: no personal data. */
  metadata: Record<string, string | number | boolean | null>
}

/**
 * The unit of work of everything that changes something: rows, log entry, outbox entries and the effect under the
 * caller's Idempotency-Key are one transaction. A crash after the commit finds the effect again; one before it, nothing.
 */
export const createOperations = ({
  database,
  effects,
  now,
  uuid,
}: Pick<Dependencies, 'database' | 'effects' | 'now' | 'uuid'>) => ({
  async change<Result>(
    call: Call,
    operation: Operation,
    work: (em: SqlEntityManager) => Promise<Result>,
  ): Promise<Result> {
    const { tenantId, requestId, idempotency } = call
    if (idempotency && 'effect' in idempotency) return idempotency.effect as Result
    return inTenant(database.tenants, tenantId, async (em) => {
      const result = await work(em)
      em.create(LogEntry, {
        id: uuid(),
        tenantId,
        requestId,
        category: operation.category,
        type: `${operation.name}_SUCCESS`,
        timestamp: now(),
        data: {},
        metadata: { clientId: call.clientId, ...operation.metadata },
      })
      if (idempotency)
        await em.execute('update idempotency_keys set effect = ? where key = ?', [
          effects.seal(tenantId, idempotency.key, result),
          idempotency.key,
        ])
      return result
    })
  },
})

export type Operations = ReturnType<typeof createOperations>
