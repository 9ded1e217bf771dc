import { disjoint } from '../disjoint.ts'
import { CONTENT_OPERATIONS } from './content/operations.ts'

const category = 'tenant'

/** Operations of a tenant's settings and of the platform's parts, as protocol/operations.ts describes them. */
export const ADMINISTRATION_OPERATIONS = disjoint(
  {
    getTenantSettings: { scope: 'administration:read', name: 'TENANT_SETTINGS_RETRIEVE', category },
    updateTenantSettings: { scope: 'administration:write', name: 'TENANT_SETTINGS_UPDATE', category, changes: true },
  },
  CONTENT_OPERATIONS,
)
