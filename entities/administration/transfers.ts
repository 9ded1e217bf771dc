import { defineEntity, p } from '@mikro-orm/core'
import type { Counts, Header } from '../../protocol/administration/transfers/file.ts'
import type { Need } from '../../protocol/administration/transfers/kinds.ts'
import type { ExportState, ImportState } from '../../protocol/administration/transfers/work.ts'
import type { FieldError } from '../../protocol/errors.ts'
import { EVERYTHING, ownedByTenant, type Rights } from '../base.ts'

/** The file of a tenant that is being written, or waits to be downloaded. It goes with the tenant. */
const TenantExportSchema = defineEntity({
  name: 'TenantExport',
  tableName: 'tenant_exports',
  filters: ownedByTenant,
  properties: {
    id: p.uuid().primary(),
    tenantId: p.uuid(),
    state: p.text().$type<ExportState>(),
    /** The kind that comes next, by its place; the last row of it that was written. */
    kindAt: p.integer().default(0),
    afterAt: p.text().nullable(),
    afterId: p.text().nullable(),
    counts: p.json<Counts>(),
    lines: p.integer().default(0),
    /** Over all lines so far. */
    digest: p.blob().nullable(),
    chunks: p.integer().default(0),
    /** Bytes of the file. */
    size: p.bigint('number').default(0),
    failureCode: p.text().nullable(),
    failureMessage: p.text().nullable(),
    requestId: p.uuid(),
    clientId: p.text(),
    createdAt: p.datetime(),
    endedAt: p.datetime().nullable(),
    /** The file and the row are deleted then. */
    expiresAt: p.datetime(),
  },
})
export class TenantExport extends TenantExportSchema.class {}
TenantExportSchema.setClass(TenantExport)

/** Why an import failed. */
export interface ImportFailure {
  code: string
  message: string
  errors: FieldError[]
}

/** An import belongs to no tenant: it makes one. */
const TenantImportSchema = defineEntity({
  name: 'TenantImport',
  tableName: 'tenant_imports',
  properties: {
    id: p.uuid().primary(),
    state: p.text().$type<ImportState>(),
    /** SHA-256 of the upload. */
    fileDigest: p.blob().nullable(),
    environmentId: p.uuid(),
    subdomain: p.text(),
    name: p.text(),
    organizationId: p.uuid().nullable(),
    /** The tenant that is made. */
    subjectTenantId: p.uuid(),
    firstClientId: p.uuid(),
    secretHash: p.blob(),
    header: p.json<Header>().nullable(),
    /** Whether the ids of the file are free here; null until each was looked for. */
    keepsIds: p.boolean().default(true),
    segments: p.integer().default(0),
    segmentAt: p.integer().default(0),
    lines: p.integer().default(0),
    counts: p.json<Counts>(),
    needs: p.json<Need[]>(),
    /** Needs that the list has no room for. */
    moreNeeds: p.integer().default(0),
    failure: p.json<ImportFailure>().nullable(),
    requestId: p.uuid(),
    clientId: p.text(),
    createdAt: p.datetime(),
    endedAt: p.datetime().nullable(),
    expiresAt: p.datetime(),
  },
})
export class TenantImport extends TenantImportSchema.class {}
TenantImportSchema.setClass(TenantImport)

/** The system role alone: both are operators' work. Chunks and segments are compressed and encrypted. */
export const RIGHTS = {
  tenant_exports: { system: EVERYTHING },
  tenant_export_chunks: { system: EVERYTHING },
  tenant_imports: { system: EVERYTHING },
  tenant_import_segments: { system: EVERYTHING },
} satisfies Rights
