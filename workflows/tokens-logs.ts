import { proxyActivities, uuid4 } from '@temporalio/workflow'
import type { TokenKeyRotation } from '../activities/tokens-logs/keys.ts'
import type { LogActivities } from '../activities/tokens-logs/logs/index.ts'
import { quick, sweeping } from './options.ts'

const activities = proxyActivities<TokenKeyRotation>(quick)
const logs = proxyActivities<LogActivities>(sweeping)

/**
 * Scheduled: adds and removes keys of access tokens. The new key's id is made here, so that a retry makes no second
 * key.
 */
export async function rotateTokenKeys(): ReturnType<TokenKeyRotation['rotateTokenKeys']> {
  return activities.rotateTokenKeys({ keyId: uuid4() })
}

/** Scheduled: signs where the chains of the log end. The id is that of a new key, should one be due. */
export async function signLogHeads(): ReturnType<LogActivities['signLogHeads']> {
  return logs.signLogHeads({ keyId: uuid4() })
}

/** Scheduled: removes entries of the log that are older than their tenant keeps them. */
export async function removeOldLogEntries(): ReturnType<LogActivities['removeOldLogEntries']> {
  return logs.removeOldLogEntries({ keyId: uuid4() })
}
