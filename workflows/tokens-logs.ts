import { proxyActivities, uuid4 } from '@temporalio/workflow'
import type { TokenKeyRotation } from '../activities/tokens-logs/keys.ts'
import { quick } from './options.ts'

const activities = proxyActivities<TokenKeyRotation>(quick)

/**
 * Scheduled: adds and removes keys of access tokens. The new key's id is made here, so that a retry makes no second
 * key.
 */
export async function rotateTokenKeys(): ReturnType<TokenKeyRotation['rotateTokenKeys']> {
  return activities.rotateTokenKeys({ keyId: uuid4() })
}
