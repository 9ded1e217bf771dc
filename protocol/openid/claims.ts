import { type FieldError, Refusal, within } from '../errors.ts'
import { isObject, type Json } from '../json.ts'
import { isReservedName } from '../names.ts'

/** Claims that are about the token and not about the holder (OpenID Connect Core 1.0, sections 2 and 3.1.3.6). */
const OF_TOKENS: ReadonlySet<string> = new Set([
  'at_hash',
  'aud',
  'azp',
  'c_hash',
  'exp',
  'iat',
  'iss',
  'jti',
  'nbf',
  'nonce',
  's_hash',
  'sid',
  'sub',
])

const MAX_BYTES = 64 * 1024
const MAX_DEPTH = 16
const MAX_LEAVES = 500

/** The claims of ID token and UserInfo response about the holder; where both have one, that of the ID token. */
export const claimsAbout = (idToken: Readonly<Json>, userInfo: Readonly<Json>): Json =>
  Object.fromEntries(
    [...Object.entries(userInfo), ...Object.entries(idToken)].filter(
      ([name]) => !OF_TOKENS.has(name) && !isReservedName(name),
    ),
  )

/** The claims of these names. */
export const listed = (claims: Readonly<Json>, names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => names.includes(name)))

const tooLarge = () =>
  new Refusal(
    'authentication.claims_too_large',
    `The provider's claims are too large: the limits are ${MAX_BYTES} bytes, ${MAX_DEPTH} levels and ${MAX_LEAVES} values.`,
  )

/** A value of claims that is neither an object nor in a list, with the names that lead to it. */
export interface Leaf {
  path: readonly string[]
  value: string | number | boolean | null
}

const isLeaf = (value: unknown): value is Leaf['value'] =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value)

function collect(value: unknown, path: readonly string[], leaves: Leaf[]): void {
  if (path.length > MAX_DEPTH || leaves.length > MAX_LEAVES) throw tooLarge()
  if (isLeaf(value)) leaves.push({ path, value })
  else if (Array.isArray(value)) for (const each of value) collect(each, [...path, '[]'], [])
  else if (isObject(value)) for (const [name, each] of Object.entries(value)) collect(each, [...path, name], leaves)
}

/** The values that users can be found by. Throws `Refusal('authentication.claims_too_large')`. */
export function leavesOf(claims: Readonly<Json>): Leaf[] {
  const leaves: Leaf[] = []
  collect(claims, [], leaves)
  if (leaves.length > MAX_LEAVES || Buffer.byteLength(JSON.stringify(claims)) > MAX_BYTES) throw tooLarge()
  return leaves
}

/** A value as answers show it: texts in the form `{Text: text}` (specification, User). */
export const tagged = (value: unknown): unknown => {
  if (typeof value === 'string') return { Text: value }
  if (Array.isArray(value)) return value.map(tagged)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, tagged(each)]))
}

const isTagged = (value: Json): value is { Text: string } =>
  typeof value.Text === 'string' && Object.keys(value).length === 1

const MAX_CRITERIA = 20

/**
 * Reads the claims of a search: texts as they are or as `{Text: text}`, numbers, booleans, null, and objects of them.
 * Throws `Refusal('request.invalid')`.
 */
export function criteriaOf(claims: Readonly<Json>): Leaf[] {
  const leaves: Leaf[] = []
  const errors: FieldError[] = []
  const walk = (value: unknown, path: readonly string[]): void => {
    const refuse = (code: string, message: string) =>
      void errors.push({ path: within('claims', ...path.map((name) => name.slice(0, 100))), code, message })
    if (leaves.length > MAX_CRITERIA || errors.length > MAX_CRITERIA) return
    if (isLeaf(value)) leaves.push({ path, value })
    else if (!isObject(value)) refuse('value', 'expected a text, a number, true, false, null, or an object of them')
    else if (isTagged(value)) leaves.push({ path, value: value.Text })
    else if (path.length >= MAX_DEPTH) refuse('depth', `expected at most ${MAX_DEPTH} levels`)
    else if (Object.keys(value).length === 0 && path.length > 0) refuse('empty', 'expected at least one member')
    else for (const [name, each] of Object.entries(value)) walk(each, [...path, name])
  }
  if (isTagged(claims)) leaves.push({ path: ['Text'], value: claims.Text })
  else walk(claims, [])
  if (leaves.length > MAX_CRITERIA)
    errors.push({ path: 'claims', code: 'count', message: `expected at most ${MAX_CRITERIA} values` })
  if (errors.length > 0) throw new Refusal('request.invalid', 'The search cannot be done; see errors.', errors)
  return leaves
}
