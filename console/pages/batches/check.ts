import { isExactNumber } from '../../frame/forms/numbers.ts'
import { parseTyped } from '../../frame/forms/typed.ts'
import type { Claim } from '../templates/claims.ts'
import type { Template } from '../templates/formats.ts'
import type { Cells } from './csv.ts'

/** What is wrong with a file, before it is uploaded. */
export type Fault =
  | { kind: 'empty' | 'open' | 'noClaims' }
  | { kind: 'unknown'; column: string; nearest?: string }
  | { kind: 'option' | 'twice' | 'type' | 'unnamed'; column: string }
  | { kind: 'missing'; column: string; claim: string }

/** Of a single row: it would be refused alone. */
export interface RowFault {
  row: number
  column: string
  kind: 'cells' | 'number' | 'boolean' | 'json' | 'required' | 'line'
}

interface Column {
  name: string
  path: string
  type: string
}

const TYPED = /^(.+):(string|number|boolean|json)$/
const WRONG_TYPE = /:(int|integer|long|float|double|decimal|num|numeric|bool|str|varchar|string|number|boolean|json)$/i
const MEMBERS = [
  '$tag',
  '$id',
  '$name',
  '$description',
  '$validFrom',
  '$validUntil',
  '$issuanceDate',
  '$expirationDate',
]

const columnOf = (name: string): Column => {
  const [, path = name, type = 'string'] = TYPED.exec(name) ?? []
  return { name, path, type }
}

/** How many characters one name has to change to become the other (Levenshtein). */
function distance(one: string, other: string): number {
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const next = [row]
    for (let at = 1; at <= other.length; at++) {
      const changed = (last[at - 1] ?? 0) + (one[row - 1] === other[at - 1] ? 0 : 1)
      next.push(Math.min(changed, (last[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1))
    }
    last = next
  }
  return last[other.length] ?? 0
}

export function nearestOf(name: string, names: readonly string[]): string | undefined {
  const most = Math.min(3, Math.floor(name.length / 3))
  const plain = (text: string) => text.toLowerCase().replaceAll(/[\s_-]/g, '')
  return names
    .filter((each) => each.length <= 100 && name.length <= 100)
    .map((each) => ({ each, far: plain(each) === plain(name) ? 0 : distance(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ far }) => far <= most)
    .toSorted((one, other) => one.far - other.far)[0]?.each
}

/** The column has the claim of the path, or something in it, or around it. */
const gives = ({ path, type }: Column, wanted: string): boolean =>
  path === wanted || path.startsWith(`${wanted}.`) || (type === 'json' && wanted.startsWith(`${path}.`))

const pathsOf = (claims: readonly Claim[]): string[] => claims.flatMap(({ path }) => path ?? [])

const isNeeded = ({ isRequired, defaultValue }: Claim) => isRequired && defaultValue === undefined

/** The columns of a header against the claims that the template takes; without a template, against the rules of names. */
export function headerFaults({ header, isOpen }: Cells, template: Template | undefined): Fault[] {
  if (header.length === 0) return [{ kind: 'empty' }]
  if (isOpen) return [{ kind: 'open' }]
  const columns = header.map(columnOf)
  const claims = columns.filter(({ name }) => !name.startsWith('$'))
  const takes = template && pathsOf(template.claims)
  // the subject's id needs no mapping in web semantic templates
  const known = template?.format === 'web-semantic' ? ['id', ...(takes ?? [])] : (takes ?? [])
  const isTaken = (column: Column) =>
    !template || template.takesAll || template.ignoresOthers || known.some((path) => gives(column, path))
  const faults = columns.flatMap((column, at): Fault[] => {
    const { name, path } = column
    if (path === '') return [{ kind: 'unnamed', column: String(at + 1) }]
    if (columns.findIndex((each) => each.path === path) < at) return [{ kind: 'twice', column: name }]
    if (name.startsWith('$'))
      return (template ? ['$tag'] : MEMBERS).includes(name) ? [] : [{ kind: 'option', column: name }]
    if (!TYPED.test(name) && WRONG_TYPE.test(name)) return [{ kind: 'type', column: name }]
    if (isTaken(column)) return []
    const nearest = nearestOf(
      path,
      known.filter((each) => !claims.some((other) => other.path === each)),
    )
    return [{ kind: 'unknown', column: name, ...(nearest && { nearest }) }]
  })
  if (claims.length === 0) faults.push({ kind: 'noClaims' })
  const missing = (template?.claims ?? [])
    .filter((claim) => isNeeded(claim) && !claims.some((column) => gives(column, claim.path ?? claim.name)))
    .map((claim): Fault => ({ kind: 'missing', column: claim.path ?? claim.name, claim: claim.name }))
  return [...faults, ...missing]
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

const FITS: Record<string, (cell: string) => boolean> = {
  number: (cell) => NUMBER.test(cell) && isExactNumber(cell),
  boolean: (cell) => cell === 'true' || cell === 'false',
  json: (cell) => isJson(cell),
}

function isJson(text: string): boolean {
  try {
    parseTyped(text)
    return true
  } catch {
    return false // the fault that is asked for, also a number that JSON does not hold
  }
}

/** The first rows against the types of the columns and the required claims. */
export function rowFaults({ header, rows }: Cells, template: Template | undefined): RowFault[] {
  const columns = header.map(columnOf)
  const needed = new Set(pathsOf((template?.claims ?? []).filter(isNeeded)))
  return rows.flatMap((cells, at): RowFault[] => {
    const row = at + 1
    if (cells.length !== columns.length) return [{ row, column: `${cells.length}/${columns.length}`, kind: 'cells' }]
    return columns.flatMap(({ name, path, type }, index): RowFault[] => {
      const cell = cells[index] ?? ''
      if (cell === '') return needed.has(path) ? [{ row, column: name, kind: 'required' }] : []
      const kind = type as 'number' | 'boolean' | 'json'
      return FITS[type]?.(cell) === false ? [{ row, column: name, kind }] : []
    })
  })
}

export interface Lines {
  /** The first rows, as they are. */
  rows: { row: number; text: string }[]
  faults: RowFault[]
}

/** The first JSON lines: each has to be an object, with claims for a template and a payload without one. */
export function readLines(text: string, isCut: boolean, hasTemplate: boolean): Lines {
  const all = text.replace(/^\uFEFF/, '').split('\n')
  const whole = (isCut ? all.slice(0, -1) : all).filter((line) => line.trim() !== '')
  const rows = whole.slice(0, 5).map((line, at) => ({ row: at + 1, text: line }))
  const member = hasTemplate ? 'claims' : 'payload'
  const fits = (line: string) => {
    if (!isJson(line)) return false
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && Object.hasOwn(value, member)
  }
  const faults = rows.flatMap((line): RowFault[] =>
    fits(line.text) ? [] : [{ row: line.row, column: member, kind: 'line' }],
  )
  return { rows, faults }
}
