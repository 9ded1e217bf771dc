import { defineEntity, p } from '@mikro-orm/core'
import type { FormatName } from '../../protocol/credentials/formats.ts'
import { EVERYTHING, owned, ownedByTenant, type Rights } from '../base.ts'

/** A credential template of any format; the tables are named for the first one. */
const SemanticTemplateSchema = defineEntity({
  name: 'SemanticTemplate',
  tableName: 'semantic_templates',
  filters: ownedByTenant,
  properties: {
    ...owned,
    format: p.text().$type<FormatName>().default('semantic'),
    /** Type in the current version, by which lists filter. */
    type: p.text(),
    /** The type as it is compared, where a tenant has it once; null for formats that allow it again. */
    typeKey: p.text().nullable(),
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
    /** Only the format reads it. */
    definition: p.json<object>(),
  },
})
export class SemanticTemplateVersion extends SemanticTemplateVersionSchema.class {}
SemanticTemplateVersionSchema.setClass(SemanticTemplateVersion)

export const RIGHTS = {
  semantic_templates: { app: EVERYTHING, system: EVERYTHING },
  semantic_template_versions: { app: 'select, insert', system: 'select, insert, delete' },
} satisfies Rights
