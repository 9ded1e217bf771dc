import { defineEntity, p } from '@mikro-orm/core'
import type { BatchOptions } from '../../protocol/credentials/batches.ts'
import type { FormatName } from '../../protocol/credentials/formats.ts'
import { EVERYTHING, owned, ownedByTenant, type Rights } from '../base.ts'

/** RECEIVING: an unfinished upload, which callers do not see; an abandoned one is deleted. */
export type BatchState = 'RECEIVING' | 'PROCESSING' | 'PAUSED' | 'COMPLETED' | 'CANCELLED'

const CredentialBatchSchema = defineEntity({
  name: 'CredentialBatch',
  tableName: 'credential_batches',
  filters: ownedByTenant,
  properties: {
    ...owned,
    /** Id of the attempt that fills it; an earlier attempt with the same Idempotency-Key can no longer write. */
    attempt: p.uuid(),
    /** Format of its credentials. */
    format: p.text().$type<FormatName>(),
    source: p.text().$type<'jsonl' | 'csv'>(),
    state: p.text().$type<BatchState>(),
    options: p.json<BatchOptions>(),
    /** DIDs of its rows that could issue when the batch was created: the deletion of one pauses the batch. */
    issuers: p.array(),
    /** The template version that its rows are claims for. */
    templateId: p.uuid().nullable(),
    templateVersion: p.integer().nullable(),
    /** True when resumed although the template was deleted: the remaining rows are refused. */
    templateGone: p.boolean().default(false),
    total: p.integer().default(0),
    signed: p.integer().default(0),
    failed: p.integer().default(0),
    pauseCode: p.text().nullable(),
    pauseMessage: p.text().nullable(),
    /** An unavailable part, and since when the batch waits for it. */
    waitingFor: p.text().nullable(),
    waitingSince: p.datetime().nullable(),
    /** Ids of the request that created it, for later log entries. */
    requestId: p.uuid(),
    clientId: p.uuid(),
    /** SHA-256 of the uploaded rows, to recognise a repeated upload. */
    bodySha256: p.blob().nullable(),
    /** Last start of signing, and the rows that were done by then, from which the rate is measured. */
    resumedAt: p.datetime().nullable(),
    resumedDone: p.integer().default(0),
    lastProgressAt: p.datetime().nullable(),
    endedAt: p.datetime().nullable(),
    /** When the rows of a cancelled batch were erased. */
    discardedAt: p.datetime().nullable(),
    /** Since when its credentials have no claims, because the tenant keeps them no longer. */
    contentErasedAt: p.datetime().nullable(),
    revocation: p.text().$type<'REVOKING' | 'REVOKED'>().nullable(),
    revoked: p.integer().default(0),
  },
})
export class CredentialBatch extends CredentialBatchSchema.class {}
CredentialBatchSchema.setClass(CredentialBatch)

const CredentialBatchRowSchema = defineEntity({
  name: 'CredentialBatchRow',
  tableName: 'credential_batch_rows',
  filters: ownedByTenant,
  properties: {
    batchId: p.uuid().primary(),
    /** From 1, in the order of the upload. */
    rowNumber: p.integer().primary(),
    tenantId: p.uuid(),
    state: p.text().$type<'pending' | 'signed' | 'failed'>(),
    /** Erased when the row is signed or refused. */
    input: p.json<Record<string, unknown>>().nullable(),
    errors: p.json<{ path: string; code: string; message: string }[]>().nullable(),
    credentialId: p.uuid().nullable(),
  },
})
export class CredentialBatchRow extends CredentialBatchRowSchema.class {}
CredentialBatchRowSchema.setClass(CredentialBatchRow)

export const RIGHTS = {
  credential_batches: { app: EVERYTHING, system: EVERYTHING },
  credential_batch_rows: { app: EVERYTHING, system: EVERYTHING },
} satisfies Rights
