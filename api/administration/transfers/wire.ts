import type { ExportRecord } from '../../../activities/administration/transfers/exports.ts'
import type { CreatedImport, ImportRecord, NewImport } from '../../../activities/administration/transfers/imports.ts'
import type { Count, DateTime, Uuid } from '../../frame/wire.ts'
import type { Subdomain, TenantName } from '../tenants/wire.ts'

/** Rows of a kind. */
export interface KindCountOut {
  kind: string
  rows: Count
}

/** Why it failed. */
export interface TransferReasonOut {
  code: string
  message: string
}

export interface TenantExportOut {
  id: Uuid
  tenantId: Uuid
  /** RUNNING: the file is being written; DONE: it can be downloaded. */
  state: 'RUNNING' | 'DONE' | 'FAILED'
  /** Rows by kind, so far. */
  counts: KindCountOut[]
  /** Lines of the file, so far. */
  lines: Count
  /** Bytes of the file, so far. */
  size: Count
  reason: TransferReasonOut | null
  createdAt: DateTime
  endedAt: DateTime | null
  /** The file is deleted then. */
  expiresAt: DateTime
}

export interface ImportQuery {
  /** The environment of the new tenant. */
  environmentId: Uuid
  /** The subdomain of the new tenant. */
  subdomain: Subdomain
  /** Default: the subdomain. */
  name?: TenantName
  /** The organization whose people may work in the new tenant. */
  organizationId?: Uuid
}

/** A row that is there, and lacks what did not come with it. */
export interface ImportNeedOut {
  kind: string
  id: Uuid
  /** A DID, an address or a name. */
  name: string
  /** key, keys, secret or verification. */
  what: string
  /** The operation of the tenant that gives it. */
  operation: string
}

/** A place in the file, the broken rule, and what was expected. */
export interface ImportFaultOut {
  /** The line, and the member in it. */
  path: string
  code: string
  message: string
}

export interface ImportFailureOut {
  code: string
  message: string
  errors: ImportFaultOut[]
}

/** What the file says of itself. */
export interface ImportSourceOut {
  tenantId: string
  name: string
  subdomain: string
  baseUrl: string
  platformVersion: string
  exportedAt: string
}

export interface TenantImportOut {
  id: Uuid
  /** CHECKING: each line is compared with the rules; WRITING: rows are written; FAILED: nothing of the tenant stays. */
  state: 'RECEIVING' | 'CHECKING' | 'WRITING' | 'DONE' | 'FAILED'
  /** The tenant that is made. It can be found once the import is DONE. */
  tenantId: Uuid
  environmentId: Uuid
  subdomain: string
  name: string
  source: ImportSourceOut | null
  /** true: rows have the ids of the file; false: one of them was taken here, and all are new. */
  keepsIds: boolean
  /** Lines that are checked, and then written. */
  lines: Count
  counts: KindCountOut[]
  /** What lacks a key, a secret or a verification, and the operation that gives it. The first 1000. */
  needs: ImportNeedOut[]
  /** Needs beyond those. */
  moreNeeds: Count
  failure: ImportFailureOut | null
  createdAt: DateTime
  endedAt: DateTime | null
  expiresAt: DateTime
}

/** The first client of the new tenant; it works once the import is DONE. */
export interface ImportClientOut {
  clientId: Uuid
  /** Shown only here; null where the file was sent before. */
  clientSecret: string | null
}

export interface CreatedTenantImportOut extends TenantImportOut {
  client: ImportClientOut
}

const countsOf = (counts: Record<string, number>): KindCountOut[] =>
  Object.entries(counts).map(([kind, rows]) => ({ kind, rows }))

export const toNewImport = ({ environmentId, subdomain, name, organizationId }: ImportQuery): NewImport => ({
  environmentId: environmentId.toLowerCase(),
  subdomain,
  name: name ?? null,
  organizationId: organizationId?.toLowerCase() ?? null,
})

export const exportToWire = ({ counts, ...record }: ExportRecord): TenantExportOut => ({
  id: record.id,
  tenantId: record.tenantId,
  state: record.state,
  counts: countsOf(counts),
  lines: record.lines,
  size: record.size,
  reason: record.reason,
  createdAt: record.createdAt,
  endedAt: record.endedAt,
  expiresAt: record.expiresAt,
})

