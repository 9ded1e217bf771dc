import { defineEntity, p } from '@mikro-orm/core'
import { ownedByTenant } from './base.ts'

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
  },
})
export class LogEntry extends LogEntrySchema.class {}
LogEntrySchema.setClass(LogEntry)
