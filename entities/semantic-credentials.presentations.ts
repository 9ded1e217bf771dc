import { defineEntity, p } from '@mikro-orm/core'
import { EVERYTHING, owned, ownedByTenant, type Rights } from './base.ts'

const PresentationTemplateSchema = defineEntity({
  name: 'PresentationTemplate',
  tableName: 'presentation_templates',
  filters: ownedByTenant,
  properties: {
    ...owned,
    name: p.text(),
    domain: p.text(),
    /** As the caller sent it: a list or an object of queries. */
    query: p.json<object>(),
    /** See `TrustedContexts`; null: any context will do. */
    trustedContexts: p.json<(string | Record<string, unknown>)[]>().nullable(),
    updatedAt: p.datetime().onCreate(() => new Date()),
  },
})
export class PresentationTemplate extends PresentationTemplateSchema.class {}
PresentationTemplateSchema.setClass(PresentationTemplate)

/** A request to a holder; a later change of the template does not change it. */
const PresentationRequestSchema = defineEntity({
  name: 'PresentationRequest',
  tableName: 'presentation_requests',
  filters: ownedByTenant,
  properties: {
    ...owned,
    /** Null when the request had its own query, or the template was deleted. */
    templateId: p.uuid().nullable(),
    name: p.text(),
    domain: p.text(),
    query: p.json<object>(),
    trustedContexts: p.json<(string | Record<string, unknown>)[]>().nullable(),
    challenge: p.text(),
    /** DID of the verifier; null for an unsigned request. */
    did: p.text().nullable(),
    callbackUrl: p.text().nullable(),
    /** The compact JWS that a wallet reads. */
    signed: p.text().nullable(),
    expiresAt: p.datetime(),
    /** When a presentation was verified as its answer, which uses up the challenge. */
    usedAt: p.datetime().nullable(),
  },
})
export class PresentationRequest extends PresentationRequestSchema.class {}
PresentationRequestSchema.setClass(PresentationRequest)

export const RIGHTS = {
  presentation_templates: { app: EVERYTHING, system: 'select, delete' },
  presentation_requests: { app: EVERYTHING, system: 'select, delete' },
} satisfies Rights
