import { defineEntity, p } from '@mikro-orm/core'
import { EVERYTHING, owned, ownedByTenant, type Rights } from './base.ts'

export type RegistrationStatus = 'PROCESSING' | 'COMPLETED' | 'FAILED'

const DidSchema = defineEntity({
  name: 'Did',
  tableName: 'dids',
  filters: ownedByTenant,
  properties: {
    ...owned,
    did: p.text(),
    method: p.text().$type<'KEY' | 'WEB'>(),
    registrationStatus: p.text().$type<RegistrationStatus>(),
    /** Why a registration FAILED, for people. */
    failureReason: p.text().nullable(),
    /** Why a registration waits: a stable code, and a sentence for people. */
    waitingCode: p.text().nullable(),
    waitingReason: p.text().nullable(),
    /** When the platform last looked whether the DID resolves, and when it looks again. */
    lookedAt: p.datetime().nullable(),
    nextLookAt: p.datetime().nullable(),
    document: p.json<Record<string, unknown>>(),
    /** `platform`: we serve the document at host and path; `caller`: the caller does; `none`: it needs no hosting. */
    hosting: p.text().$type<'platform' | 'caller' | 'none'>(),
    host: p.text().nullable(),
    path: p.text().nullable(),
    /** Signs for requests that name no DID; at most one of a tenant. */
    isDefaultIssuer: p.boolean().default(false),
    /** Set first in a deletion: hides the DID while its keys are being destroyed. */
    deletedAt: p.datetime().nullable(),
  },
})
export class Did extends DidSchema.class {}
DidSchema.setClass(Did)

/** A DomainLinkageCredential as it is published at an origin, until it is renewed. */
const DomainLinkageSchema = defineEntity({
  name: 'DomainLinkage',
  tableName: 'domain_linkages',
  filters: ownedByTenant,
  properties: {
    ...owned,
    didId: p.uuid(),
    origin: p.text(),
    credential: p.json<Record<string, unknown>>(),
    validUntil: p.datetime(),
  },
})
export class DomainLinkage extends DomainLinkageSchema.class {}
DomainLinkageSchema.setClass(DomainLinkage)

export const RIGHTS = {
  dids: { app: EVERYTHING, system: EVERYTHING },
  domain_linkages: { app: EVERYTHING, system: 'select, delete' },
} satisfies Rights
