import type { Tenant } from '../../../entities/administration/tenants.ts'
import type { TenantImport } from '../../../entities/administration/transfers.ts'
import { type Counts, inLine, invalidFile, parseLine } from '../../../protocol/administration/transfers/file.ts'
import { isKind, KIND_NAMES, KINDS, type KindName } from '../../../protocol/administration/transfers/kinds.ts'
import { type FieldError, Refusal } from '../../../protocol/errors.ts'
import type { Json } from '../../../protocol/json.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { NumberedRow } from './records.ts'
import { createTransferRules } from './rules/index.ts'
import { SOURCES } from './sources.ts'
import type { Segment } from './storage.ts'

/** Faults that a report names. */
const MOST_FAULTS = 20

export interface NumberedLine extends NumberedRow {
  kind: KindName
}

const invalidRow = (errors: FieldError[]): Refusal =>
  new Refusal('tenant_import.row_invalid', 'A row of the file breaks a rule; see errors.', errors)

/** Reads a line as a row of a kind. Throws `tenant_import.file_invalid`. */
export function rowOf(text: string, line: number): NumberedLine {
  const { kind, row, ...more } = parseLine(text, line)
  const refuse = (path: string, code: string, message: string): never => {
    throw invalidFile(`Line ${line} is no row of a kind that the platform knows.`, [
      { path: inLine(line, path), code, message },
    ])
  }
  if (!isKind(kind)) return refuse('kind', 'kind', `expected one of: ${KIND_NAMES.join(', ')}`)
  if (Object.keys(more).length > 0) return refuse('', 'unknown', 'expected no other members than kind and row')
  return { kind, line, row: row as Json }
}

/** The kind that the rows so far have come to. */
const reached = (counts: Counts): number =>
  KIND_NAMES.reduce((last, kind, place) => ((counts[kind] ?? 0) > 0 ? place : last), 0)

type Parts = Pick<Dependencies, 'config' | 'systemSql' | 'documents' | 'now'>

/** Compares the rows of a file with the rules, before one of them is written. */
export function createChecking(parts: Parts) {
  const { systemSql } = parts
  const rules = createTransferRules(parts)

  async function isTaken(table: string, rows: readonly Json[]): Promise<boolean> {
    const text = `select 1 from ${table} where id = any($1::uuid[]) limit 1`
    return (await systemSql.query<object>({ text, values: [rows.map(({ id }) => id)] })).rows.length > 0
  }

  /** Whether no row of the platform has one of the ids. */
  async function areFree(rows: readonly NumberedLine[]): Promise<boolean> {
    for (const kind of new Set(rows.map((each) => each.kind))) {
      if (!Object.hasOwn(KINDS[kind].fields, 'id')) continue
      const ofKind = rows.filter((each) => each.kind === kind).map(({ row }) => row)
      if (await isTaken(SOURCES[kind].table, ofKind)) return false
      // a template has its current version in its line
      const versions = kind === 'credentialTemplates' ? ofKind.map(({ current }) => current as Json) : []
      if (await isTaken(SOURCES.credentialTemplateVersions.table, versions)) return false
    }
    return true
  }

  return {
    /** Returns what the import knows after the segment. Throws `tenant_import.row_invalid`, `.file_invalid`. */
    async segment(
      { counts: before, keepsIds, subjectTenantId }: TenantImport,
      { firstLine, lines }: Segment,
    ): Promise<Pick<TenantImport, 'counts' | 'keepsIds' | 'lines'>> {
      const counts = { ...before }
      const errors: FieldError[] = []
      const rows: NumberedLine[] = []
      const ids = new Set<string>()
      let last = reached(before)
      for (const [at, text] of lines.entries()) {
        const line = firstLine + at
        const read = rowOf(text, line)
        const place = KIND_NAMES.indexOf(read.kind)
        if (place < last)
          throw invalidFile('The kinds of the file are not in their order.', [
            { path: inLine(line, 'kind'), code: 'order', message: `expected ${KIND_NAMES[last]} or a later kind` },
          ])
        last = place
        counts[read.kind] = (counts[read.kind] ?? 0) + 1
        const faults = await rules(read.kind, read.row, subjectTenantId)
        const name = `${read.kind} ${String(read.row?.id)}`
        if (faults.length === 0 && Object.hasOwn(KINDS[read.kind].fields, 'id') && ids.has(name))
          faults.push({ path: 'row.id', code: 'repeated', message: 'expected each row once' })
        ids.add(name)
        errors.push(...faults.map((fault) => ({ ...fault, path: inLine(line, fault.path) })))
        if (errors.length >= MOST_FAULTS) throw invalidRow(errors.slice(0, MOST_FAULTS))
        if (faults.length === 0) rows.push(read)
      }
      if (errors.length > 0) throw invalidRow(errors)
      return { counts, keepsIds: keepsIds && (await areFree(rows)), lines: firstLine + lines.length - 1 }
    },

    /** Compares the counts, and returns the settings of the tenant. Throws `tenant_import.file_invalid`. */
    async whole({ counts, header, segments }: TenantImport, first: () => Promise<Segment>): Promise<Partial<Tenant>> {
      // names from outside: an object has members that no file counts
      const [said, found] = [new Map(Object.entries(header?.counts ?? {})), new Map(Object.entries(counts))]
      const different = [...new Set([...said.keys(), ...found.keys()])].find(
        (kind) => (said.get(kind) ?? 0) !== (found.get(kind) ?? 0),
      )
      if (different !== undefined)
        throw invalidFile('The file does not have the rows that its end counts.', [
          {
            path: `counts.${different.slice(0, 100)}`,
            code: 'count',
            message: `expected ${found.get(different) ?? 0}`,
          },
        ])
      if (segments === 0 || counts.settings !== 1)
        throw invalidFile('The file has no settings of the tenant.', [
          { path: 'counts.settings', code: 'count', message: 'expected 1' },
        ])
      const { firstLine, lines } = await first()
      const { row } = rowOf(lines[0] ?? '', firstLine)
      // null is as absent: a file of an earlier release knows nothing of some settings
      const given = Object.entries(row as Partial<Tenant>).filter(([, value]) => value !== null)
      return Object.fromEntries(given)
    },
  }
}
