import type { FieldError } from '../errors.ts'
import { isObject, type Json } from '../json.ts'
import { ownMember } from '../names.ts'
import type { ClaimPath } from './claims.ts'

/** Values that the paths of one plan visit at most, each as often as a path leads there. */
const MAX_VISITS = 1_000_000

interface Visits {
  left: number
}

/** What a path finds: a claim, none, or after so many steps a value of another kind. `unknown`: it visits too many. */
type Fit = 'claim' | 'none' | 'unknown' | number

function fitOf(value: unknown, path: ClaimPath, visits: Visits, at = 0): Fit {
  visits.left -= 1
  if (visits.left < 0) return 'unknown'
  if (value === undefined || value === null) return 'none'
  const step = path[at]
  if (step === undefined) return 'claim'
  if (typeof step === 'string') return isObject(value) ? fitOf(ownMember(value, step), path, visits, at + 1) : at
  if (!Array.isArray(value)) return at
  const elements: unknown[] = value
  if (step !== null) return fitOf(elements[step], path, visits, at + 1)
  let found: Fit = elements.length === 0 ? 'claim' : 'none'
  for (const each of elements) {
    const fit = fitOf(each, path, visits, at + 1)
    if (typeof fit === 'number' || fit === 'unknown') return fit
    if (fit === 'claim') found = fit
  }
  return found
}

const nameOf = (path: ClaimPath): string => path.map((step) => step ?? '*').join('.')

const misfit = (path: ClaimPath, at: number): string =>
  `expected ${typeof path[at] === 'string' ? 'an object' : 'a list'} at ${nameOf(path.slice(0, at))}`

/** A path that does not fit the claims would hide nothing, and leave in the open what it was meant for. */
export function misfitOf(claims: Json, path: ClaimPath): string | undefined {
  const fit = fitOf(claims, path, { left: Number.POSITIVE_INFINITY })
  return typeof fit === 'number' ? misfit(path, fit) : undefined
}

/**
 * Paths of a plan that lead to no claim; `areOptional`: only those that lead to a value of another kind. `path` names the
 * list's element, such as `selective.2`. Paths that visit too many values are one error.
 */
export function unfitting(
  claims: Json,
  { selective }: { selective: readonly ClaimPath[] },
  areOptional = false,
): FieldError[] {
  const visits = { left: MAX_VISITS }
  const errors: FieldError[] = []
  for (const [place, path] of selective.entries()) {
    const fit = fitOf(claims, path, visits)
    if (fit === 'unknown') return [tooComplex]
    if (fit === 'claim' || (areOptional && fit === 'none')) continue
    const message = fit === 'none' ? 'expected the path of a claim that the payload has' : misfit(path, fit)
    errors.push({ path: `selective.${place}`, code: 'disclosure.claim', message })
  }
  return errors
}

/** Of a plan whose paths visit too many values of the claims. */
export const tooComplex: FieldError = {
  path: 'selective',
  code: 'disclosure.too_complex',
  message: 'expected fewer paths for claims with so many values',
}
