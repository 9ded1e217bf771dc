import { defineEntity, p } from '@mikro-orm/core'
import type { StatusListKind, StatusPurpose } from '../../protocol/status-list/index.ts'
import { EVERYTHING, owned, ownedByTenant, type Rights } from '../base.ts'

const StatusListSchema = defineEntity({
  name: 'StatusList',
  tableName: 'status_lists',
  filters: ownedByTenant,
  properties: {
    ...owned,
    /** The DID that signs it; null where document signers of an IACA do. */
    didId: p.uuid().nullable(),
    /** The IACA whose document signers sign it; null where a DID does. */
    iacaId: p.uuid().nullable(),
    kind: p.text().$type<StatusListKind>(),
    purpose: p.text().$type<StatusPurpose>(),
    proofType: p.text(),
    size: p.integer(),
    /** Number of entries given out; entry n is at the n-th value of the list's keyed permutation. */
    used: p.integer().default(0),
    permutationKey: p.blob(),
    /** Counts changes of status; a signed list holds all up to `publishedChanges`. */
    changes: p.integer().default(0),
    publishedChanges: p.integer().default(0),
    signed: p.json<Record<string, unknown>>().nullable(),
    etag: p.text().nullable(),
    signedAt: p.datetime().nullable(),
    validUntil: p.datetime().nullable(),
    /** Since when it waits to be signed again; null: unchanged since it was signed, or never signed. */
    changedSince: p.datetime().nullable(),
    /** Number of failed signings in a row. */
    publishFailures: p.integer().default(0),
    /** The list gives out entries only in this epoch of the database. */
    epoch: p.integer().default(0),
  },
})
export class StatusList extends StatusListSchema.class {}
StatusListSchema.setClass(StatusList)

const StatusChangeSchema = defineEntity({
  name: 'StatusChange',
  tableName: 'credential_status_changes',
  filters: ownedByTenant,
  properties: {
    /** Counts up: of two changes of one credential the later one has the larger number. */
    id: p.bigint().primary(),
    tenantId: p.uuid(),
    credentialId: p.uuid(),
    purpose: p.text().$type<StatusPurpose>(),
    value: p.boolean(),
    changedAt: p.datetime(),
    /** Id of the request; null for a change without one. */
    requestId: p.uuid().nullable(),
    /** The list's count after the change; null for a change of an earlier release. */
    listChange: p.integer().nullable(),
  },
})
export class StatusChange extends StatusChangeSchema.class {}
StatusChangeSchema.setClass(StatusChange)

/** A published list that was the first to have a change. */
const StatusListPublicationSchema = defineEntity({
  name: 'StatusListPublication',
  tableName: 'status_list_publications',
  filters: ownedByTenant,
  properties: {
    listId: p.uuid().primary(),
    /** The list's count of changes that it has. */
    changes: p.integer().primary(),
    tenantId: p.uuid(),
    publishedAt: p.datetime(),
    /** Signed by the schedule, or else for a reader. */
    scheduled: p.boolean(),
  },
})
export class StatusListPublication extends StatusListPublicationSchema.class {}
StatusListPublicationSchema.setClass(StatusListPublication)

export const RIGHTS = {
  status_lists: { app: EVERYTHING, system: EVERYTHING },
  credential_status_changes: { app: 'select, insert', system: 'select, delete' },
  status_list_publications: { app: 'select', system: 'select, insert, delete' },
} satisfies Rights
