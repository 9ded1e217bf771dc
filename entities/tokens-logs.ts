import { defineEntity, p } from '@mikro-orm/core'
import { EVERYTHING, ownedByTenant, type Rights } from './base.ts'

const LogEntrySchema = defineEntity({
  name: 'LogEntry',
  tableName: 'logs',
  filters: ownedByTenant,
  properties: {
    id: p.uuid().primary(),
    tenantId: p.uuid(),
    category: p.text(),
    type: p.text(),
    timestamp: p.datetime(),
    requestId: p.uuid(),
    data: p.json<Record<string, unknown>>(),
    metadata: p.json<Record<string, unknown>>(),
    /** Ids of the objects that the entry is about; null in entries of earlier releases. */
    objectIds: p.array().columnType('uuid[]').nullable(),
  },
})
export class LogEntry extends LogEntrySchema.class {}
LogEntrySchema.setClass(LogEntry)

export const RIGHTS = {
  // a trigger lets nobody delete what retention has no checkpoint for (functions/keep_log_entry.sql)
  logs: { app: 'select, insert', system: 'select, insert, delete' },
  log_pending: { app: 'select, insert', system: 'select, insert, delete' },
  log_chain: { app: 'select', system: 'select, insert, delete' },
  log_counts: { app: 'select', system: EVERYTHING },
  log_seals: { app: 'select', system: 'select, insert, delete' },
  log_keys: { app: 'select', system: 'select, insert' },
  platform_keys: { app: 'select', system: 'select, insert, delete' },
} satisfies Rights
