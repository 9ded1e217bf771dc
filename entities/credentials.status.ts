import { defineEntity, p } from '@mikro-orm/core'
import type { StatusPurpose } from '../protocol/status-list/index.ts'
import { ownedByTenant } from './base.ts'

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
    /** Of the request that asked for it; a change from before there was a history has none. */
    requestId: p.uuid().nullable(),
  },
})
export class StatusChange extends StatusChangeSchema.class {}
StatusChangeSchema.setClass(StatusChange)

const RevocationSchema = defineEntity({
  name: 'Revocation',
  tableName: 'credential_revocations',
  filters: ownedByTenant,
  properties: {
    id: p.uuid().primary(),
    tenantId: p.uuid(),
    scope: p.text().$type<'template' | 'batch' | 'issuer'>(),
    /** Id of the template or batch; the issuer's DID. */
    subject: p.text(),
    state: p.text().$type<'REVOKING' | 'REVOKED'>().default('REVOKING'),
    /** Credentials that were looked at, with and without a status. */
    checked: p.integer().default(0),
    revoked: p.integer().default(0),
    requestId: p.uuid(),
    clientId: p.text(),
    createdAt: p.datetime().defaultRaw('clock_timestamp()'),
    endedAt: p.datetime().nullable(),
  },
})
export class Revocation extends RevocationSchema.class {}
RevocationSchema.setClass(Revocation)

const NotificationSchema = defineEntity({
  name: 'Notification',
  tableName: 'credential_notifications',
  filters: ownedByTenant,
  properties: {
    id: p.uuid().primary(),
    tenantId: p.uuid(),
    credentialId: p.uuid(),
    /** DID of whom it is sent to. */
    recipient: p.text(),
    /** Of a did:web; null for a recipient that has none. */
    recipientHost: p.text().nullable(),
    /** The last change of the status that it tells of, 0 for none; null once another message may tell of it again. */
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
