import type { Json } from '../data-integrity/index.ts'
import { type FieldError, Refusal, within } from '../errors.ts'
import { isExactNumber } from '../json.numbers.ts'
import { isObject } from '../json.ts'
import { isReservedStep, ownMember, setOwnMember, tableOf } from '../names.ts'
import type { ReadRow, RowKind } from './batches.ts'

const TYPES = ['string', 'number', 'boolean', 'json'] as const

/** Target and type of the cells of a column. */
export interface Column {
  /** `claim`: into credentialSubject; `credential`: beside it; `tag`: the credential's tag. */
  to: 'claim' | 'credential' | 'tag'
  path: string[]
  as: (typeof TYPES)[number]
  /** As in the header. */
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

/** With a template there are none: it sets everything except the claims. */
const membersOf = (kind: RowKind): readonly string[] => (kind === 'payload' ? CREDENTIAL_MEMBERS : [])

/**
 * `age:number`: claim age as a number; `address.city`: nested claim; `$validUntil`: credential member; `$tag`: the tag.
 */
function columnOf(name: string, kind: RowKind): Column | string {
  const [, typedName, type] = TYPED.exec(name) ?? []
  const bare = typedName ?? name
  const as = TYPES.find((name) => name === type) ?? 'string'
  if (bare === '') return 'column.empty'
  if (bare === '$tag') return { to: 'tag', path: [], as: 'string', name }
  if (bare.startsWith('$')) {
    const member = membersOf(kind).find((name) => name === bare.slice(1))
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
    'expected the name of a claim, nested names separated by dots, and no reserved name such as toString or call',
  'column.twice':
    'expected every name once, and no name that is the beginning of another, such as address beside address.city',
})

const wrongHeader = (errors: FieldError[]) =>
  new Refusal('batch.csv_header', 'The header line of the CSV is not valid; errors names the columns.', errors)

const begins = (one: Column, other: Column) =>
  one.to === other.to && one.path.every((step, index) => other.path[index] === step)

/** Whether another column has the same place, or one inside or around it. */
const overlaps = (column: Column, columns: (Column | string)[]) =>
  columns.some(
    (other) => typeof other !== 'string' && other !== column && (begins(column, other) || begins(other, column)),
  )

/** Reads the header line. Throws `Refusal('batch.csv_header')`, which names the wrong columns. */
export function readHeader(cells: string[], kind: RowKind): Column[] {
  if (cells.length > MAX_COLUMNS)
    throw wrongHeader([{ path: 'header', code: 'column.many', message: `expected at most ${MAX_COLUMNS} columns` }])
  const columns = cells.map((cell) => columnOf(cell.trim(), kind))
  const errors = columns.flatMap((column, index) => {
    const code = typeof column === 'string' ? column : overlaps(column, columns) ? 'column.twice' : undefined
    return code ? [{ path: within('column', index + 1), code, message: expected(kind)[code] ?? '' }] : []
  })
  if (errors.length > 0) throw wrongHeader(errors)
  return columns.filter((column) => typeof column !== 'string')
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** Returns a cell's value, or the code of its error. `parse` reads JSON and throws `Refusal`. */
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

/** Writes a value at a path, and the objects around it. */
export function put(target: Json, [step = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) setOwnMember(target, step, value)
  else {
    const member = ownMember(target, step)
    const inner = isObject(member) ? member : {}
    if (inner !== member) setOwnMember(target, step, inner)
    put(inner, rest, value)
  }
}

/** Returns a line of cells as a row; an empty cell is an absent claim. */
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
    const result = readCell(cell, as, parse)
    if (typeof result === 'string')
      errors.push({ path: name.slice(0, 100), code: result, message: CELL.get(result) ?? '' })
    else if (to === 'tag') tag = cell
    else put(to === 'claim' ? claims : payload, path, result.value)
  })
  if (tag !== undefined && tag.length > 255)
    errors.push({ path: '$tag', code: 'row.type', message: 'expected a string of at most 255 characters' })
  if (errors.length > 0) return { errors }
  return { input: { ...(kind === 'claims' ? { claims } : { payload }), ...(tag === undefined ? {} : { tag }) } }
}
