import type { Json } from '../../data-integrity/index.ts'
import { isObject, listOf } from '../../json.ts'
import type { CredentialQuery } from './asked.ts'

/** Words of a frame about its output (JSON-LD 1.1 Framing, section 2): they ask nothing of the credential. */
export const FRAMING = new Set(['@explicit', '@embed', '@requireAll', '@omitDefault', '@omitGraph', '@default'])

/** The credential contexts define these names for the two keywords that a frame may use in their place. */
const ALIASES = new Map([
  ['@id', 'id'],
  ['@type', 'type'],
])

/** Where `value` lacks what `pattern` holds, as a path in the credential; undefined when it lacks nothing. */
function lack(pattern: unknown, value: unknown, path: string): string | undefined {
  if (value === undefined || value === null) return path
  if (Array.isArray(pattern)) {
    if (pattern.length === 0) return path // what asks for nothing is answered by nothing
    for (const each of pattern) {
      if (listOf(value).every((member) => lack(each, member, path) !== undefined)) return path
    }
    return undefined
  }
  if (!isObject(pattern)) return listOf(value).includes(pattern) ? undefined : path
  // a node of a list may answer, as JSON-LD takes one value and a list of one alike
  if (Array.isArray(value)) {
    const lacks = value.map((member) => lack(pattern, member, path))
    return lacks.includes(undefined) ? undefined : (lacks[0] ?? path)
  }
  const members = Object.entries(pattern).filter(([name]) => !FRAMING.has(name))
  if (members.length > 0 && !isObject(value)) return path
  for (const [word, expected] of members) {
    const name = ALIASES.get(word) ?? word
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

/** An inline context stands in the credential as it stands in the query, or the names may mean something else. */
const contextsLack = (pattern: Json, credential: Json): boolean => {
  const contexts = listOf(credential['@context']).map((context) => JSON.stringify(context))
  return listOf(pattern['@context']).some((context) => !contexts.includes(JSON.stringify(context)))
}

/**
 * Why a credential is no answer to a query; undefined when it may be one. Names are compared as they are written, and the
 * credential must have the query's contexts; whether the names mean the same in it is asked of `meansTheSame`.
 */
export function mismatch({ pattern, trustedIssuers }: CredentialQuery, credential: Json): string | undefined {
  const { '@context': _, ...rest } = pattern
  if (contextsLack(pattern, credential)) return 'it lacks a context of the query'
  const missing = lack(rest, credential, '')
  if (missing !== undefined) return `${missing || '/'} is not what the query asks for`
  const issuer = issuerOf(credential)
  if (trustedIssuers && !trustedIssuers.some((trusted) => trusted === issuer))
    return `its issuer ${String(issuer).slice(0, 200)} is not one that the query trusts`
  return undefined
}
