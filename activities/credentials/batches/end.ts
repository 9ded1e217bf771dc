import { LockMode } from '@mikro-orm/core'
import { type BatchState, CredentialBatch, CredentialBatchRow } from '../../../entities/credentials/batches.ts'
import { inTenant } from '../../../entities/orm.ts'
import { logOf } from '../../../protocol/credentials/formats.ts'
import type { BatchSubject } from '../../../protocol/credentials/work.ts'
import { Unavailable } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import { addLogEntry } from '../../frame/log-entries.ts'

const AT_ONCE = 2_000
const LOCKED = { lockMode: LockMode.PESSIMISTIC_WRITE } as const

/** Along the key: a batch may have a million rows, and a slice that began at the first would meet all former ones again. */
const DISCARD = `update credential_batch_rows set input = null
where batch_id = ? and row_number > ? and row_number <= ? and input is not null`

export type BatchEnd = { state: 'COMPLETED' | 'CANCELLED' } | { state: 'PROCESSING'; next: number }

/** Activities for the end and the pauses of a batch. Each is safe to repeat. */
export function createBatchEnds({
  database,
  keys,
  now,
  uuid,
}: Pick<Dependencies, 'database' | 'keys' | 'now' | 'uuid'>) {
  return {
    /** Resumes a batch that was paused because of the key store, once the store can sign. Safe to retry. */
    async reviewBatch({ tenantId, batchId }: BatchSubject): Promise<{ state: BatchState | 'GONE' }> {
      const batch = await inTenant(database.tenants, tenantId, (em) => em.findOne(CredentialBatch, { id: batchId }))
      if (batch?.state !== 'PAUSED' || batch.pauseCode !== 'keys.unavailable') return { state: batch?.state ?? 'GONE' }
      try {
        await keys.ready()
      } catch (error) {
        if (error instanceof Unavailable) return { state: 'PAUSED' }
        throw error
      }
      await inTenant(database.tenants, tenantId, async (em) => {
        const paused = { id: batchId, state: 'PAUSED', pauseCode: 'keys.unavailable' } as const
        const resumed = {
          resumedAt: now(),
          resumedDone: batch.signed + batch.failed,
          waitingFor: null,
          waitingSince: null,
        }
        await em.nativeUpdate(CredentialBatch, paused, { state: 'PROCESSING', pauseCode: null, ...resumed })
      })
      return { state: 'PROCESSING' }
    },

    /**
     * Safe to retry: the attempt that ends the batch writes the log entry. A cancelled batch stays cancelled.
     * PROCESSING: rows from `next` on are pending, because the database was restored to a time before the workflow did
     * them.
     */
    async completeBatch(subject: BatchSubject): Promise<BatchEnd> {
      return inTenant(database.tenants, subject.tenantId, async (em): Promise<BatchEnd> => {
        const batch = await em.findOne(CredentialBatch, { id: subject.batchId }, LOCKED)
        if (!batch || batch.state === 'CANCELLED') return { state: 'CANCELLED' }
        if (batch.state === 'COMPLETED') return { state: 'COMPLETED' }
        const { signed, failed, total } = batch
        if (signed + failed !== total) {
          const pending = { batchId: batch.id, state: 'pending' } as const
          const first = await em.findOne(CredentialBatchRow, pending, { orderBy: { rowNumber: 'asc' } })
          if (!first)
            throw new Error(
              `batch ${batch.id}: ${total - signed - failed} rows are neither signed nor refused, but none is pending`,
            )
          return { state: 'PROCESSING', next: first.rowNumber }
        }
        em.assign(batch, { state: 'COMPLETED', endedAt: now(), pauseCode: null, pauseMessage: null })
        const { id, tenantId, requestId, clientId, format } = batch
        addLogEntry(
          em,
          { now, uuid },
          {
            ...logOf(format, 'BATCH_COMPLETE'),
            ...{ tenantId, requestId, clientId },
            outcome: 'SUCCESS',
            metadata: { id, total, signed, failed },
          },
        )
        return { state: 'COMPLETED' }
      })
    },

    /** Erases the unsigned rows of a cancelled batch: personal data without a purpose. Safe to retry. */
    async discardBatchRows({ tenantId, batchId }: BatchSubject): Promise<void> {
      const batch = await inTenant(database.tenants, tenantId, (em) => em.findOne(CredentialBatch, { id: batchId }))
      const total = batch?.total ?? 0
      for (let after = 0; after < total; after += AT_ONCE)
        await inTenant(database.tenants, tenantId, (em) => em.execute(DISCARD, [batchId, after, after + AT_ONCE]))
      await inTenant(database.tenants, tenantId, (em) =>
        em.nativeUpdate(CredentialBatch, { id: batchId, state: 'CANCELLED' }, { discardedAt: now() }),
      )
    },
  }
}

export type BatchEnds = ReturnType<typeof createBatchEnds>
