import { createExporting } from './exporting.ts'
import { createTenantExports } from './exports.ts'
import { createImporting } from './importing.ts'
import { createTenantImports } from './imports.ts'

/** Exports and imports of tenants, for operators. */
export const composeTransfers = (
  frame: Parameters<typeof createTenantExports>[0] & Parameters<typeof createTenantImports>[0],
) => ({
  tenantExports: createTenantExports(frame),
  tenantImports: createTenantImports(frame),
})

/** Activities of their workflows. */
export function transferActivities(
  parts: Parameters<typeof createExporting>[0] & Parameters<typeof createImporting>[0],
) {
  const { continueTenantImport } = createImporting(parts)
  return { ...createExporting(parts), continueTenantImport }
}
