const category = 'tenant'

/** Operations of what a tenant decides about itself, as protocol/operations.ts describes them. */
export const ADMINISTRATION_OPERATIONS = {
  getTenantSettings: { name: 'TENANT_SETTINGS_RETRIEVE', category },
  updateTenantSettings: { name: 'TENANT_SETTINGS_UPDATE', category, changes: true },
} as const
