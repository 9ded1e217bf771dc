import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { asSystem, inTenant } from '../../entities/orm.ts'
import { Refusal } from '../../protocol/errors.ts'
import { type ChangeId, OPERATIONS, type PlatformChangeId, type TenantChangeId } from '../../protocol/operations.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Claim } from './idempotency.ts'
import { addLogEntry } from './log-entries.ts'
import type { Tenants } from './tenants/index.ts'

/** The caller of an operation, and the ids of the request. */
export interface Call {
  tenantId: string
  /** The client, or the account of a person. */
  clientId: string
  /** Of a person who has logged in. */
  sessionId?: string
  /** UUID; the `instance` of a problem, the `x-request-id` header and the log's requestId. */
  requestId: string
  /** Present when the caller sent an Idempotency-Key. */
  idempotency?: Claim
}

/** Metadata of the log entry of a change. Ids only: no personal data. */
export type Metadata = Record<string, string | number | boolean | null>

/**
 * The unit of work of every change: rows, log entry, outbox entries and the effect under the caller's Idempotency-Key
 * are one transaction. A crash after the commit finds the effect again; one before it, nothing.
 */
export function createOperations({
  database,
  effects,
  now,
  tenants,
  uuid,
}: Pick<Dependencies, 'database' | 'effects' | 'now' | 'uuid'> & { tenants: Pick<Tenants, 'first'> }) {
  /** Stores one effect per key: of two concurrent attempts, after an expired lease, the second is rolled back. */
  const keep = async (em: SqlEntityManager, tenantId: string, { key }: Claim, result: unknown): Promise<boolean> => {
    const sealed = effects.seal(tenantId, key, result)
    const statement = `update idempotency_keys set effect = ? where tenant_id = ? and key = ? and effect is null returning key`
    return (await em.execute<{ key: string }[]>(statement, [sealed, tenantId, key])).length === 1
  }

  /**
   * What every change does beside its work, in the transaction of `em`. `metadata` is read after `work`; `logId` is the
   * tenant whose log has the entry.
   */
  async function changed<Result>(
    em: SqlEntityManager,
    { tenantId, requestId, clientId, idempotency }: Call,
    { operationId, metadata, logId }: { operationId: ChangeId; metadata: Metadata; logId: string },
    work: (em: SqlEntityManager) => Promise<Result>,
  ): Promise<Result> {
    const result = await work(em)
    const { name, category } = OPERATIONS[operationId]
    const entry = { tenantId: logId, requestId, clientId, name, category, outcome: 'SUCCESS', metadata } as const
    addLogEntry(em, { now, uuid }, entry)
    if (idempotency && !(await keep(em, tenantId, idempotency, result)))
      throw new Refusal(
        'idempotency.in_flight',
        'A later request with this Idempotency-Key replaced this one. Repeat the request.',
      )
    return result
  }

  const knownEffect = ({ idempotency }: Call) => (idempotency && 'effect' in idempotency ? idempotency : undefined)

  return {
    /** `metadata` is read after `work`, which may add to it. */
    async change<Result>(
      call: Call,
      operationId: TenantChangeId,
      metadata: Metadata,
      work: (em: SqlEntityManager) => Promise<Result>,
    ): Promise<Result> {
      const known = knownEffect(call)
      if (known) return known.effect as Result
      const about = { operationId, metadata, logId: call.tenantId }
      return inTenant(database.tenants, call.tenantId, (em) => changed(em, call, about, work))
    },

    /**
     * The same for rows that belong to no tenant, which the system role alone writes. The entry is in the log of the
     * first tenant, whatever tenant a session of the caller is for: no other tenant's end takes it along.
     */
    async changePlatform<Result>(
      call: Call,
      operationId: PlatformChangeId,
      metadata: Metadata,
      work: (em: SqlEntityManager) => Promise<Result>,
    ): Promise<Result> {
      const known = knownEffect(call)
      if (known) return known.effect as Result
      const about = { operationId, metadata, logId: (await tenants.first()).id }
      return asSystem(database.system, (em) => changed(em, call, about, work))
    },
  }
}

export type Operations = ReturnType<typeof createOperations>
