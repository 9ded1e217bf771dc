import { ownedTables } from '../../../../activities/administration/tenants/tables.ts'
import type { Sample } from '../examples/sample.ts'
import type { Target } from '../hostile.ts'
import { idsOf } from './members.ts'

/** Of the platform itself: they name nobody, and beat or count by themselves. */
const BEATING = ['migrations', 'platform_epoch', 'rate_limits']

/** Rows of a tenant by table, as texts. */
export type Rows = ReadonlyMap<string, readonly string[]>

/**
 * What a tenant, its person and its operator have: every row of a table with an owner that is the tenant’s, and every row
 * of another table that names a thing of the sample.
 */
export async function rowsOf({ world }: Target, sample: Sample): Promise<Rows> {
  const { systemSql } = world.dependencies
  const owned = new Set(await ownedTables(systemSql))
  const ids = [...idsOf(sample)]
  const { rows: tables } = await systemSql.query<{ name: string }>({
    text: `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
    values: [],
  })
  const found = new Map<string, readonly string[]>()
  for (const { name } of tables.filter((each) => !BEATING.includes(each.name))) {
    const isOwned = owned.has(name)
    const { rows } = await systemSql.query<{ row: string }>({
      text: `select to_jsonb(x)::text as row from ${name} x ${isOwned ? 'where tenant_id = $1' : ''} order by 1`,
      values: isOwned ? [sample.client.tenantId] : [],
    })
    const texts = rows.map(({ row }) => row)
    found.set(name, isOwned ? texts : texts.filter((text) => ids.some((id) => text.includes(id))))
  }
  return found
}

/** The first tenant's log also has what operators and people did, who belong to no tenant; entries are chained by and by. */
const GROWING = ['logs', 'log_chain', 'log_counts', 'log_seals']
const WAITING = ['log_pending']

/** The tables that differ, with what was lost and what came. */
export function differences(before: Rows, after: Rows): string[] {
  return [...before].flatMap(([table, rows]) => {
    const now = new Set(after.get(table))
    const then = new Set(rows)
    const lost = WAITING.includes(table) ? [] : rows.filter((row) => !now.has(row))
    const come = [...GROWING, ...WAITING].includes(table) ? [] : [...now].filter((row) => !then.has(row))
    return lost.length + come.length === 0 ? [] : [`${table}: lost ${lost.slice(0, 3)}, came ${come.slice(0, 3)}`]
  })
}
