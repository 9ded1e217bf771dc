import type { CanonizeOptions } from '../../data-integrity/canonize.ts'
import type { Json } from '../../data-integrity/index.ts'
import { isObject, listOf } from '../../json.ts'
import { expand } from '../../json-ld.ts'
import { ownMember } from '../../names.ts'
import { FRAMING } from './matching.ts'

/** What a query shows of a credential, and a credential that holds it name by name. */
export interface MeaningRequest {
  pattern: Json
  credential: Json
}

/** Words about a frame's output ask nothing of the credential, and are no JSON-LD outside of frames. */
function withoutFraming(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutFraming)
  if (!isObject(value)) return value
  const members = Object.entries(value).filter(([name]) => !FRAMING.has(name))
  return Object.fromEntries(
    members.map(([name, member]) => [name, name === '@context' ? member : withoutFraming(member)]),
  )
}

/** Lists, sets and graphs are told as their members. */
const values = (value: unknown): unknown[] =>
  listOf(value).flatMap((each) => {
    if (!isObject(each)) return [each]
    if ('@list' in each) return values(each['@list'])
    return '@graph' in each ? values(each['@graph']) : [each]
  })

const isIri = (type: unknown): boolean => typeof type === 'string' && type.includes(':')

/** Of expanded forms: whether everything that the pattern states is stated. An empty object takes any value. */
function states(pattern: unknown, value: unknown): boolean {
  if (!isObject(pattern) || !isObject(value)) return pattern === value
  return Object.entries(pattern).every(([name, expected]) => {
    if (name === '@type' && !('@value' in pattern)) {
      const types = listOf(value['@type'])
      return listOf(expected).every((type) => !isIri(type) || types.includes(type))
    }
    if (name.startsWith('@')) return expected === value[name]
    const stated = values(ownMember(value, name))
    return values(expected).every((each) => stated.some((one) => states(each, one)))
  })
}

/**
 * Whether a credential states what a query asks for, in the meaning that the query's own contexts give to its names (D-133).
 * The credential's contexts are nobody's signature: a holder may add one by which a nickname is called a degree. Names that
 * the query's contexts do not define are left to the comparison of names. Throws as `canonize` does.
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
  const asked = { ...Object(withoutFraming(members)), '@context': [base, ...listOf(contexts)], type: types }
  // what the query's contexts do not define is dropped from the one, and cannot be in the other
  const [wanted] = await expand(asked, options, { safe: false })
  const [stated] = await expand(document, options)
  return states(wanted, stated)
}
