import type { MikroORM } from '@mikro-orm/postgresql'
import type { Sql } from '../../entities/orm.ts'

/** A log-in that was ended, or whose person was removed, since the backup; a link to set a password that was used. */
const OF_PEOPLE = `update account_sessions set ended_at = now() where ended_at is null;
delete from account_tokens;`

/** A code that a wallet has redeemed since the backup would be good again. Its workflow ends the session. */
const OFFERS = `update openid_sessions set code_expires_at = now(), ends_at = now()
where ended_at is null and code_digest is not null and code_used_at is null and ends_at > now();`

/** A wallet's answer that was taken since the backup would be taken again. Its workflow ends the request. */
const REQUESTS = `update openid_presentations set expires_at = now(), kept_until = now() + (kept_until - expires_at)
where ended_at is null and expires_at > now();`

/**
 * Ends what is good once, or was ended, and stands in the rows of a backup as if nothing had happened since. As the owner,
 * whose statements may take long; which tenants there are, the system role alone sees.
 */
export async function endUnfinished(owner: MikroORM, systemSql: Sql): Promise<void> {
  await owner.em.getConnection().execute(OF_PEOPLE)
  const { rows: tenants } = await systemSql.query<{ id: string }>({ text: 'select id from tenants', values: [] })
  for (const { id } of tenants)
    await owner.em.fork({ disableContextResolution: true }).transactional(async (em) => {
      await em.execute(`select set_config('app.tenant', ?, true)`, [id])
      await em.execute(OFFERS)
      await em.execute(REQUESTS)
    })
}
