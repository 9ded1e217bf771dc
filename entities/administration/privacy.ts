import { defineEntity, p } from '@mikro-orm/core'
import type {
  ErasedStatus,
  ErasureCounts,
  ErasureKind,
  ErasureStep,
} from '../../protocol/administration/privacy/erasures.ts'
import type { RetentionCounts } from '../../protocol/administration/privacy/retention.ts'
import { EVERYTHING, owned, ownedByTenant, type Rights } from '../base.ts'

/** The erasure of what is stored about a person; it says what was erased, and not about whom. */
const ErasureSchema = defineEntity({
  name: 'Erasure',
  tableName: 'erasures',
  filters: ownedByTenant,
  properties: {
    ...owned,
    kind: p.text().$type<ErasureKind>(),
    /** Keyed digest of whom it is about: the same again finds this row. */
    subjectDigest: p.blob(),
    /** Id or DID, encrypted; null once the erasure has ended. */
    subject: p.blob().nullable(),
    credentialStatus: p.text().$type<ErasedStatus>(),
    state: p.text().$type<'ERASING' | 'ERASED'>(),
    /** Of whatever is next; null once the erasure has ended. */
    step: p.text().$type<ErasureStep>().nullable(),
    round: p.integer(),
    /** How far the step came: the last credential, or the batch that it is at. */
    cursorId: p.uuid().nullable(),
    /** The last row of that batch. */
    cursorRow: p.integer().nullable(),
    counts: p.json<ErasureCounts>(),
    /** Some of the credentials that `counts.mentioned` counts. */
    mentionedIds: p.array().columnType('uuid[]'),
    requestId: p.uuid(),
    clientId: p.text(),
    startedAt: p.datetime(),
    endedAt: p.datetime().nullable(),
  },
})
export class Erasure extends ErasureSchema.class {}
ErasureSchema.setClass(Erasure)

/** How long a tenant keeps personal data. */
const PrivacyRetentionSchema = defineEntity({
  name: 'PrivacyRetention',
  tableName: 'privacy_retentions',
  filters: ownedByTenant,
  properties: {
    ...owned,
    inactiveUsersDays: p.integer().nullable(),
    expiredCredentialsDays: p.integer().nullable(),
    messagesDays: p.integer().nullable(),
    endedSessionsDays: p.integer().nullable(),
    finishedBatchesDays: p.integer().nullable(),
    updatedAt: p.datetime(),
    /** What the pass under way has erased so far. */
    counts: p.json<RetentionCounts>(),
    /** End of the last complete pass, and what it erased. */
    lookedAt: p.datetime().nullable(),
    lastCounts: p.json<RetentionCounts>().nullable(),
  },
})
export class PrivacyRetention extends PrivacyRetentionSchema.class {}
PrivacyRetentionSchema.setClass(PrivacyRetention)

export const RIGHTS = {
  erasures: { app: 'select, insert, update', system: 'select, delete' },
  privacy_retentions: { app: EVERYTHING, system: 'select, delete' },
} satisfies Rights
