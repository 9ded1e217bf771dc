import type { BatchState, CredentialBatch } from '../../../entities/credentials/batches.ts'
import { slugOf } from '../../../protocol/credentials/formats.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { TemplateRef } from '../format.ts'

/** A batch in plain JSON, because it is also kept as the effect of an Idempotency-Key. */
export interface BatchRecord {
  id: string
  /** As in paths. */
  format: string
  source: CredentialBatch['source']
  /** The template version that its rows are claims for. */
  template?: TemplateRef
  state: BatchState
  total: number
  signed: number
  failed: number
  /** Rows per second since the batch was created or resumed. */
  ratePerSecond: number | null
  /** Seconds until the last row at that rate. */
  etaSeconds: number | null
  pause: { code: string; message: string } | null
  waiting: { part: string; since: string } | null
  revocation: { state: string; revoked: number } | null
  createdAt: string
  endedAt: string | null
}

export const batchNotFound = () => new Refusal('batch.not_found', 'There is no such batch.')

const rateOf = ({ signed, failed, resumedAt, resumedDone, lastProgressAt }: CredentialBatch): number | null => {
  const seconds = resumedAt && lastProgressAt ? (lastProgressAt.getTime() - resumedAt.getTime()) / 1000 : 0
  const done = signed + failed - resumedDone
  return done > 0 && seconds > 0 ? Math.round((done / seconds) * 10) / 10 : null
}

export function toRecord(batch: CredentialBatch): BatchRecord {
  const { id, source, state, total, signed, failed } = batch
  const { pauseCode, pauseMessage, waitingFor, waitingSince, templateId, templateVersion } = batch
  const ratePerSecond = rateOf(batch)
  const left = total - signed - failed
  return {
    id,
    format: slugOf(batch.format),
    source,
    ...(templateId && templateVersion ? { template: { id: templateId, version: templateVersion } } : {}),
    state,
    total,
    signed,
    failed,
    ratePerSecond,
    etaSeconds: state === 'PROCESSING' && ratePerSecond ? Math.ceil(left / ratePerSecond) : null,
    pause: state === 'PAUSED' && pauseCode ? { code: pauseCode, message: pauseMessage ?? '' } : null,
    waiting: waitingFor && waitingSince ? { part: waitingFor, since: waitingSince.toISOString() } : null,
    revocation: batch.revocation ? { state: batch.revocation, revoked: batch.revoked } : null,
    createdAt: batch.createdAt.toISOString(),
    endedAt: batch.endedAt?.toISOString() ?? null,
  }
}