export const importToWire = ({ source, counts, needs, failure, ...record }: ImportRecord): TenantImportOut => ({
  id: record.id,
  state: record.state,
  tenantId: record.tenantId,
  environmentId: record.environmentId,
  subdomain: record.subdomain,
  name: record.name,
  source: source && {
    tenantId: source.tenant.id,
    name: source.tenant.name,
    subdomain: source.tenant.subdomain,
    baseUrl: source.tenant.baseUrl,
    platformVersion: source.platformVersion,
    exportedAt: source.exportedAt,
  },
  keepsIds: record.keepsIds,
  lines: record.lines,
  counts: countsOf(counts),
  needs: needs.map(({ kind, id, name, what, operation }) => ({ kind, id, name, what, operation })),
  moreNeeds: record.moreNeeds,
  failure: failure && {
    code: failure.code,
    message: failure.message,
    errors: failure.errors.map(({ path, code, message }) => ({ path, code, message })),
  },
  createdAt: record.createdAt,
  endedAt: record.endedAt,
  expiresAt: record.expiresAt,
})

export const createdImportToWire = ({ client, ...record }: CreatedImport): CreatedTenantImportOut => ({
  ...importToWire(record),
  client: { clientId: client.clientId, clientSecret: client.clientSecret },
})

export const TENANT_EXPORT: TenantExportOut = {
  id: '5f0d2c7a-2a3b-4d6e-8c1f-9a7b6c5d4e3f',
  tenantId: '4e5f6a7b-8c9d-4e0f-a1b2-c3d4e5f6a7b8',
  state: 'DONE',
  counts: [
    { kind: 'settings', rows: 1 },
    { kind: 'dids', rows: 2 },
    { kind: 'credentials', rows: 20000 },
  ],
  lines: 20005,
  size: 8123456,
  reason: null,
  createdAt: '2026-09-01T08:00:00.000Z',
  endedAt: '2026-09-01T08:00:20.000Z',
  expiresAt: '2026-09-08T08:00:00.000Z',
}

export const TENANT_IMPORT: TenantImportOut = {
  id: '7a8b9c0d-1e2f-4a3b-8c5d-6e7f8a9b0c1d',
  state: 'DONE',
  tenantId: '9d8c7b6a-5f4e-4d3c-8b2a-1f0e9d8c7b6a',
  environmentId: '0b9c8d7e-6f5a-4b3c-9d2e-1f0a9b8c7d6e',
  subdomain: 'college',
  name: 'Example College',
  source: {
    tenantId: '4e5f6a7b-8c9d-4e0f-a1b2-c3d4e5f6a7b8',
    name: 'Example College',
    subdomain: 'college',
    baseUrl: 'https://college.id.example.org',
    platformVersion: '0.1.0',
    exportedAt: '2026-09-01T08:00:00.000Z',
  },
  keepsIds: true,
  lines: 20004,
  counts: [
    { kind: 'settings', rows: 1 },
    { kind: 'dids', rows: 1 },
  ],
  needs: [
    {
      kind: 'dids',
      id: '1c2d3e4f-5a6b-4c7d-8e9f-0a1b2c3d4e5f',
      name: 'did:key:z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH',
      what: 'keys',
      operation: 'createDID',
    },
  ],
  moreNeeds: 0,
  failure: null,
  createdAt: '2026-09-02T08:00:00.000Z',
  endedAt: '2026-09-02T08:00:40.000Z',
  expiresAt: '2026-10-02T08:00:00.000Z',
}

export const CREATED_TENANT_IMPORT: CreatedTenantImportOut = {
  id: '7a8b9c0d-1e2f-4a3b-8c5d-6e7f8a9b0c1d',
  state: 'CHECKING',
  tenantId: '9d8c7b6a-5f4e-4d3c-8b2a-1f0e9d8c7b6a',
  environmentId: '0b9c8d7e-6f5a-4b3c-9d2e-1f0a9b8c7d6e',
  subdomain: 'college',
  name: 'Example College',
  source: {
    tenantId: '4e5f6a7b-8c9d-4e0f-a1b2-c3d4e5f6a7b8',
    name: 'Example College',
    subdomain: 'college',
    baseUrl: 'https://college.id.example.org',
    platformVersion: '0.1.0',
    exportedAt: '2026-09-01T08:00:00.000Z',
  },
  keepsIds: true,
  lines: 0,
  counts: [],
  needs: [],
  moreNeeds: 0,
  failure: null,
  createdAt: '2026-09-02T08:00:00.000Z',
  endedAt: null,
  expiresAt: '2026-10-02T08:00:00.000Z',
  client: {
    clientId: '8c1d2e3f-4a5b-4c6d-9e7f-0a1b2c3d4e5f',
    clientSecret: '3vqN1bq0Yk8y9XcV2mRrT7uZ5wLkJhGfDsA4pO6iEtU',
  },
}
