import type { Dependencies } from '../dependencies.ts'
import type { Frame } from '../frame/index.ts'
import type { Revival } from '../frame/pending-work.revival.ts'
import type { Tokens } from '../tokens-logs/tokens.ts'
import { composeAccounts } from './accounts/index.ts'
import { createOAuth2Clients } from './clients/lifecycle.ts'
import { createEnvironments } from './environments.ts'
import { createHealth } from './health/index.ts'
import { createKeyInventory } from './key-inventory.ts'
import { createMailDelivery } from './mails/deliver.ts'
import { composeOrganizations } from './organizations/index.ts'
import { createPurge } from './purge.ts'
import { createReconciliation } from './reconcile.ts'
import { createTenantDeletion } from './tenants/deletion.ts'
import { createTenantErasure } from './tenants/erase.ts'
import { createTenantLifecycle } from './tenants/lifecycle.ts'
import { createProvisioning } from './tenants/provisioning.ts'
import { composeTransfers, transferActivities } from './transfers/index.ts'

/** Operations of environments, tenants and clients, of accounts and organizations. */
export const composeAdministration = (frame: Frame & { tokens: Tokens }) => ({
  accounts: composeAccounts(frame),
  ...composeOrganizations(frame),
  environments: createEnvironments(frame),
  health: createHealth(frame),
  tenantLifecycle: createTenantLifecycle(frame),
  tenantDeletion: createTenantDeletion(frame),
  oauth2Clients: createOAuth2Clients(frame),
  ...composeTransfers(frame),
})

type Known = Dependencies & Parameters<typeof createProvisioning>[0] & Parameters<typeof transferActivities>[0]

interface Parts extends Known {
  reconciled?: ((workflowType: string, outcome: Revival) => void) | undefined
}

/** Activities of the workflows of tenants, of the scheduled maintenance, and of mails. */
export const administrationActivities = (parts: Parts) => ({
  ...createPurge(parts),
  ...createTenantErasure(parts),
  ...createProvisioning(parts),
  ...transferActivities(parts),
  ...createReconciliation(parts),
  ...createMailDelivery(parts),
  compareRestoredKeys: createKeyInventory(parts).compareRestoredKeys,
})
