import type { Frame } from '../../frame/index.ts'
import { createEcosystemAllowances } from './allowances.ts'
import { createEcosystemBindings } from './bindings.ts'
import { createEcosystemChanges } from './changes.ts'
import { createEcosystemCredentials } from './credentials.ts'
import { createPolicyDryRuns } from './dry-run.ts'
import { createEcosystems } from './ecosystems.ts'
import type { EcosystemGate } from './gate.ts'
import { createEcosystemParticipants } from './participants.ts'
import { createPublishedPolicies } from './published.ts'
import { createEcosystemReads } from './rows.ts'

/** Operations of ecosystems. */
export function composeEcosystems(frame: Frame, gate: Pick<EcosystemGate, 'forget'>) {
  const changes = createEcosystemChanges({ ...frame, ...gate })
  const parts = { ...frame, changes, reads: createEcosystemReads(frame) }
  return {
    ecosystems: createEcosystems(parts),
    ecosystemParticipants: createEcosystemParticipants(parts),
    ecosystemCredentials: createEcosystemCredentials(parts),
    ecosystemAllowances: createEcosystemAllowances(parts),
    ecosystemBindings: createEcosystemBindings(parts),
    publishedPolicies: createPublishedPolicies(parts),
    policyDryRuns: createPolicyDryRuns(parts),
  }
}
