import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { type ErasedCredentials, eraseCredentials } from '../../credentials/erase.ts'
import { eventIdOf } from '../../openid/sessions/issue.ts'
import { forgetAnswers } from '../../webhooks/exchanges.ts'

/**
 * Erases credentials of a tenant, and what receivers answered to the events that told of them, in the caller's
 * transaction. Safe to repeat.
 */
export async function eraseWithAnswers(
  em: SqlEntityManager,
  tenantId: string,
  ids: readonly string[],
): Promise<ErasedCredentials> {
  const erased = await eraseCredentials(em, tenantId, ids)
  const eventIds = ids.map((id) => eventIdOf(tenantId, id))
  await forgetAnswers(em, tenantId, eventIds)
  return erased
}
