import { defineEntity, p } from '@mikro-orm/core'
import { ownedByTenant, type Rights } from './base.ts'

const NotificationSchema = defineEntity({
  name: 'Notification',
  tableName: 'credential_notifications',
  filters: ownedByTenant,
  properties: {
    id: p.uuid().primary(),
    tenantId: p.uuid(),
    credentialId: p.uuid(),
    /** DID of the recipient. */
    recipient: p.text(),
    /** Host of a did:web; null for another DID. */
    recipientHost: p.text().nullable(),
    /** Number of the status change that it reports, 0 for none; null once another message may report it. */
    statusChange: p.bigint().nullable(),
    /** DID of the tenant that signs it. */
    sender: p.text(),
    message: p.json<Record<string, unknown>>(),
    /** NO_SERVICE: the recipient's DID document names no place for messages. */
    state: p.text().$type<'PENDING' | 'SENT' | 'NO_SERVICE' | 'FAILED'>().default('PENDING'),
    reason: p.text().nullable(),
    requestId: p.uuid(),
    clientId: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
    endedAt: p.datetime().nullable(),
  },
})
export class Notification extends NotificationSchema.class {}
NotificationSchema.setClass(Notification)

export const RIGHTS = {
  credential_notifications: { app: 'select, insert, update', system: 'select' },
} satisfies Rights
