const read = 'platform:read'
const write = 'platform:write'
const category = 'tenant'

/** Operations of exports and imports of tenants, for operators of the platform. */
export const TRANSFER_OPERATIONS = {
  createTenantExport: { scope: write, name: 'TENANT_EXPORT_CREATE', category, changes: true },
  getTenantExport: { scope: read, name: 'TENANT_EXPORT_RETRIEVE', category },
  downloadTenantExport: { scope: write, name: 'TENANT_EXPORT_DOWNLOAD', category },
  createTenantImport: { scope: write, name: 'TENANT_IMPORT_CREATE', category, changes: true },
  getTenantImport: { scope: read, name: 'TENANT_IMPORT_RETRIEVE', category },
} as const
