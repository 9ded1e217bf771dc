import { type FieldError, Refusal } from '../errors.ts'
import { isObject, isUsableText, type Json, type Place, pointerTo, USABLE_TEXT } from '../json.ts'
import { isReservedName } from '../names.ts'
import { MAX_DEPTH, RESERVED_NAMES } from './disclosures.ts'

/** A step of a claim path: a name, an index of an array, or null for all elements (draft-ietf-oauth-sd-jwt-vc-19, section 4.6.1). */
export type ClaimPath = readonly (string | number | null)[]

/** Claims that no disclosure may have, nor a part of them (draft-ietf-oauth-sd-jwt-vc-19, section 2.2.2.3). */
export const NEVER_SELECTIVE: ReadonlySet<string> = new Set([
  'iss',
  'nbf',
  'exp',
  'cnf',
  'vct',
  'vct#integrity',
  'aka_vcts',
  'status',
])

/** Claims that the issuance sets itself, so that the subject's claims have none of them. */
export const SET_BY_ISSUANCE: ReadonlySet<string> = new Set([...NEVER_SELECTIVE, 'iat'])

/** Levels of claims at most: a verifier counts those of the payload and of its disclosures as well. */
const MAX_LEVELS = MAX_DEPTH - 4

/** Values of all claims at most. */
export const MAX_VALUES = 5_000

/** Characters of a credential that can be sent for verification, with room for a key binding JWT. */
export const MAX_ENCODED = 500_000

/** Characters of all names and texts of claims at most: the base64url of more is longer than `MAX_ENCODED`. */
const MAX_CHARACTERS = (MAX_ENCODED * 3) / 4

/** What is said of claims that are too large. */
const TOO_LARGE = {
  too_many: `expected at most ${MAX_VALUES} values`,
  too_long: `expected at most ${MAX_CHARACTERS} characters in names and texts`,
}

const largeness = (values: number, characters: number): keyof typeof TOO_LARGE | undefined =>
  values > MAX_VALUES ? 'too_many' : characters > MAX_CHARACTERS ? 'too_long' : undefined

/**
 * Counts what claims are made of, one after the other; returns the error of the one with which there is too much for a
 * credential. A template may take one claim of a request many times.
 */
export function claimCounter(): (value: unknown, path: string) => FieldError | undefined {
  let values = 0
  let characters = 0
  return (counted, path) => {
    const pending = [counted]
    while (pending.length > 0) {
      const value = pending.pop()
      values += 1
      if (typeof value === 'string') characters += value.length
      else if (isObject(value)) characters += Object.keys(value).reduce((sum, name) => sum + name.length, 0)
      const code = largeness(values, characters)
      if (code) return claimError(path, code, TOO_LARGE[code])
      if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) pending.push(each)
    }
    return undefined
  }
}

export const invalidClaims = (errors: FieldError[]) =>
  new Refusal('credential.invalid', 'The claims cannot be in an SD-JWT VC; see errors.', errors)

const claimError = (path: string, code: string, message: string): FieldError => ({
  path,
  code: `claim.${code}`,
  message,
})

/**
 * What forbids that claims are in an SD-JWT: names with a meaning of their own anywhere (RFC 9901, section 4.1), those
 * that the issuance sets, texts that cannot be stored, values that are no JSON, too deep, too many or too long. Paths are
 * JSON pointers.
 */
export function claimErrors(claims: Json): FieldError[] {
  const errors: FieldError[] = []
  const report = (place: Place | undefined, code: string, message: string) => {
    if (errors.length < 100) errors.push(claimError(pointerTo(place), code, message))
  }
  let values = 0
  let characters = 0
  const visit = (value: unknown, place: Place | undefined, depth: number): void => {
    values += 1
    if (typeof value === 'string') characters += value.length
    if (largeness(values, characters)) return
    if (depth > MAX_LEVELS) report(place, 'depth', `expected at most ${MAX_LEVELS} levels`)
    else if (Array.isArray(value)) {
      for (const [step, each] of value.entries()) visit(each, { step, within: place }, depth + 1)
    } else if (isObject(value)) {
      for (const [step, member] of Object.entries(value)) {
        const at = { step, within: place }
        characters += step.length
        if (RESERVED_NAMES.has(step)) report(at, 'reserved', 'expected another name: SD-JWT uses it for digests')
        else if (!isUsableText(step)) report(place, 'text', `${USABLE_TEXT} in names`)
        else if (step === '') report(at, 'name', 'expected a name of 1 character or more')
        else if (isReservedName(step)) report(at, 'name', 'expected a name that is not reserved')
        else visit(member, at, depth + 1)
      }
    } else if (typeof value === 'string') {
      if (!isUsableText(value)) report(place, 'text', USABLE_TEXT)
    } else if (typeof value === 'number' ? !Number.isFinite(value) : !isScalar(value))
      report(place, 'value', 'expected a JSON value')
  }
  visit(claims, undefined, 1)
  const code = largeness(values, characters)
  if (code) report(undefined, code, TOO_LARGE[code])
  for (const name of Object.keys(claims))
    if (SET_BY_ISSUANCE.has(name)) report({ step: name }, 'reserved', 'expected no such claim: the issuance sets it')
  // RFC 7519, section 4.1.2: no verifier would take the credential
  if (claims.sub !== undefined && typeof claims.sub !== 'string') report({ step: 'sub' }, 'type', 'expected a text')
  return errors
}

/** Characters of a name in a path at most. */
const MAX_NAME = 255

/** Claims that no path can name, so that they cannot be selectively disclosable; the paths are JSON pointers to them. */
export const unnameable = (claims: Json): FieldError[] =>
  Object.keys(claims)
    .filter((name) => name.length > MAX_NAME)
    .slice(0, 100)
    .map((step) => claimError(pointerTo({ step }), 'name', `expected a name of at most ${MAX_NAME} characters`))

const isScalar = (value: unknown): boolean => value === null || typeof value === 'boolean'

/** What is wrong with the form of a claim path; undefined: nothing. */
export function claimPathFault(path: unknown): 'form' | 'reserved' | undefined {
  if (!Array.isArray(path) || path.length === 0 || path.length > MAX_DEPTH) return 'form'
  for (const step of path as unknown[]) {
    if (step === null || (typeof step === 'number' && Number.isSafeInteger(step) && step >= 0)) continue
    if (typeof step !== 'string' || step === '' || step.length > MAX_NAME) return 'form'
    if (RESERVED_NAMES.has(step) || isReservedName(step)) return 'reserved'
  }
  return undefined
}

/** Whether two claim paths are the same, step by step. */
export const isSamePath = (one: ClaimPath, other: ClaimPath): boolean =>
  one.length === other.length && one.every((step, at) => step === other[at])
