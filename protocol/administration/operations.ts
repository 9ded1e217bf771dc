const category = 'tenant'

/** Operations of what a tenant decides about itself, as protocol/operations.ts describes them. */
export const ADMINISTRATION_OPERATIONS = {
  getTenantSettings: { scope: 'administration:read', name: 'TENANT_SETTINGS_RETRIEVE', category },
  updateTenantSettings: { scope: 'administration:write', name: 'TENANT_SETTINGS_UPDATE', category, changes: true },
} as const
