import type { SqlEntityManager } from '@mikro-orm/postgresql'

/** Ends the sessions of an account, but one. */
export async function endSessions(em: SqlEntityManager, accountId: string, kept?: string): Promise<void> {
  const statement = `update account_sessions set ended_at = now()
    where account_id = ? and ended_at is null and id is distinct from ?::uuid`
  await em.execute(statement, [accountId, kept ?? null])
}
