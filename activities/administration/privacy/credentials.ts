import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { type ErasedCredentials, eraseCredentials } from '../../credentials/erase.ts'
import { endReissuances } from '../../openid/reissuances/records.ts'
import { eventIdOf } from '../../openid/sessions/issue.ts'
import { forgetAnswers } from '../../webhooks/exchanges.ts'

export interface ErasedWithAnswers extends ErasedCredentials {
  /** That were under way, and have ended: for the caller to wake after the commit. */
  sessionIds: string[]
}

/**
 * Erases credentials of a tenant, what receivers answered to the events that told of them, and the claims that wallets would
 * get them anew with, in the caller's transaction. Safe to repeat.
 */
export async function eraseWithAnswers(
  em: SqlEntityManager,
  { tenantId, at }: { tenantId: string; at: Date },
  ids: readonly string[],
): Promise<ErasedWithAnswers> {
  // first: nothing of what goes is given anew, and a grant is locked before its credentials
  const sessionIds = ids.length === 0 ? [] : await endReissuances(em, { credentialIds: ids }, at)
  const erased = await eraseCredentials(em, tenantId, ids)
  const eventIds = ids.map((id) => eventIdOf(tenantId, id))
  await forgetAnswers(em, tenantId, eventIds)
  return { ...erased, sessionIds }
}
