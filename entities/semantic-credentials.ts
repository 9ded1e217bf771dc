import { defineEntity, p } from '@mikro-orm/core'
import { EVERYTHING, owned, ownedByTenant, type Rights } from './base.ts'

const JsonLdContextSchema = defineEntity({
  name: 'JsonLdContext',
  tableName: 'jsonld_contexts',
  filters: ownedByTenant,
  properties: {
    ...owned,
    url: p.text(),
    /** SHA-256 of the document as it was fetched, in hex: the pin. */
    sha256: p.text(),
    document: p.text(),
    source: p.text().$type<'registered' | 'fetched'>(),
  },
})
export class JsonLdContext extends JsonLdContextSchema.class {}
JsonLdContextSchema.setClass(JsonLdContext)

export const RIGHTS = {
  jsonld_contexts: { app: EVERYTHING, system: EVERYTHING },
} satisfies Rights
