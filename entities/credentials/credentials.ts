import { defineEntity, p } from '@mikro-orm/core'
import type { FormatName } from '../../protocol/credentials/formats.ts'
import type { StatusMessage } from '../../protocol/credentials/notifications.ts'
import { EVERYTHING, owned, ownedByTenant, type Rights } from '../base.ts'

/** A credential as it was issued, whatever its format. */
const CredentialSchema = defineEntity({
  name: 'Credential',
  tableName: 'credentials',
  // of an erased one the row stays for its status, and nobody reads it
  filters: { ...ownedByTenant, kept: { name: 'kept', cond: { erasedAt: null }, default: true } },
  properties: {
    ...owned,
    /** The DID that issued it; null where a document signer did. */
    didId: p.uuid().nullable(),
    /** The document signer that issued it; null where a DID did. */
    documentSignerId: p.uuid().nullable(),
    format: p.text().$type<FormatName>(),
    /** As returned to the caller, with its proof; null for a format whose documents are bytes. */
    document: p.json<Record<string, unknown>>().nullable(),
    /** As returned to the caller; null for a format whose documents are JSON. */
    documentBytes: p.blob().nullable(),
    /** `data:` URL of the envelope that encloses `document`, for which no proof stands in it; null for any other. */
    envelope: p.text().nullable(),
    proofType: p.text(),
    tag: p.text().nullable(),
    types: p.array(),
    issuanceDate: p.datetime(),
    expirationDate: p.datetime().nullable(),
    statusListId: p.uuid().nullable(),
    statusIndex: p.integer().nullable(),
    revoked: p.boolean().default(false),
    /** Its second entry, if it may be suspended. */
    suspensionListId: p.uuid().nullable(),
    suspensionIndex: p.integer().nullable(),
    suspended: p.boolean().default(false),
    statusChangedAt: p.datetime().nullable(),
    /** The template version that it was issued from. */
    templateId: p.uuid().nullable(),
    templateVersion: p.integer().nullable(),
    /** The batch that it was signed in, and its row there, from 1. */
    batchId: p.uuid().nullable(),
    batchRow: p.integer().nullable(),
    /** Since then it has no claims. */
    erasedAt: p.datetime().nullable(),
  },
})
export class Credential extends CredentialSchema.class {}
CredentialSchema.setClass(Credential)

/** A bulk revocation. */
const RevocationSchema = defineEntity({
  name: 'Revocation',
  tableName: 'credential_revocations',
  filters: ownedByTenant,
  properties: {
    id: p.uuid().primary(),
    tenantId: p.uuid(),
    scope: p.text().$type<'template' | 'batch' | 'issuer' | 'holder'>(),
    /** Id of the template, the batch or the holder; the issuer's DID. */
    subject: p.text(),
    /** `suspension`: the credentials are suspended, and not revoked. */
    purpose: p.text().$type<'revocation' | 'suspension'>().default('revocation'),
    state: p.text().$type<'REVOKING' | 'REVOKED'>().default('REVOKING'),
    /** Only credentials of these are revoked; null, of an earlier release: of all. */
    formats: p.array().$type<FormatName[]>().nullable(),
    /** Checked credentials, with and without a status. */
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
    /** DID of the recipient. */
    recipient: p.text(),
    /** Host of a did:web; null for another DID. */
    recipientHost: p.text().nullable(),
    /** Number of the status change that it reports, 0 for none; null once another message may report it. */
    statusChange: p.bigint().nullable(),
    /** DID of the tenant that signs it. */
    sender: p.text(),
    message: p.json<StatusMessage>(),
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
  credential_notifications: { app: EVERYTHING, system: 'select, delete' },
  credentials: { app: EVERYTHING, system: EVERYTHING },
  credential_holders: { app: 'select, insert, delete', system: 'select, delete' },
  credential_revocations: { app: 'select, insert, update', system: 'select, delete' },
} satisfies Rights
