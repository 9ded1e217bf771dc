import type { MikroORM } from '@mikro-orm/postgresql'
import { ALONG_INDEX, asSystem, type Sql } from '../../entities/orm.ts'

/** Rows deleted at a time: a million in one statement would exceed its time limit (entities/orm.ts). */
const AT_ONCE = 20_000

/** Deletes the rows of a table that match a condition, slice by slice; returns their number. Safe to repeat. */
export async function deleteInSlices(sql: Sql, table: string, condition: string, values: unknown[]): Promise<number> {
  const slice = `delete from ${table} where ctid = any (array(
    select ctid from ${table} where ${condition} limit $${values.length + 1}))`
  const text = `with gone as (${slice} returning 1) select count(*)::int as count from gone`
  for (let deleted = 0; ; ) {
    const { rows } = await sql.query<{ count: number }>({ text, values: [...values, AT_ONCE] })
    const count = rows[0]?.count ?? 0
    deleted += count
    if (count < AT_ONCE) return deleted
  }
}

/**
 * Runs a statement that deletes, or looks for, the next slice of many rows as the system role, in a transaction of its own:
 * along an index, whatever the statistics say. By them a large share of a table is found sooner by reading all of it,
 * which the slice after the last one would then do.
 */
export const alongIndex = <Row extends object>(orm: MikroORM, text: string, values: unknown[]): Promise<Row[]> =>
  asSystem(orm, (em) => em.execute<Row[]>(text, values), ALONG_INDEX)

/** Failures that an error tells; the log has each. */
const NAMED = 50

/** Of many that are alike one that fails is reported, and holds up no other one; `end` throws where some did. */
export function createFailures(report: (error: unknown, name: string) => void) {
  const failures = new Map<string, unknown>()
  return {
    async attempt(name: string, work: () => Promise<unknown>): Promise<void> {
      try {
        await work()
      } catch (error) {
        report(error, name)
        failures.set(name, error)
      }
    },
    /** `what` was not done. */
    end(what: string): void {
      if (failures.size === 0) return
      const others = failures.size > NAMED ? ` and ${failures.size - NAMED} more` : ''
      const [names, errors] = [[...failures.keys()].slice(0, NAMED), [...failures.values()].slice(0, NAMED)]
      throw new AggregateError(errors, `${what}: ${names.join(', ')}${others}`)
    },
  }
}
