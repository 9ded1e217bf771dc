import type { TenantSubject } from './provisioning.ts'

/**
 * How far a deletion is. `refused`: requests of the tenant are refused, and its workflows are being ended. `keys`: its keys
 * are being destroyed. `rows`: its rows are being deleted. `erased`: nothing is left but the tombstone.
 */
export type DeletionStep = 'refused' | 'keys' | 'rows' | 'erased'

export interface DeletionRun extends TenantSubject {
  /** Time after which no process takes a request of the tenant any more, and those that began before have ended. */
  settleSeconds?: number
  /** Where a run goes on that continues another one: its workflows, its keys, its rows. Absent in the first one. */
  from?: 'work' | 'keys' | 'rows'
  /** The last key that was destroyed. */
  after?: string
}
