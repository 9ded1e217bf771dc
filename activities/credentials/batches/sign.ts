import { CredentialBatch } from '../../../entities/credentials/batches.ts'
import { inTenant } from '../../../entities/orm.ts'
import type { Unavailable } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Signers } from '../../dids/signers.ts'
import { toldOf } from '../../keys/faults.ts'
import type { Formats } from '../format.ts'
import { createSubjectIndex } from '../subjects.ts'
import { createBatchAttempts, refuseAll } from './attempt.ts'
import type { Chunk, ChunkOutcome } from './chunk.ts'
import { didIssuers } from './issuers.ts'
import { recordSlice } from './recording.ts'
import { loadSlice } from './rows.ts'

/** Rows that are recorded together. */
const SLICE_ROWS = 200

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'sql' | 'keys' | 'now' | 'log'> {
  signers: Signers
  formats: Formats
}

/** Signs the chunks of a batch, which the workflow chooses. */
export function createBatchSigning(parts: Parts) {
  const { config, database, sql, now, log, signers, formats } = parts
  const dids = didIssuers(signers)
  const patienceMs = config.batchPatienceSeconds * 1000
  const { attemptIfReady } = createBatchAttempts(parts)
  const subjectIndex = createSubjectIndex(parts.config)

  /** False: the batch is paused already, or somebody resumed it since `snapshot` was read and knows the reason. */
  const pause = ({ tenantId, batchId }: Chunk, snapshot: CredentialBatch, pauseCode: string, pauseMessage: string) =>
    inTenant(database.tenants, tenantId, async (em) => {
      const unchanged = { id: batchId, state: 'PROCESSING', resumedAt: snapshot.resumedAt ?? null } as const
      return (await em.nativeUpdate(CredentialBatch, unchanged, { state: 'PAUSED', pauseCode, pauseMessage })) > 0
    })

  /** Shows in the batch which part it waits for, and pauses it after BATCH_PATIENCE_SECONDS. */
  async function waitFor(
    chunk: Chunk,
    snapshot: CredentialBatch,
    { part, message }: Unavailable,
  ): Promise<'waiting' | 'PAUSED'> {
    const since = await inTenant(database.tenants, chunk.tenantId, async (em) => {
      const batch = await em.findOneOrFail(CredentialBatch, { id: chunk.batchId })
      if (batch.waitingFor !== part || !batch.waitingSince) em.assign(batch, { waitingFor: part, waitingSince: now() })
      return batch.waitingSince ?? now()
    })
    if (now().getTime() - since.getTime() < patienceMs) return 'waiting'
    return (await pause(chunk, snapshot, `${part}.unavailable`, message)) ? 'PAUSED' : 'waiting'
  }

  /** Records the signed rows in one transaction, before a pause or an outage is reported. */
  async function signSlice(chunk: Chunk): Promise<ChunkOutcome> {
    const { batch, ...slice } = await loadSlice(parts, chunk)
    if (!batch || batch.state === 'CANCELLED') return { state: 'CANCELLED', signed: 0, failed: 0 }
    const { signed, failed } = batch
    if (batch.state === 'PAUSED') return { state: 'PAUSED', signed, failed }
    if (slice.rows.length === 0) return { state: 'signed', signed, failed }
    if (slice.template?.deleted && !batch.templateGone) {
      const reason =
        'The template of the batch was deleted. Resume the batch to refuse the remaining rows, or cancel it.'
      if (await pause(chunk, batch, 'batch.template_gone', reason)) return { state: 'PAUSED', signed, failed }
      return signSlice(chunk)
    }
    const template = slice.template?.deleted ? undefined : slice.template
    const outcomes = slice.template?.deleted ? refuseAll(slice.rows) : await attemptIfReady(chunk, { batch, ...slice })
    const { outcome, all_signed, all_failed } = await recordSlice({ sql, subjectIndex, log }, chunk, outcomes, template)
    const counts = { signed: all_signed, failed: all_failed }
    if (outcome === 'cancelled') return { state: 'CANCELLED', signed, failed }
    if (outcome === 'template_gone') return signSlice(chunk) // deleted meanwhile; the rows are unchanged
    if (outcome === 'issuer_gone') {
      // a cached issuer was deleted meanwhile; its rows are unchanged
      const { forget } = formats.of(batch.format).batches.issuers ?? dids
      for (const { credential } of outcomes.signed) forget(chunk.tenantId, credential.issuer)
      return signSlice(chunk)
    }
    if (outcomes.gone.size > 0) {
      const reason =
        'An issuer of the batch was deleted, or its domain is not verified any more. ' +
        'Verify the domain, and resume the batch; it refuses the rows of an issuer that is gone. Or cancel it.'
      if (await pause(chunk, batch, 'batch.issuer_gone', reason)) return { state: 'PAUSED', ...counts }
      return signSlice(chunk)
    }
    if (outcomes.fault) {
      const { code } = outcomes.fault
      const reason = `${toldOf(outcomes.fault)} Resume the batch once an operator has repaired the key store, or cancel it.`
      log.error({ err: outcomes.fault, batchId: chunk.batchId, tenantId: chunk.tenantId }, 'a batch is paused')
      if (await pause(chunk, batch, code, reason)) return { state: 'PAUSED', ...counts }
      return signSlice(chunk)
    }
    // Temporal retries, and another worker may take the chunk
    if (outcomes.broken) throw new Error('this process cannot sign documents', { cause: outcomes.broken })
    if (!outcomes.away) return { state: 'signed', ...counts }
    if ((await waitFor(chunk, batch, outcomes.away)) === 'PAUSED') return { state: 'PAUSED', ...counts }
    throw outcomes.away
  }

  return {
    /**
     * Safe to retry: a row that was signed or refused is not pending any more, and a row's credential has the same id
     * in every attempt. Slice by slice, so that no statement is long and a pause is seen soon.
     */
    async signBatchChunk(chunk: Chunk): Promise<ChunkOutcome> {
      for (let from = chunk.from; ; from += SLICE_ROWS) {
        const to = Math.min(chunk.to, from + SLICE_ROWS - 1)
        const outcome = await signSlice({ ...chunk, from, to })
        if (outcome.state !== 'signed' || to === chunk.to) return outcome
      }
    },
  }
}

export type BatchSigning = ReturnType<typeof createBatchSigning>
