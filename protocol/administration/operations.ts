import { disjoint } from '../disjoint.ts'
import { ACCOUNT_OPERATIONS } from './accounts/operations.ts'
import { CLIENT_OPERATIONS } from './clients/operations.ts'
import { CONTENT_OPERATIONS } from './content/operations.ts'
import { ECOSYSTEM_OPERATIONS } from './ecosystems/operations.ts'
import { HEALTH_OPERATIONS } from './health/operations.ts'
import { ORGANIZATION_OPERATIONS } from './organizations/operations.ts'
import { PRIVACY_OPERATIONS } from './privacy/operations.ts'
import { TENANT_OPERATIONS } from './tenants/operations.ts'
import { TRANSFER_OPERATIONS } from './transfers/operations.ts'

const category = 'tenant'

/** Operations of a tenant's settings and of the platform's parts, as protocol/operations.ts describes them. */
export const ADMINISTRATION_OPERATIONS = disjoint(
  {
    getTenantSettings: { scope: 'administration:read', name: 'TENANT_SETTINGS_RETRIEVE', category },
    updateTenantSettings: { scope: 'administration:write', name: 'TENANT_SETTINGS_UPDATE', category, changes: true },
  } as const,
  ACCOUNT_OPERATIONS,
  CLIENT_OPERATIONS,
  CONTENT_OPERATIONS,
  ECOSYSTEM_OPERATIONS,
  HEALTH_OPERATIONS,
  ORGANIZATION_OPERATIONS,
  PRIVACY_OPERATIONS,
  TENANT_OPERATIONS,
  TRANSFER_OPERATIONS,
)
