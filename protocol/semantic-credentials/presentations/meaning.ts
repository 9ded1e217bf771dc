import type { CanonizeOptions } from '../../data-integrity/canonize.ts'
import type { Json } from '../../data-integrity/index.ts'
import { isObject, listOf } from '../../json.ts'
import { expand } from '../../json-ld.ts'
import { ownMember } from '../../names.ts'
import { FRAMING } from './matching.ts'

/** The pattern of a query, and a credential that has all of its names and values. */
export interface MeaningRequest {
  pattern: Json
  credential: Json
}

/** Removes keywords about a frame's output: they are no condition, and not valid JSON-LD outside of frames. */
function withoutFraming(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutFraming)
  if (!isObject(value)) return value
  const members = Object.entries(value).filter(([name]) => !FRAMING.has(name))
  return Object.fromEntries(
    members.map(([name, member]) => [name, name === '@context' ? member : withoutFraming(member)]),
  )
}

/** The values of a member; lists, sets and graphs are replaced by their members. */
const values = (value: unknown): unknown[] =>
  listOf(value).flatMap((each) => {
    if (!isObject(each)) return [each]
    if ('@list' in each) return values(each['@list'])
    return '@graph' in each ? values(each['@graph']) : [each]
  })

const isIri = (type: unknown): boolean => typeof type === 'string' && type.includes(':')

/** Whether an expanded value makes all statements of an expanded pattern. An empty object matches any value. */
function states(pattern: unknown, value: unknown): boolean {
  if (!isObject(pattern) || !isObject(value)) return pattern === value
  return Object.entries(pattern).every(([name, expected]) => {
    if (name === '@type' && !('@value' in pattern)) {
      const types = listOf(value['@type'])
      return listOf(expected).every((type) => !isIri(type) || types.includes(type))
    }
    if (name.startsWith('@')) return expected === value[name]
    const statements = values(ownMember(value, name))
    return values(expected).every((each) => statements.some((one) => states(each, one)))
  })
}

/**
 * Whether a credential matches a query in the meaning that the query's contexts give to its names (D-133). The contexts
 * of a credential are not signed: a holder could add one that renames a nickname to a degree. Names that the query's
 * contexts do not define are only compared as names. Throws as `canonize` does.
 */
export async function meansTheSame(
  { pattern, credential }: MeaningRequest,
  options: CanonizeOptions,
): Promise<boolean> {
  const { '@context': contexts, type, '@type': alias, ...members } = pattern
  if (listOf(contexts).length === 0) return true
  const { proof: _, ...document } = credential
  const [base] = listOf(credential['@context'])
  const types = [...new Set(['VerifiableCredential', ...listOf(type), ...listOf(alias)])]
  const example = { ...Object(withoutFraming(members)), '@context': [base, ...listOf(contexts)], type: types }
  // not safe: terms that the query's contexts do not define are dropped
  const [expandedQuery] = await expand(example, options, { safe: false })
  const [expandedCredential] = await expand(document, options)
  return states(expandedQuery, expandedCredential)
}
