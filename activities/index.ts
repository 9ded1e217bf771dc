import { disjoint } from '../protocol/disjoint.ts'
import { administrationActivities } from './administration/index.ts'
import { composeCredentials, composeEngine, credentialActivities } from './credentials/index.ts'
import type { Dependencies } from './dependencies.ts'
import { composeDids, didActivities } from './dids/index.ts'
import { composeFrame } from './frame/index.ts'
import type { Revival } from './frame/work.revival.ts'
import { composeSemanticCredentials } from './semantic-credentials/index.ts'
import { composeTokensLogs, tokenActivities } from './tokens-logs/index.ts'

export { type Dependencies, openDependencies } from './dependencies.ts'

/** Every area's verbs, joined: what the controllers call in process. */
export function createPlatform(dependencies: Dependencies) {
  const { operations, ...standing } = composeFrame(dependencies)
  const frame = { ...dependencies, ...standing, operations }
  const { issuers, ...dids } = composeDids(frame)
  const { entries, ...status } = composeEngine(frame)
  const known = { ...frame, ...dids, issuers }
  const { signing, ...semantic } = composeSemanticCredentials({ ...known, ...status, entries })
  const credentials = composeCredentials({ ...known, ...semantic, signing })
  return disjoint(standing, composeTokensLogs(dependencies), dids, status, semantic, credentials)
}

export type Platform = ReturnType<typeof createPlatform>

/** What the worker counts of what its activities do. */
export interface Observers {
  statusListTried?(outcome: 'signed' | 'failed'): void
  reconciled?(workflowType: string, outcome: Revival): void
}

/** The same verbs as Temporal calls them: retried, durable. */
export function createActivities(dependencies: Dependencies, { statusListTried, reconciled }: Observers = {}) {
  const platform = createPlatform(dependencies)
  return disjoint(
    didActivities(platform),
    credentialActivities({ ...dependencies, ...platform, tried: statusListTried }),
    administrationActivities({ ...dependencies, reconciled }),
    tokenActivities(dependencies),
  )
}
