import { type ClaimRoots, MAX_PATH, pathFault, valueAt } from '../credentials/claim-paths.ts'
import { type FieldError, Refusal, within } from '../errors.ts'
import { isObject } from '../json.ts'
import { isReservedName } from '../names.ts'

/** Where a parameter comes from: `map_from`, else `default_value`; only `default_value`: always that. */
export interface RequestParameter {
  map_from?: string
  /** Any JSON value except null. */
  default_value?: unknown
}

export type RequestParameters = Record<string, RequestParameter>

const MAX_PARAMETERS = 50
const MAX_NAME = 100
/** Characters of a default value as JSON. */
const MAX_DEFAULT = 4_096

const error = (path: string, code: string, message: string): FieldError => ({ path, code, message })

const isName = (name: string): boolean =>
  name.length >= 1 && name.length <= MAX_NAME && !/[\p{Cc}\p{Cs}\p{Z}]/u.test(name) && !isReservedName(name)

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

function sourceErrors(at: string, source: unknown): FieldError[] {
  if (!isObject(source)) return [error(at, 'parameter', 'expected an object with map_from, default_value or both')]
  const foreign = Object.keys(source).find((name) => name !== 'map_from' && name !== 'default_value')
  if (foreign !== undefined)
    return [error(within(at, foreign.slice(0, MAX_NAME)), 'unknown', 'expected one of map_from, default_value')]
  const { map_from, default_value } = source
  if (!isGiven(map_from) && !isGiven(default_value))
    return [error(at, 'parameter', 'expected map_from, default_value or both')]
  const fault = isGiven(map_from) ? pathFault(map_from) : undefined
  if (fault === 'form')
    return [error(`${at}.map_from`, 'path', `expected a path such as claims.sub, at most ${MAX_PATH} characters`)]
  if (fault === 'reserved') return [error(`${at}.map_from`, 'path', 'expected no reserved name, such as constructor')]
  if (isGiven(default_value) && JSON.stringify(default_value).length > MAX_DEFAULT)
    return [error(`${at}.default_value`, 'length', `expected at most ${MAX_DEFAULT} characters of JSON`)]
  return []
}

function parameterErrors(given: unknown): FieldError[] {
  if (!isObject(given)) return [error('request_parameters', 'parameters', 'expected an object')]
  const entries = Object.entries(given)
  if (entries.length > MAX_PARAMETERS)
    return [error('request_parameters', 'too_many', `expected at most ${MAX_PARAMETERS} parameters`)]
  return entries.flatMap(([name, source]) => {
    const at = within('request_parameters', name.slice(0, MAX_NAME))
    return isName(name)
      ? sourceErrors(at, source)
      : [error(at, 'name', `expected a name of 1 to ${MAX_NAME} characters without spaces, and no reserved name`)]
  })
}

/**
 * Reads the parameters of a claim source; it checks every type, because the generated validation accepts any value for a
 * member named `valueOf`. Throws `Refusal('claim_source.invalid_parameters')` with every breach of the rules.
 */
export function readParameters(given: unknown): RequestParameters {
  const errors = parameterErrors(given)
  if (errors.length > 0)
    throw new Refusal('claim_source.invalid_parameters', 'The request parameters cannot be used; see errors.', errors)
  const entries = Object.entries(given as RequestParameters)
  return Object.fromEntries(
    entries.map(([name, { map_from, default_value }]) => [
      name,
      { ...(isGiven(map_from) && { map_from }), ...(isGiven(default_value) && { default_value }) },
    ]),
  )
}

/** The parameters that have a value for a subject. One without `default_value` is left out where its path leads nowhere. */
export const parametersOf = (parameters: RequestParameters, roots: ClaimRoots): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, { map_from, default_value }]): [string, unknown][] => {
      const value = (map_from === undefined ? undefined : valueAt(map_from, roots)) ?? default_value
      return isGiven(value) ? [[name, value]] : []
    }),
  )

/** Parameters as a query: a text as it is, any other value as JSON. */
export const queryOf = (parameters: Readonly<Record<string, unknown>>): string =>
  new URLSearchParams(
    Object.entries(parameters).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ).toString()
