import { within } from '../../errors.ts'
import { isObject, type Json, listOf } from '../../json.ts'
import type { Report } from './asked.ts'

/** A value that a claim has to have: strings, integers and booleans (OpenID4VP 1.0, section 6.3). */
export type Scalar = string | number | boolean

const MAX_CLAIMS = 100
const MAX_VALUES = 20

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'number' ? Number.isSafeInteger(value) : ['string', 'boolean'].includes(typeof value)

/** A member that nothing would check is refused. */
export function onlyMembers(entry: Json, known: readonly string[], path: string, report: Report): void {
  for (const name of Object.keys(entry))
    if (!known.includes(name)) report(within(path, name), 'unknown', 'is not a member of this query')
}

/** Reads the only member of `meta`, which says the type of the credential. */
export function typeIn(meta: unknown, member: string, path: string, report: Report): unknown {
  if (!isObject(meta)) return undefined
  onlyMembers(meta, [member], `${path}.meta`, report)
  return meta[member]
}

/** Reads `required`: true unless it is false. */
export function isRequired(required: unknown, path: string, report: Report): boolean {
  if (required !== undefined && typeof required !== 'boolean')
    report(`${path}.required`, 'boolean', 'must be true or false')
  return required !== false
}

/** Reads `values`; undefined: every value does. */
function valuesIn(values: unknown, path: string, report: Report): Scalar[] | undefined {
  if (values === undefined) return undefined
  const isList = Array.isArray(values) && values.length > 0 && values.length <= MAX_VALUES
  if (isList && values.every(isScalar)) return values
  report(`${path}.values`, 'values', `must be a list of 1 to ${MAX_VALUES} texts, whole numbers or booleans`)
  return undefined
}

/** Reads `claims`, each by its path; `stepsIn` returns undefined for one that it has reported. */
export function claimsIn<Steps>(
  claims: unknown,
  path: string,
  report: Report,
  stepsIn: (steps: unknown[], path: string) => Steps | undefined,
): { steps: Steps; values?: Scalar[] }[] {
  const list = listOf(claims)
  if (list.length === 0 || list.length > MAX_CLAIMS) {
    report(`${path}.claims`, 'count', `must be a list of 1 to ${MAX_CLAIMS} claims`)
    return []
  }
  return list.flatMap((claim, nth) => {
    const at = `${path}.claims.${nth}`
    if (!isObject(claim)) {
      report(at, 'object', 'must be an object with the path of a claim')
      return []
    }
    onlyMembers(claim, ['path', 'values'], at, report)
    const steps = stepsIn(listOf(claim.path), `${at}.path`)
    const values = valuesIn(claim.values, at, report)
    return steps === undefined ? [] : [{ steps, ...(values && { values }) }]
  })
}
