import type { TenantImport } from '../../../entities/administration/transfers.ts'
import { inTenant } from '../../../entities/orm.ts'
import { inLine } from '../../../protocol/administration/transfers/file.ts'
import { KIND_NAMES, type KindName, type Need } from '../../../protocol/administration/transfers/kinds.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { MAX_OF_TENANT } from '../../../protocol/trust-lists/lists.ts'
import type { Dependencies } from '../../dependencies.ts'
import { type NumberedLine, rowOf } from './checking.ts'
import { MOST_NEEDS, needOf } from './needs.ts'
import { createTransferRecords, type Destination, idIn } from './records.ts'
import { SOURCES } from './sources.ts'
import type { Segment } from './storage.ts'

/** data_exception and integrity_constraint_violation (PostgreSQL, Appendix A): the fault is in a row. */
const OF_ROWS = /^(22|23)/

/** Rows of one statement. */
const AT_ONCE = 100

const codeOf = (error: unknown): string => String(error instanceof Error ? (Reflect.get(error, 'code') ?? '') : '')

const constraintOf = (error: unknown): string =>
  String(error instanceof Error ? (Reflect.get(error, 'constraint') ?? 'a rule of the table') : '')

const refusedRow = ({ kind, line }: NumberedLine, code: string, message: string): Refusal =>
  new Refusal('tenant_import.row_refused', `A row of ${kind} does not fit the rows that it names.`, [
    { path: inLine(line, 'row'), code, message },
  ])

/** Neighbours of one kind together, and not too many. */
function groupsOf(rows: readonly NumberedLine[]): NumberedLine[][] {
  const groups: NumberedLine[][] = []
  for (const row of rows) {
    const last = groups.at(-1)
    if (last && last[0]?.kind === row.kind && last.length < AT_ONCE) last.push(row)
    else groups.push([row])
  }
  return groups
}

/** Tables that have more rows than the file has lines of the kind: versions stand in the lines of their templates too. */
const NOT_COUNTED: readonly KindName[] = ['settings', 'credentialTemplateVersions']

/** Writes the rows of a file that was checked. */
export function createWriting({
  config,
  database,
  systemSql,
}: Pick<Dependencies, 'config' | 'database' | 'systemSql'>) {
  const records = createTransferRecords({ config })

  const inOne = (rows: readonly NumberedLine[], kind: KindName, to: Destination) =>
    inTenant(database.tenants, to.tenantId, (em) => records.write(em, kind, rows, to))

  /** Throws `tenant_import.row_refused` that names the line. */
  async function writeGroup(rows: readonly NumberedLine[], to: Destination): Promise<void> {
    const [first] = rows
    if (!first || first.kind === 'settings') return
    try {
      const [left] = await inOne(rows, first.kind, to)
      const { fits } = SOURCES[first.kind]
      const expected = `expected what no other row has${fits ? `, and ${fits.expected}` : ''}`
      if (left) throw refusedRow({ ...first, line: left.line }, fits ? 'reference' : 'unique', expected)
    } catch (error) {
      if (!OF_ROWS.test(codeOf(error))) throw error
      if (rows.length === 1)
        throw refusedRow(first, 'reference', `expected a row that the database takes: it breaks ${constraintOf(error)}`)
      // one by one, to find the row
      for (const row of rows) await writeGroup([row], to)
    }
  }

  /** Of all lists together, which may stand in several segments. */
  async function assertListed(tenantId: string): Promise<void> {
    const text = `select coalesce(sum(json_array_length(entries)), 0)::int as count from trust_lists where tenant_id = $1`
    const [listed] = (await systemSql.query<{ count: number }>({ text, values: [tenantId] })).rows
    if ((listed?.count ?? 0) <= MAX_OF_TENANT) return
    const message = `expected at most ${MAX_OF_TENANT} in all: there are ${listed?.count}`
    throw new Refusal('tenant_import.row_refused', 'The trust lists of the file have too many entries.', [
      { path: 'trustLists.entries', code: 'count', message },
    ])
  }

  return {
    /** Returns what the import knows after the segment. Safe to repeat. */
    async write(
      { subjectTenantId: tenantId, keepsIds, needs: before, moreNeeds }: TenantImport,
      { firstLine, lines }: Segment,
    ): Promise<Pick<TenantImport, 'needs' | 'moreNeeds' | 'lines'>> {
      const to = { tenantId, keepsIds }
      const rows = lines.map((line, at) => rowOf(line, firstLine + at))
      for (const group of groupsOf(rows)) await writeGroup(group, to)
      const needs: Need[] = [...before]
      let more = moreNeeds
      for (const { kind, row } of rows) {
        const need = needOf(kind, row, idIn(to, String(row.id)))
        if (need && needs.length < MOST_NEEDS) needs.push(need)
        else if (need) more += 1
      }
      return { needs, moreNeeds: more, lines: firstLine + lines.length - 1 }
    },

    /** Throws `tenant_import.row_refused` where a row stands in the file twice, or its trust lists have too many entries. */
    async complete({ subjectTenantId: tenantId, counts }: TenantImport): Promise<void> {
      await assertListed(tenantId)
      for (const kind of KIND_NAMES) {
        if (NOT_COUNTED.includes(kind)) continue
        const text = `select count(*)::int as count from ${SOURCES[kind].table} where tenant_id = $1`
        const [counted] = (await systemSql.query<{ count: number }>({ text, values: [tenantId] })).rows
        if (counted?.count === (counts[kind] ?? 0)) continue
        throw new Refusal('tenant_import.row_refused', `Rows of ${kind} stand in the file twice.`, [
          { path: `counts.${kind}`, code: 'repeated', message: `expected each row once: there are ${counted?.count}` },
        ])
      }
    },
  }
}
