import { defineEntity, p } from '@mikro-orm/core'
import type { TemplateDefinition } from '../protocol/semantic-credentials/templates.ts'
import { owned, ownedByTenant } from './base.ts'

const SemanticTemplateSchema = defineEntity({
  name: 'SemanticTemplate',
  tableName: 'semantic_templates',
  filters: ownedByTenant,
  properties: {
    ...owned,
    /** Of the current version: lists filter by it. */
    type: p.text(),
    /** The current version. */
    versionId: p.uuid(),
    /** From then on nobody sees the template; what was issued from it still knows its version. */
    deletedAt: p.datetime().nullable(),
  },
})
export class SemanticTemplate extends SemanticTemplateSchema.class {}
SemanticTemplateSchema.setClass(SemanticTemplate)

/** What a template said at a time: written once, never changed (roles.ts gives no right to). */
const SemanticTemplateVersionSchema = defineEntity({
  name: 'SemanticTemplateVersion',
  tableName: 'semantic_template_versions',
  filters: ownedByTenant,
  properties: {
    ...owned,
    templateId: p.uuid(),
    /** 1, 2, … within its template. */
    version: p.integer(),
    definition: p.json<TemplateDefinition>(),
  },
})
export class SemanticTemplateVersion extends SemanticTemplateVersionSchema.class {}
SemanticTemplateVersionSchema.setClass(SemanticTemplateVersion)
