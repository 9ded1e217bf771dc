import { defineEntity, p } from '@mikro-orm/core'
import type { TemplateDefinition } from '../protocol/semantic-credentials/templates/index.ts'
import { EVERYTHING, owned, ownedByTenant, type Rights } from './base.ts'

const SemanticTemplateSchema = defineEntity({
  name: 'SemanticTemplate',
  tableName: 'semantic_templates',
  filters: ownedByTenant,
  properties: {
    ...owned,
    /** Type in the current version, by which lists filter. */
    type: p.text(),
    /** The current version. */
    versionId: p.uuid(),
    /** From then on the template is hidden; credentials issued from it still name their version. */
    deletedAt: p.datetime().nullable(),
  },
})
export class SemanticTemplate extends SemanticTemplateSchema.class {}
SemanticTemplateSchema.setClass(SemanticTemplate)

/** A version of a template: written once, never changed (roles.ts grants no update). */
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

export const RIGHTS = {
  semantic_templates: { app: EVERYTHING, system: EVERYTHING },
  semantic_template_versions: { app: 'select, insert', system: 'select, insert' },
} satisfies Rights
