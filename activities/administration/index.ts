import type { Dependencies } from '../dependencies.ts'
import type { Frame } from '../frame/index.ts'
import type { Revival } from '../frame/pending-work.revival.ts'
import type { Tokens } from '../tokens-logs/tokens.ts'
import { composeAccounts } from './accounts/index.ts'
import { createKeyInventory } from './key-inventory.ts'
import { createMailDelivery } from './mails/deliver.ts'
import { composeOrganizations } from './organizations/index.ts'
import { createPurge } from './purge.ts'
import { createReconciliation } from './reconcile.ts'

interface Parts extends Dependencies {
  reconciled?: ((workflowType: string, outcome: Revival) => void) | undefined
}

/** Activities of the scheduled maintenance workflows, and of mails. */
export const administrationActivities = (parts: Parts) => ({
  ...createPurge(parts),
  ...createReconciliation(parts),
  ...createMailDelivery(parts),
  compareRestoredKeys: createKeyInventory(parts).compareRestoredKeys,
})

/** Operations of accounts and organizations. */
export const composeAdministration = (frame: Frame & { tokens: Tokens }) => ({
  accounts: composeAccounts(frame),
  ...composeOrganizations(frame),
})
