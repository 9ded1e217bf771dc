import type { Json } from '../data-integrity/index.ts'
import { type FieldError, Refusal, within } from '../errors.ts'
import { isExactNumber } from '../json.numbers.ts'
import { isObject } from '../json.ts'
import { isReservedStep, ownMember, setOwnMember } from '../names.ts'
import { REQUIRED, type ReadRow, type RowKind } from './batches.ts'
import { MAX_PATH } from './claim-paths.ts'

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

/** Each row repeats the steps of the header, so that they bound its size and the work for it (D-1210). */
const MAX_STEPS = 16

const CREDENTIAL_MEMBERS = [
  'id',
  'name',
  'description',
  'validFrom',
  'validUntil',
  'issuanceDate',
  'expirationDate',
] as const

/** Delimiters of the API. */
export const DELIMITERS = [',', ';', '\t', '|']

/** Types of other systems, and ours in upper case: as the end of a claim's name they are a mistake (D-269). */
const UNKNOWN_TYPE = /:(int|integer|long|float|double|decimal|num|numeric|bool|str|varchar)$/i
const OUR_TYPE = new RegExp(`:(${TYPES.join('|')})$`, 'i')

const TYPED = new RegExp(`^(.+):(${TYPES.join('|')})$`)

/** With a template there are none: it sets everything except the claims. */
const membersOf = (kind: RowKind): readonly string[] => (kind === 'payload' ? CREDENTIAL_MEMBERS : [])

/**
 * `age:number`: claim age as a number; `address.city`: nested claim; `$validUntil`: credential member; `$tag`: the tag.
 */
function columnOf(name: string, kind: RowKind): Column | string {
  if (name.length > MAX_PATH) return 'column.long'
  const [, typedName, type] = TYPED.exec(name) ?? []
  const bare = typedName ?? name
  const as = TYPES.find((name) => name === type) ?? 'string'
  if (type === undefined && (UNKNOWN_TYPE.test(bare) || OUR_TYPE.test(bare))) return 'column.type'
  if (bare === '') return 'column.empty'
  if (bare === '$tag') return { to: 'tag', path: [], as: 'string', name }
  if (bare.startsWith('$')) {
    const member = membersOf(kind).find((name) => name === bare.slice(1))
    return member ? { to: 'credential', path: [member], as: 'string', name } : 'column.unknown'
  }
  // an absolute IRI is one term, dots and all
  const path = bare.includes('://') ? [bare] : bare.split('.')
  if (path.length > MAX_STEPS) return 'column.long'
  if (path.some((step) => step === '' || step.startsWith('@') || isReservedStep(step))) return 'column.invalid'
  return { to: 'claim', path, as, name }
}

const expected = (kind: RowKind): Record<string, string> => ({
  'column.empty': 'expected a name in every column of the header',
  'column.unknown': `expected ${['tag', ...membersOf(kind)].map((name) => `$${name}`).join(', ')} or a claim`,
  'column.invalid':
    'expected the name of a claim, nested names separated by dots, and no reserved name such as toString or call',
  'column.long': `expected a name of at most ${MAX_PATH} characters, with at most ${MAX_STEPS} steps between its dots`,
  'column.type': `expected a type of ${TYPES.join(', ')} after the colon; for a claim of this very name add :string`,
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

/** How a caller writes each delimiter in the query. */
const IN_QUERY = new Map([
  ['\t', '%09'],
  ['|', '%7C'],
])

/** The delimiter that a header of one column most likely has in place of the one it was read with (D-269). */
const otherDelimiter = ([header = '', ...more]: string[], delimiter: string): string | undefined =>
  more.length > 0 || header.includes('://')
    ? undefined
    : DELIMITERS.find((each) => each !== delimiter && header.trim().includes(each))

/**
 * Reads the header line, which was divided at `delimiter`. Throws `Refusal('batch.csv_header')`, which names the wrong
 * columns.
 */
export function readHeader(cells: string[], kind: RowKind, delimiter = ','): Column[] {
  const other = otherDelimiter(cells, delimiter)
  if (other !== undefined)
    throw wrongHeader([
      {
        path: 'header',
        code: 'column.delimiter',
        message: `the header has one column; if the file has another delimiter, set delimiter=${IN_QUERY.get(other) ?? other}`,
      },
    ])
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

/** Faults of a cell, without its value (D-083). */
const CELL = {
  text: { code: 'row.text', message: 'expected text without U+0000' },
  number: {
    code: 'row.number',
    message: 'expected a number such as 1.5: no leading zeros, spaces or commas',
  },
  digits: {
    code: 'row.number',
    message: 'expected a number that a double holds exactly; use a column without :number for more digits',
  },
  boolean: { code: 'row.boolean', message: 'expected true or false, in lower case' },
  json: { code: 'row.json', message: 'expected JSON without repeated members; text stands in quotes' },
} as const

type CellFault = (typeof CELL)[keyof typeof CELL]

function numberIn(cell: string): { value: number } | CellFault {
  if (!NUMBER.test(cell)) return CELL.number
  return isExactNumber(cell) ? { value: Number(cell) } : CELL.digits
}

/** Returns a cell's value, or its fault. `parse` reads JSON and throws `Refusal`. */
function readCell(cell: string, as: Column['as'], parse: (text: string) => unknown): { value: unknown } | CellFault {
  if (cell.includes('\0')) return CELL.text
  if (as === 'number') return numberIn(cell)
  if (as === 'boolean') return cell === 'true' || cell === 'false' ? { value: cell === 'true' } : CELL.boolean
  if (as === 'string') return { value: cell }
  try {
    return { value: parse(cell) }
  } catch (error) {
    if (error instanceof Refusal) return CELL.json
    throw error
  }
}

/** Writes a value at a path, and the objects around it. */
export function put(target: Json, path: readonly string[], value: unknown): void {
  const last = path.length - 1
  let inside = target
  for (let index = 0; index < last; index++) {
    const step = path[index] ?? ''
    const member = ownMember(inside, step)
    const inner = isObject(member) ? member : {}
    if (inner !== member) setOwnMember(inside, step, inner)
    inside = inner
  }
  setOwnMember(inside, path[last] ?? '', value)
}

/** Returns a line of cells as a row; an empty cell is an absent claim. */
export function rowOfCells(
  columns: Column[],
  cells: string[],
  kind: RowKind,
  parse: (text: string) => unknown,
): ReadRow {
  if (cells.length !== columns.length)
    return {
      errors: [
        {
          path: '',
          code: 'row.columns',
          message: `expected ${columns.length} cells, one for each column of the header; found ${cells.length}`,
        },
      ],
    }
  const errors: FieldError[] = []
  const claims: Json = {}
  const payload: Json = { credentialSubject: claims }
  let tag: string | undefined
  columns.forEach(({ to, path, as, name }, index) => {
    const cell = cells[index] ?? ''
    if (cell === '') return
    const result = readCell(cell, as, parse)
    if ('code' in result) errors.push({ path: name.slice(0, 100), ...result })
    else if (to === 'tag') tag = cell
    else put(to === 'claim' ? claims : payload, path, result.value)
  })
  if (tag !== undefined && tag.length > 255)
    errors.push({ path: '$tag', code: 'row.type', message: 'expected a string of at most 255 characters' })
  if (errors.length > 0) return { errors }
  return {
    input: { ...(REQUIRED[kind] === 'claims' ? { claims } : { payload }), ...(tag === undefined ? {} : { tag }) },
  }
}
