import { type Column, put } from '../../credentials/batches.csv.ts'
import { claimPath, unreadMembers } from '../../credentials/claim-paths.ts'
import type { Json } from '../../data-integrity/index.ts'
import { type FieldError, Refusal } from '../../errors.ts'
import { hasClaim, mapClaims } from './claims.ts'
import type { TemplateDefinition } from './index.ts'
import { takenClaims, unmappedMessage } from './unmapped.ts'

/** The claims that a row has if none of its cells is empty. What a JSON cell holds is known only from the row. */
function fullRow(columns: readonly Column[]): Json {
  const claims: Json = {}
  for (const { to, path, as } of columns) if (to === 'claim') put(claims, path, as === 'json' ? {} : true)
  return claims
}

/**
 * Throws `Refusal('batch.csv_header')` for columns that no mapping of the template takes, unless it ignores them, and
 * for required claims without a column: every row would lack them (D-241).
 */
export function checkColumns(definition: TemplateDefinition, columns: readonly Column[]): void {
  const { claimMappings, ignoreUnmapped } = definition
  if (!claimMappings || Object.keys(claimMappings).length === 0) return
  const taken = takenClaims(claimMappings)
  const claims = fullRow(columns)
  const isSent = (path: string) => hasClaim(claims, path)
  const unmapped = columns.flatMap((column, index): FieldError[] => {
    if (ignoreUnmapped || unreadMembers(fullRow([column]), taken.paths).length === 0) return []
    const message = `${column.name.slice(0, 100)}: ${unmappedMessage(column.path.join('.'), taken, isSent)}`
    return [{ path: `column ${index + 1}`, code: 'column.unmapped', message }]
  })
  const open = columns.flatMap(({ as, path }) => (as === 'json' ? [`${path.join('.')}.`] : []))
  const isOpen = (path: string) => {
    const below = claimPath(path)
    return below !== undefined && open.some((start) => `${below}.`.startsWith(start))
  }
  const missing = mapClaims(claimMappings, { claims, credentialConfiguration: definition }).missing.filter(
    ({ path }) => !isOpen(path),
  )
  const errors = [
    ...unmapped,
    ...missing.map(({ path, message }) => ({
      path: 'header',
      code: 'column.required',
      message: `expected a column ${claimPath(path) ?? path}: ${message}`,
    })),
  ]
  if (errors.length > 0)
    throw new Refusal(
      'batch.csv_header',
      `The columns do not fit the template, which takes ${taken.list}; errors names them. Correct the header, map the claims, or set ignore_unmapped of the template.`,
      errors,
    )
}
