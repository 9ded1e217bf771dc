import type { Json } from '../../data-integrity/index.ts'
import { isObject, listOf } from '../../json.ts'
import type { CredentialQuery } from './asked.ts'

/** Keywords of a frame about its output (JSON-LD 1.1 Framing, section 2); they are no condition on the credential. */
export const FRAMING = new Set(['@explicit', '@embed', '@requireAll', '@omitDefault', '@omitGraph', '@default'])

/** Names that the credential contexts define for two keywords of frames. */
const ALIASES = new Map([
  ['@id', 'id'],
  ['@type', 'type'],
])

/** Returns the path in the credential where `value` lacks content of `pattern`; undefined if it lacks nothing. */
function lack(pattern: unknown, value: unknown, path: string): string | undefined {
  if (value === undefined || value === null) return path
  if (Array.isArray(pattern)) {
    if (pattern.length === 0) return path // an empty list matches no value
    for (const each of pattern) {
      if (listOf(value).every((member) => lack(each, member, path) !== undefined)) return path
    }
    return undefined
  }
  if (!isObject(pattern)) return listOf(value).includes(pattern) ? undefined : path
  // one node of a list may match: JSON-LD does not distinguish a value from a list of one
  if (Array.isArray(value)) {
    const lacks = value.map((member) => lack(pattern, member, path))
    return lacks.includes(undefined) ? undefined : (lacks[0] ?? path)
  }
  const members = Object.entries(pattern).filter(([name]) => !FRAMING.has(name))
  if (members.length > 0 && !isObject(value)) return path
  for (const [keyword, expected] of members) {
    const name = ALIASES.get(keyword) ?? keyword
    const missing = lack(
      expected,
      isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined,
      `${path}/${name}`,
    )
    if (missing !== undefined) return missing
  }
  return undefined
}

const issuerOf = ({ issuer }: Json): unknown => (isObject(issuer) ? issuer.id : issuer)

/**
 * Whether the credential lacks a context of the query; an inline one must be the same, or names may mean something
 * else.
 */
const contextsLack = (pattern: Json, credential: Json): boolean => {
  const contexts = listOf(credential['@context']).map((context) => JSON.stringify(context))
  return listOf(pattern['@context']).some((context) => !contexts.includes(JSON.stringify(context)))
}

/**
 * Returns why a credential does not match a query; undefined if it may match. It compares names as written, and
 * requires the query's contexts; `meansTheSame` compares the meaning of the names.
 */
export function mismatch({ pattern, trustedIssuers }: CredentialQuery, credential: Json): string | undefined {
  const { '@context': _, ...rest } = pattern
  if (contextsLack(pattern, credential)) return 'it lacks a context of the query'
  const missing = lack(rest, credential, '')
  if (missing !== undefined) return `${missing || '/'} differs from the query`
  const issuer = issuerOf(credential)
  if (trustedIssuers && !trustedIssuers.some((trusted) => trusted === issuer))
    return `its issuer ${String(issuer).slice(0, 200)} is not a trusted issuer of the query`
  return undefined
}
