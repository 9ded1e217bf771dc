import type { Sql } from '../../../entities/orm.ts'
import { NIL_UUID } from '../../../protocol/uuid.ts'
import { deleteInSlices } from '../../frame/slices.ts'

/** Grants that one statement looks at: far from its time limit. */
const AT_ONCE = 2_000

/** Deletes those of a page of grants, in the order of their ids, that are over. */
const pageOf = (which: string, isOver: string) => `with page as materialized (
    select r.id from openid_reissuances r where r.id > $1 and ${which} order by r.id limit ${AT_ONCE}),
  gone as (delete from openid_reissuances r using page where r.id = page.id and ${which} and ${isOver} returning 1)
select (select id from page order by id desc limit 1) as last, (select count(*)::int from page) as looked,
  (select count(*)::int from gone) as count`

/** Ended by the days of the policy, of now or of before. */
const SHORTENED = `with over as materialized (
    select r.id from openid_wallet_policies p cross join lateral (
      select g.id from openid_reissuances g where g.tenant_id = p.tenant_id
        and g.created_at <= greatest(now() - make_interval(days => p.reissue_days), p.reissues_since)
      order by g.created_at limit ${AT_ONCE}) r
    limit ${AT_ONCE}),
  gone as (delete from openid_reissuances r using over where r.id = over.id returning 1)
select count(*)::int as count from gone`

/** The first session gave nothing, and has ended. */
const EMPTY = pageOf(
  'r.content is null',
  `not exists (select from openid_sessions s where s.tenant_id = r.tenant_id and s.id = r.session_id and s.ended_at is null)`,
)

/** All templates were deleted. */
const WITHOUT_TEMPLATES = pageOf(
  'r.content is not null',
  `not exists (select from semantic_templates t
    where t.tenant_id = r.tenant_id and t.id = any (r.template_ids) and t.deleted_at is null)`,
)

async function deleteInPages(sql: Sql, text: string): Promise<number> {
  let deleted = 0
  for (let after = NIL_UUID; ; ) {
    const { rows } = await sql.query<{ last: string | null; looked: number; count: number }>({ text, values: [after] })
    const [page] = rows
    deleted += page?.count ?? 0
    if (!page?.last || page.looked < AT_ONCE) return deleted
    after = page.last
  }
}

async function deleteShortened(sql: Sql): Promise<number> {
  for (let deleted = 0; ; ) {
    const { rows } = await sql.query<{ count: number }>({ text: SHORTENED, values: [] })
    const count = rows[0]?.count ?? 0
    deleted += count
    if (count < AT_ONCE) return deleted
  }
}

/** Deletes grants whose time is up, whose first session gave nothing, or whose templates are gone. Safe to repeat. */
export async function purgeReissuances(sql: Sql): Promise<number> {
  const over = (await deleteInSlices(sql, 'openid_reissuances', 'ends_at < now()', [])) + (await deleteShortened(sql))
  return over + (await deleteInPages(sql, EMPTY)) + (await deleteInPages(sql, WITHOUT_TEMPLATES))
}
