import { defineEntity, p } from '@mikro-orm/core'
import type { BatchOptions } from '../protocol/credentials/batches.ts'
import type { FormatName } from '../protocol/credentials/formats.ts'
import { owned, ownedByTenant } from './base.ts'

/** RECEIVING is an upload under way: nobody sees it, and one that was left behind is swept away. */
export type BatchState = 'RECEIVING' | 'PROCESSING' | 'PAUSED' | 'COMPLETED' | 'CANCELLED'

const CredentialBatchSchema = defineEntity({
  name: 'CredentialBatch',
  tableName: 'credential_batches',
  filters: ownedByTenant,
  properties: {
    ...owned,
    /** Which try of the upload fills it; an earlier one of the same Idempotency-Key finds itself shut out. */
    attempt: p.uuid(),
    /** Of the credentials that its rows become. */
    format: p.text().$type<FormatName>(),
    source: p.text().$type<'jsonl' | 'csv'>(),
    state: p.text().$type<BatchState>(),
    options: p.json<BatchOptions>(),
    /** DIDs of the rows that could issue when the batch was made: one that cannot any more pauses the batch. */
    issuers: p.array(),
    /** The version that its rows are claims for. */
    templateId: p.uuid().nullable(),
    templateVersion: p.integer().nullable(),
    /** Resumed although the template was deleted: what is left is refused. */
    templateGone: p.boolean().default(false),
    total: p.integer().default(0),
    signed: p.integer().default(0),
    failed: p.integer().default(0),
    pauseCode: p.text().nullable(),
    pauseMessage: p.text().nullable(),
    /** A part that is away, since when the batch waits for it. */
    waitingFor: p.text().nullable(),
    waitingSince: p.datetime().nullable(),
    /** Of the request that made it, for the log entries that follow. */
    requestId: p.uuid(),
    clientId: p.uuid(),
    /** SHA-256 of the rows as they came, to tell a repeated upload from another. */
    bodySha256: p.blob().nullable(),
    /** Begin of the present stretch of work, and the rows that were done by then: the rate is measured from here. */
    resumedAt: p.datetime().nullable(),
    resumedDone: p.integer().default(0),
    lastProgressAt: p.datetime().nullable(),
    endedAt: p.datetime().nullable(),
    /** When the rows of a cancelled one were erased. */
    discardedAt: p.datetime().nullable(),
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
    /** Until the row is signed or refused; then the credential holds it, or nobody needs it. */
    input: p.json<Record<string, unknown>>().nullable(),
    errors: p.json<{ path: string; code: string; message: string }[]>().nullable(),
    credentialId: p.uuid().nullable(),
  },
})
export class CredentialBatchRow extends CredentialBatchRowSchema.class {}
CredentialBatchRowSchema.setClass(CredentialBatchRow)
