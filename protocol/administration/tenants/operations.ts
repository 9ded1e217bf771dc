const read = 'platform:read'
const write = 'platform:write'
const environment = 'environment'
const category = 'tenant'

/** Operations of environments and tenants, for operators of the platform. */
export const TENANT_OPERATIONS = {
  getEnvironments: { scope: read, name: 'ENVIRONMENT_RETRIEVE_LIST', category: environment },
  createEnvironment: { scope: write, name: 'ENVIRONMENT_CREATE', category: environment, changes: true },
  getEnvironment: { scope: read, name: 'ENVIRONMENT_RETRIEVE', category: environment },
  updateEnvironment: { scope: write, name: 'ENVIRONMENT_UPDATE', category: environment, changes: true },
  getTenants: { scope: read, name: 'TENANT_RETRIEVE_LIST', category },
  createTenant: { scope: write, name: 'TENANT_CREATE', category, changes: true },
  getTenant: { scope: read, name: 'TENANT_RETRIEVE', category },
  updateTenant: { scope: write, name: 'TENANT_UPDATE', category, changes: true },
  deleteTenant: { scope: write, name: 'TENANT_DELETE', category, changes: true },
  getTenantDeletion: { scope: read, name: 'TENANT_DELETION_RETRIEVE', category },
} as const
