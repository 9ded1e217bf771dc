import type { Sql } from '../../../entities/orm.ts'

interface Reference {
  from: string
  to: string
  /** The rows that refer go with the row that they refer to. */
  cascades: boolean
}

/** Every table whose rows belong to a tenant, by the catalogue: one that is added later is among them. */
const OWNED = `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  and a.attname = 'tenant_id' and not a.attisdropped order by 1`

const REFERENCES = `select distinct c.conrelid::regclass::text as "from", c.confrelid::regclass::text as "to",
  c.confdeltype = 'c' as cascades
from pg_constraint c where c.contype = 'f' and c.conrelid <> c.confrelid and c.connamespace = 'public'::regnamespace`

/**
 * Orders tables so that a row is deleted before those that it refers to. Where two refer to each other, the one comes first
 * whose rows take the others with them.
 */
export function inOrderOfDeletion(tables: readonly string[], references: readonly Reference[]): string[] {
  const left = new Set(tables)
  const ordered: string[] = []
  const isFree = (name: string, binds: (reference: Reference) => boolean) =>
    !references.some((one) => one.to === name && one.from !== name && left.has(one.from) && binds(one))
  while (left.size > 0) {
    const names = [...left]
    const next =
      names.find((name) => isFree(name, () => true)) ?? names.find((name) => isFree(name, (one) => !one.cascades))
    if (next === undefined) throw new Error(`Tables refer to each other in a circle: ${names.join(', ')}.`)
    ordered.push(next)
    left.delete(next)
  }
  return ordered
}

/** The tables of tenants, in the order in which a tenant's rows are deleted. */
export async function ownedTables(sql: Sql): Promise<string[]> {
  const { rows: tables } = await sql.query<{ name: string }>({ text: OWNED, values: [] })
  const { rows: references } = await sql.query<Reference>({ text: REFERENCES, values: [] })
  return inOrderOfDeletion(
    tables.map(({ name }) => name),
    references,
  )
}

/**
 * Where no index of a table begins with its tenant, because such an index would cost every write of a busy table: rows of
 * batches by their batches, which they go with, and those of the outbox by an index for those that wait and one for the
 * others.
 */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  [
    'credential_batch_rows',
    `select r.ctid from credential_batches b
     cross join lateral (select ctid from credential_batch_rows where batch_id = b.id offset 0) r where b.tenant_id = ?`,
  ],
  [
    'outbox',
    `select w.ctid from (select ?::uuid as tenant_id) t cross join lateral (
       select ctid from outbox where tenant_id = t.tenant_id and started_at is null
       union all select ctid from outbox where tenant_id = t.tenant_id and started_at is not null) w`,
  ],
])

/** The place of each row of a tenant in a table, as a query with one parameter: the tenant. */
export const rowsOfTenant = (table: string): string =>
  ELSEWHERE.get(table) ?? `select ctid from ${table} where tenant_id = ?`
