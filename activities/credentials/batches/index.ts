import { setTimeout as wait } from 'node:timers/promises'
import { LockMode, type SqlEntityManager } from '@mikro-orm/postgresql'
import { type BatchState, CredentialBatch } from '../../../entities/credentials/batches.ts'
import { inTenant } from '../../../entities/orm.ts'
import type { FormatName } from '../../../protocol/credentials/formats.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Metadata, Operations } from '../../frame/operations.ts'
import { createRevival } from '../../frame/pending-work.revival.ts'
import type { Formats } from '../format.ts'
import { batchWork } from '../pending-work.ts'
import { assertScope } from '../refusals.ts'
import type { Revocations } from '../revocations.ts'
import { type BatchRecord, batchNotFound, toRecord } from './record.ts'
import type { BatchUploads } from './upload.ts'

interface Parts extends Pick<Dependencies, 'database' | 'systemSql' | 'temporal' | 'now' | 'log'> {
  operations: Operations
  revocations: Revocations
  batchUploads: BatchUploads
  formats: Formats
}

type Steering = 'pauseCredentialBatch' | 'resumeCredentialBatch' | 'cancelCredentialBatch'
/** Formats that the scopes of the caller's token allow. */
type Allowed = readonly FormatName[]
type Change = (batch: CredentialBatch, em: SqlEntityManager) => void | Promise<void>

/** Pauses between attempts to signal the workflow. */
const NUDGES_MS = [500, 2_000, 5_000, 15_000]

const ended = (batch: CredentialBatch) => batch.state === 'COMPLETED' || batch.state === 'CANCELLED'

const refuseEnded = (batch: CredentialBatch) => {
  if (ended(batch)) throw new Refusal('batch.ended', `The batch is ${batch.state}: it has ended and cannot be changed.`)
}

/**
 * Reads, pauses, resumes, cancels and revokes batches. The row decides; the workflow follows. Each operation throws
 * `token.insufficient_scope` for a batch of a format that is not among those of the token's scopes (D-336).
 */
export function createBatches(parts: Parts) {
  const { database, now, log, operations, revocations, batchUploads, formats } = parts
  const revival = createRevival(parts)

  /**
   * Signals the workflow of a batch, or starts one where none runs. A lost signal costs only time: the workflow reads
   * the batch every five minutes at the latest, and the reconciliation starts a missing workflow as often.
   */
  async function nudge({ tenantId }: Call, id: string): Promise<void> {
    for (const waitMs of [0, ...NUDGES_MS]) {
      if (waitMs > 0) await wait(waitMs, undefined, { ref: false })
      try {
        return await revival.signal(batchWork, { tenantId, batchId: id }, 'changed')
      } catch (error) {
        log.warn({ err: error, batchId: id }, 'the workflow of a batch could not be signalled')
      }
    }
  }

  /** A deleted template never comes back. */
  async function isTemplateGone(em: SqlEntityManager, format: FormatName, id: string): Promise<boolean> {
    const template = await formats.of(format).readTemplate?.(em, id)
    return template === undefined || template.deleted
  }

  async function steer(
    call: Call,
    id: string,
    writable: Allowed,
    operationId: Steering,
    change: Change,
  ): Promise<BatchRecord> {
    const record = await operations.change(call, operationId, { id }, async (em) => {
      const batch = await em.findOne(CredentialBatch, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      if (!batch || batch.state === 'RECEIVING') throw batchNotFound()
      assertScope('write', writable, batch.format)
      await change(batch, em)
      return toRecord(batch)
    })
    void nudge(call, id) // not awaited: the change is committed, and Temporal may be unavailable
    return record
  }

  return {
    /**
     * Rows being signed are finished; no further row begins. A pause that would end by itself now waits for its owner
     * (D-206).
     */
    pauseBatch: (call: Call, id: string, writable: Allowed) =>
      steer(call, id, writable, 'pauseCredentialBatch', (batch) => {
        refuseEnded(batch)
        if (batch.state !== 'PROCESSING' && batch.pauseCode !== 'keys.unavailable') return
        Object.assign(batch, { state: 'PAUSED', pauseCode: 'batch.requested', pauseMessage: 'Paused on request.' })
        Object.assign(batch, { waitingFor: null, waitingSince: null })
      }),

    /**
     * Rows whose issuer or template was deleted are refused one by one, if the batch was paused for that. After another
     * pause nobody knows yet that they are gone, so the batch pauses again, for that (D-243).
     */
    resumeBatch: (call: Call, id: string, writable: Allowed) =>
      steer(call, id, writable, 'resumeCredentialBatch', async (batch, em) => {
        refuseEnded(batch)
        if (batch.state !== 'PAUSED') return
        const { pauseCode } = batch
        if (pauseCode === 'batch.issuer_gone')
          batch.issuers = await batchUploads.usable(call.tenantId, batch.format, batch.issuers)
        if (pauseCode === 'batch.template_gone' && batch.templateId)
          batch.templateGone = await isTemplateGone(em, batch.format, batch.templateId)
        Object.assign(batch, { state: 'PROCESSING', pauseCode: null, pauseMessage: null })
        Object.assign(batch, { waitingFor: null, waitingSince: null })
        Object.assign(batch, { resumedAt: now(), resumedDone: batch.signed + batch.failed })
      }),

    /** Final: signed rows stay signed, the others are never signed and are erased. */
    cancelBatch: (call: Call, id: string, writable: Allowed) =>
      steer(call, id, writable, 'cancelCredentialBatch', (batch) => {
        if (batch.state === 'CANCELLED') return
        refuseEnded(batch)
        Object.assign(batch, { state: 'CANCELLED', endedAt: now(), waitingFor: null, waitingSince: null })
      }),

    /**
     * Revokes every credential of an ended batch; those signed with revocable false have no status and stay as they
     * are.
     */
    async revokeBatch(call: Call, id: string, writable: Allowed): Promise<BatchRecord> {
      const metadata: Metadata = { id }
      return operations.change(call, 'revokeCredentialBatch', metadata, async (em) => {
        metadata.revocationId = (await revocations.beginBatch(em, call, id, { writable })).id
        return toRecord(await em.findOneOrFail(CredentialBatch, { id }))
      })
    },

    async readBatch(tenantId: string, id: string, readable: Allowed): Promise<BatchRecord> {
      const batch = await inTenant(database.tenants, tenantId, (em) => em.findOne(CredentialBatch, { id }))
      if (!batch || batch.state === 'RECEIVING') throw batchNotFound()
      assertScope('read', readable, batch.format)
      return toRecord(batch)
    },

    /** Newest first, those of the readable formats. */
    async listBatches(
      tenantId: string,
      readable: Allowed,
      { state, limit, offset }: { state?: BatchState; limit: number; offset: number },
    ) {
      return inTenant(database.tenants, tenantId, async (em) => {
        const format = { $in: [...readable] }
        const where = state === undefined ? { format, state: { $ne: 'RECEIVING' as const } } : { format, state }
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        const [batches, total] = await em.findAndCount(CredentialBatch, where, { orderBy, limit, offset })
        return { batches: batches.map(toRecord), total }
      })
    },
  }
}

export type Batches = ReturnType<typeof createBatches>
