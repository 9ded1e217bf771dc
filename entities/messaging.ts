import { defineEntity, p } from '@mikro-orm/core'
import { EVERYTHING, owned, ownedByTenant, type Rights } from './base.ts'

const InboxSchema = defineEntity({
  name: 'Inbox',
  tableName: 'inboxes',
  filters: ownedByTenant,
  properties: { ...owned, name: p.text() },
})
export class Inbox extends InboxSchema.class {}
InboxSchema.setClass(Inbox)

/** A DID whose messages an inbox gets. */
const InboxDidSchema = defineEntity({
  name: 'InboxDid',
  tableName: 'inbox_dids',
  filters: ownedByTenant,
  properties: {
    ...owned,
    inboxId: p.uuid(),
    did: p.text(),
    /** Of a DID of the tenant; null for one of somebody else, whose control a JWT has proved. */
    didId: p.uuid().nullable(),
    /** Of a did:web of somebody else: SHA-256 of the key that has proved the control. */
    controlKey: p.blob().nullable(),
  },
})
export class InboxDid extends InboxDidSchema.class {}
InboxDidSchema.setClass(InboxDid)

/** A JWT that has proved the control of a DID, until it expires. */
const InboxDidProofSchema = defineEntity({
  name: 'InboxDidProof',
  tableName: 'inbox_did_proofs',
  filters: ownedByTenant,
  properties: {
    tenantId: p.uuid().primary(),
    /** SHA-256 of what the JWT's signature covers. */
    digest: p.blob().primary(),
    expiresAt: p.datetime(),
  },
})
export class InboxDidProof extends InboxDidProofSchema.class {}
InboxDidProofSchema.setClass(InboxDidProof)

const InboxMessageSchema = defineEntity({
  name: 'InboxMessage',
  tableName: 'inbox_messages',
  filters: ownedByTenant,
  properties: {
    ...owned,
    inboxId: p.uuid(),
    /** Encrypted. */
    payload: p.blob(),
    /** Bytes of the payload before its encryption. */
    size: p.integer(),
  },
})
export class InboxMessage extends InboxMessageSchema.class {}
InboxMessageSchema.setClass(InboxMessage)

/** A message on its way to a service elsewhere; the row goes when the delivery ends. */
const SentMessageSchema = defineEntity({
  name: 'SentMessage',
  tableName: 'sent_messages',
  filters: ownedByTenant,
  properties: {
    ...owned,
    /** Encrypted: the address of the service, and the envelope. */
    content: p.blob(),
    attempts: p.integer().default(0),
    nextAttemptAt: p.datetime().nullable(),
    requestId: p.uuid(),
    clientId: p.uuid(),
  },
})
export class SentMessage extends SentMessageSchema.class {}
SentMessageSchema.setClass(SentMessage)

export const RIGHTS = {
  inboxes: { app: EVERYTHING, system: 'select, delete' },
  inbox_dids: { app: EVERYTHING, system: 'select, delete' },
  inbox_did_proofs: { app: EVERYTHING, system: 'select, delete' },
  inbox_messages: { app: EVERYTHING, system: 'select, delete' },
  sent_messages: { app: EVERYTHING, system: 'select, delete' },
} satisfies Rights
