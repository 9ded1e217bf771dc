import type { Json } from '../data-integrity/index.ts'
import { type FieldError, Refusal } from '../errors.ts'
import { isExactNumber } from '../json.numbers.ts'
import { isObject } from '../json.ts'
import { isReservedStep, ownMember, setOwnMember, tableOf } from '../names.ts'
import type { ReadRow, RowKind } from './batches.ts'

const TYPES = ['string', 'number', 'boolean', 'json'] as const

/** Where the cells of a column go, and as what. */
export interface Column {
  /** `claim`: into credentialSubject; `credential`: beside it; `tag`: the credential's tag. */
  to: 'claim' | 'credential' | 'tag'
  path: string[]
  as: (typeof TYPES)[number]
  /** As it stands in the header. */
  name: string
}

export const MAX_COLUMNS = 200

const CREDENTIAL_MEMBERS = [
  'id',
  'name',
  'description',
  'validFrom',
  'validUntil',
  'issuanceDate',
  'expirationDate',
] as const

const TYPED = new RegExp(`^(.+):(${TYPES.join('|')})$`)

/** Where a template says all of the credential but its claims, no column does. */
const membersOf = (kind: RowKind): readonly string[] => (kind === 'payload' ? CREDENTIAL_MEMBERS : [])

/** `age:number`: claim age as a number; `address.city`: nested; `$validUntil`: of the credential; `$tag`: the tag. */
function columnOf(name: string, kind: RowKind): Column | string {
  const [, typedName, type] = TYPED.exec(name) ?? []
  const bare = typedName ?? name
  const as = TYPES.find((known) => known === type) ?? 'string'
  if (bare === '') return 'column.empty'
  if (bare === '$tag') return { to: 'tag', path: [], as: 'string', name }
  if (bare.startsWith('$')) {
    const member = membersOf(kind).find((known) => known === bare.slice(1))
    return member ? { to: 'credential', path: [member], as: 'string', name } : 'column.unknown'
  }
  // an absolute IRI is one term, dots and all
  const path = bare.includes('://') ? [bare] : bare.split('.')
  if (path.some((step) => step === '' || step.startsWith('@') || isReservedStep(step))) return 'column.invalid'
  return { to: 'claim', path, as, name }
}

const expected = (kind: RowKind): Record<string, string> => ({
  'column.empty': 'expected a name in every column of the header',
  'column.unknown': `expected ${['tag', ...membersOf(kind)].map((name) => `$${name}`).join(', ')} or a claim`,
  'column.invalid':
    'expected the name of a claim, nested ones separated by dots, and none that every object has, such as toString or call',
  'column.twice': 'expected every name once, and none that is a part of another',
})

const wrongHeader = (errors: FieldError[]) =>
  new Refusal('batch.csv_header', 'The first line of the CSV does not name claims; see errors.', errors)

const begins = (one: Column, other: Column) =>
  one.to === other.to && one.path.every((step, index) => other.path[index] === step)

/** Two columns for one place, or one for a place inside another's. */
const overlaps = (column: Column, columns: (Column | string)[]) =>
  columns.some(
    (other) => typeof other !== 'string' && other !== column && (begins(column, other) || begins(other, column)),
  )

/** The header line, each name once. Throws `Refusal('batch.csv_header')` naming the columns at fault. */
export function readHeader(cells: string[], kind: RowKind): Column[] {
  if (cells.length > MAX_COLUMNS)
    throw wrongHeader([{ path: 'header', code: 'column.many', message: `expected at most ${MAX_COLUMNS} columns` }])
  const columns = cells.map((cell) => columnOf(cell.trim(), kind))
  const errors = columns.flatMap((column, index) => {
    const code = typeof column === 'string' ? column : overlaps(column, columns) ? 'column.twice' : undefined
    return code ? [{ path: `column ${index + 1}`, code, message: expected(kind)[code] ?? '' }] : []
  })
  if (errors.length > 0) throw wrongHeader(errors)
  return columns.filter((column) => typeof column !== 'string')
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** A cell's value, or the code of what is wrong with it. `parse` reads JSON and throws `Refusal`. */
function readCell(cell: string, as: Column['as'], parse: (text: string) => unknown): { value: unknown } | string {
  if (cell.includes('\0')) return 'row.text'
  if (as === 'number') return NUMBER.test(cell) && isExactNumber(cell) ? { value: Number(cell) } : 'row.number'
  if (as === 'boolean') return cell === 'true' || cell === 'false' ? { value: cell === 'true' } : 'row.boolean'
  if (as === 'string') return { value: cell }
  try {
    return { value: parse(cell) }
  } catch (error) {
    if (error instanceof Refusal) return 'row.json'
    throw error
  }
}

const CELL = tableOf({
  'row.text': 'expected text without U+0000',
  'row.number': 'expected a number that a double holds exactly',
  'row.boolean': 'expected true or false',
  'row.json': 'expected JSON without repeated members',
})

function put(target: Json, [step = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) setOwnMember(target, step, value)
  else {
    const known = ownMember(target, step)
    const inner = isObject(known) ? known : {}
    if (inner !== known) setOwnMember(target, step, inner)
    put(inner, rest, value)
  }
}

/** One line of cells as a row; an empty cell is a claim left out. */
export function rowOfCells(
  columns: Column[],
  cells: string[],
  kind: RowKind,
  parse: (text: string) => unknown,
): ReadRow {
  if (cells.length !== columns.length)
    return { errors: [{ path: '', code: 'row.columns', message: `expected ${columns.length} cells` }] }
  const errors: FieldError[] = []
  const claims: Json = {}
  const payload: Json = { credentialSubject: claims }
  let tag: string | undefined
  columns.forEach(({ to, path, as, name }, index) => {
    const cell = cells[index] ?? ''
    if (cell === '') return
    const read = readCell(cell, as, parse)
    if (typeof read === 'string') errors.push({ path: name.slice(0, 100), code: read, message: CELL.get(read) ?? '' })
    else if (to === 'tag') tag = cell
    else put(to === 'claim' ? claims : payload, path, read.value)
  })
  if (tag !== undefined && tag.length > 255)
    errors.push({ path: '$tag', code: 'row.type', message: 'expected a string of at most 255 characters' })
  if (errors.length > 0) return { errors }
  return { input: { ...(kind === 'claims' ? { claims } : { payload }), ...(tag === undefined ? {} : { tag }) } }
}
