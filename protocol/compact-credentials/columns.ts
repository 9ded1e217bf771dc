import type { Column } from '../credentials/batches.csv.ts'
import { type FieldError, Refusal } from '../errors.ts'
import { nearestOf } from '../names.ts'
import { type CompactTemplate, pathsOf } from './templates.ts'

const MAX_NAMES = 20

/** Whether a cell of the column gives the claim at this path; a JSON cell may, as only the row knows. */
const gives = ({ path, as }: Column, wanted: string): boolean =>
  wanted === path.join('.') || (as === 'json' && wanted.startsWith(`${path.join('.')}.`))

/**
 * Throws `Refusal('batch.csv_header')` for columns that no mapping of the template takes, and for required claims without
 * a column: every row would be refused (D-241).
 */
export const checkColumns = (template: CompactTemplate, columns: readonly Column[]): void =>
  checkColumnsOf(pathsOf(template), columns)

/** The same for the paths that a template takes, by the claims that they become. */
export function checkColumnsOf(
  taken: ReadonlyMap<string, { path: string; isNeeded: boolean }>,
  columns: readonly Column[],
): void {
  const paths = [...taken.values()].map(({ path }) => path)
  const claims = columns.filter(({ to }) => to === 'claim')
  const nearest = nearestOf(paths)
  const sent = new Set(claims.map(({ path }) => path.join('.')))
  const unmapped = columns.flatMap((column, index): FieldError[] => {
    if (column.to !== 'claim' || paths.some((path) => gives(column, path))) return []
    const meant = nearest(column.path.join('.'))
    const hint = meant === undefined || sent.has(meant) ? '' : `; did you mean ${meant}?`
    const message = `${column.name.slice(0, 100)}: the template takes no claim of this name${hint}`
    return [{ path: `column ${index + 1}`, code: 'column.unmapped', message }]
  })
  const missing = [...taken].flatMap(([claim, { path, isNeeded }]): FieldError[] => {
    if (!isNeeded || claims.some((column) => gives(column, path))) return []
    const message = `expected a column ${path}: the template needs it for the claim ${claim}`
    return [{ path: 'header', code: 'column.required', message }]
  })
  const errors = [...unmapped, ...missing]
  if (errors.length === 0) return
  const names = paths.slice(0, MAX_NAMES).join(', ') || 'no claims'
  throw new Refusal(
    'batch.csv_header',
    `The columns do not fit the template, which takes ${names}; errors names them. Correct the header, or map the claims.`,
    errors,
  )
}
