import type { Dependencies } from '../dependencies.ts'
import type { Revival } from '../frame/pending-work.revival.ts'
import { createKeyInventory } from './key-inventory.ts'
import { createPurge } from './purge.ts'
import { createReconciliation } from './reconcile.ts'

interface Parts extends Dependencies {
  reconciled?: ((workflowType: string, outcome: Revival) => void) | undefined
}

/** Activities of the scheduled maintenance workflows. */
export const administrationActivities = (parts: Parts) => ({
  ...createPurge(parts),
  ...createReconciliation(parts),
  compareRestoredKeys: createKeyInventory(parts).compareRestoredKeys,
})
