const category = 'tenant'

/** Operations of a tenant's settings, as protocol/operations.ts describes them. */
export const ADMINISTRATION_OPERATIONS = {
  getTenantSettings: { scope: 'administration:read', name: 'TENANT_SETTINGS_RETRIEVE', category },
  updateTenantSettings: { scope: 'administration:write', name: 'TENANT_SETTINGS_UPDATE', category, changes: true },
} as const
