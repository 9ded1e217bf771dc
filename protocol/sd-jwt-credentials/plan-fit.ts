import type { FieldError } from '../errors.ts'
import { isObject, type Json } from '../json.ts'
import { ownMember } from '../names.ts'
import type { DisclosurePlan } from './build.ts'
import type { ClaimPath } from './claims.ts'

/** What a path finds: a claim, none, or a value of another kind on the way to it. */
type Fit = { found: 'claim' | 'none' } | { found: 'other'; expected: 'a list' | 'an object'; at: ClaimPath }

const NONE: Fit = { found: 'none' }

function fitOf(value: unknown, path: ClaimPath, at: ClaimPath = []): Fit {
  const [step, ...rest] = path
  if (value === undefined || value === null) return NONE
  if (step === undefined) return { found: 'claim' }
  if (typeof step === 'string')
    return isObject(value)
      ? fitOf(ownMember(value, step), rest, [...at, step])
      : { found: 'other', expected: 'an object', at }
  if (!Array.isArray(value)) return { found: 'other', expected: 'a list', at }
  const elements: unknown[] = value
  if (step !== null) return fitOf(elements[step], rest, [...at, step])
  if (elements.length === 0) return { found: 'claim' }
  const fits = elements.map((each) => fitOf(each, rest, [...at, null]))
  return fits.find(({ found }) => found === 'other') ?? fits.find(({ found }) => found === 'claim') ?? NONE
}

const nameOf = (path: ClaimPath): string => path.map((step) => step ?? '*').join('.')

/** A path that does not fit the claims would hide nothing, and leave in the open what it was meant for. */
export function misfitOf(claims: Json, path: ClaimPath): string | undefined {
  const fit = fitOf(claims, path)
  return fit.found === 'other' ? `expected ${fit.expected} at ${nameOf(fit.at)}` : undefined
}

/** Paths of a plan that lead to no claim; `path` names the list's element, such as `selective.2`. */
export const unfitting = (claims: Json, { selective }: Pick<DisclosurePlan, 'selective'>): FieldError[] =>
  selective.flatMap((path, place): FieldError[] => {
    if (fitOf(claims, path).found === 'claim') return []
    const message = misfitOf(claims, path) ?? 'expected the path of a claim that the payload has'
    return [{ path: `selective.${place}`, code: 'disclosure.claim', message }]
  })
