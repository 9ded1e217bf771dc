import { defineEntity, p } from '@mikro-orm/core'
import { owned, ownedByTenant } from './base.ts'

const PresentationTemplateSchema = defineEntity({
  name: 'PresentationTemplate',
  tableName: 'presentation_templates',
  filters: ownedByTenant,
  properties: {
    ...owned,
    name: p.text(),
    domain: p.text(),
    /** As it was given: a list or an object of queries. */
    query: p.json<object>(),
    /** See `TrustedContexts`; null: any context will do. */
    trustedContexts: p.json<(string | Record<string, unknown>)[]>().nullable(),
    updatedAt: p.datetime().onCreate(() => new Date()),
  },
})
export class PresentationTemplate extends PresentationTemplateSchema.class {}
PresentationTemplateSchema.setClass(PresentationTemplate)

/** What was asked of a holder, as it was asked: a later change of the template changes nothing here. */
const PresentationRequestSchema = defineEntity({
  name: 'PresentationRequest',
  tableName: 'presentation_requests',
  filters: ownedByTenant,
  properties: {
    ...owned,
    /** Null when the query was given itself, or the template was deleted. */
    templateId: p.uuid().nullable(),
    name: p.text(),
    domain: p.text(),
    query: p.json<object>(),
    trustedContexts: p.json<(string | Record<string, unknown>)[]>().nullable(),
    challenge: p.text(),
    /** Who asks; null for a request that is not signed. */
    did: p.text().nullable(),
    callbackUrl: p.text().nullable(),
    /** The compact JWS that a wallet reads. */
    signed: p.text().nullable(),
    expiresAt: p.datetime(),
    /** When a presentation verified as its answer: from then on the challenge is used. */
    usedAt: p.datetime().nullable(),
  },
})
export class PresentationRequest extends PresentationRequestSchema.class {}
PresentationRequestSchema.setClass(PresentationRequest)
