import { defineEntity, p } from '@mikro-orm/core'
import { EVERYTHING, owned, ownedByTenant, type Rights } from './base.ts'

/** A workflow that must start because a transaction committed; activities/frame/outbox.ts relays it to Temporal. */
const OutboxSchema = defineEntity({
  name: 'OutboxEntry',
  tableName: 'outbox',
  filters: ownedByTenant,
  properties: {
    ...owned,
    area: p.text(),
    objectId: p.text(),
    /** Further objects that operators find the workflow by; null in rows of earlier releases. */
    objectIds: p.array().nullable(),
    workflowType: p.text(),
    workflowId: p.text(),
    /** One readable line for operators, without personal data. */
    summary: p.text(),
    /** The workflow's argument, encrypted. */
    payload: p.blob(),
    attempts: p.integer().default(0),
    nextAttemptAt: p.datetime().onCreate(() => new Date()),
    lastError: p.text().nullable(),
    startedAt: p.datetime().nullable(),
  },
})
export class OutboxEntry extends OutboxSchema.class {}
OutboxSchema.setClass(OutboxEntry)

export const RIGHTS = {
  outbox: { app: 'select, insert', system: EVERYTHING },
} satisfies Rights
