import { defineEntity, p } from '@mikro-orm/core'
import type { PdfTemplate } from '../protocol/compact-credentials/pdfs/template.ts'
import { EVERYTHING, owned, ownedByTenant, type Rights } from './base.ts'

/** A template of PDFs of compact credentials; its PDF and fonts are files. */
const CompactPdfTemplateSchema = defineEntity({
  name: 'CompactPdfTemplate',
  tableName: 'compact_pdf_templates',
  filters: ownedByTenant,
  properties: {
    ...owned,
    definition: p.json<PdfTemplate>(),
    /** Of its files: each change of the template writes them anew. */
    revision: p.uuid(),
    updatedAt: p.datetime(),
  },
})
export class CompactPdfTemplate extends CompactPdfTemplateSchema.class {}
CompactPdfTemplateSchema.setClass(CompactPdfTemplate)

const CompactPdfFileSchema = defineEntity({
  name: 'CompactPdfFile',
  tableName: 'compact_pdf_files',
  filters: ownedByTenant,
  properties: {
    ...owned,
    templateId: p.uuid(),
    revision: p.uuid(),
    /** As in an archive: `template.pdf`, `fonts/Regular.ttf`. */
    name: p.text(),
    content: p.blob(),
  },
})
export class CompactPdfFile extends CompactPdfFileSchema.class {}
CompactPdfFileSchema.setClass(CompactPdfFile)

export const RIGHTS = {
  compact_pdf_templates: { app: EVERYTHING, system: EVERYTHING },
  compact_pdf_files: { app: EVERYTHING, system: EVERYTHING },
} satisfies Rights
