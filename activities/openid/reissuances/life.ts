import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { OpenIdReissuance } from '../../../entities/openid/reissuances.ts'
import { OpenIdWalletPolicy } from '../../../entities/openid/wallets.ts'
import { DAY_MS } from '../../../protocol/time.ts'

/** How long grants live by the policy of now, and by those of before. */
export interface ReissuanceLife {
  days: number
  /** What was given earlier has ended, whatever its own end says. */
  since: Date
}

export async function lifeIn(em: SqlEntityManager, at: Date): Promise<ReissuanceLife> {
  const [row] = await em.find(OpenIdWalletPolicy, {}, { limit: 1 })
  const days = row?.reissueDays ?? 0
  return { days, since: new Date(Math.max(at.getTime() - days * DAY_MS, row?.reissuesSince?.getTime() ?? 0)) }
}

/** What a change of the days leaves ended for good: a greater number brings back no token that a smaller one has ended. */
export function sinceAfter(row: OpenIdWalletPolicy | null, days: number, at: Date): Date | null {
  const before = row?.reissueDays ?? 0
  if (days === before) return row?.reissuesSince ?? null
  return new Date(Math.max(at.getTime() - Math.min(days, before) * DAY_MS, row?.reissuesSince?.getTime() ?? 0))
}

/** The days of its beginning or of the policy, whichever are fewer. */
export const endOf = (
  { endsAt, createdAt }: Pick<OpenIdReissuance, 'endsAt' | 'createdAt'>,
  { days }: ReissuanceLife,
) => new Date(Math.min(endsAt.getTime(), createdAt.getTime() + days * DAY_MS))
