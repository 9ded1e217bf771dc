import type { Json } from '../data-integrity/index.ts'
import type { FieldError } from '../errors.ts'
import { isObject } from '../json.ts'
import { ownMember } from '../names.ts'

/** One claim, from a place in the sources, or a value of its own where there is none (as request_parameters have it). */
export interface MappedClaim {
  map_from?: string
  default_value?: unknown
  /** Without a value for it, nothing is signed. */
  required?: boolean
}

/** A claim that is an object: where each of its members comes from (specification, Credential template). */
export interface MappedPerson {
  address?: string
  authentication_provider?: { subject_id?: string; url?: string }
  family_name?: string
  given_name?: string
}

/** A path alone is short for `{map_from: path}`, as the details response shows mappings. */
export type ClaimMapping = string | MappedClaim | MappedPerson
export type ClaimMappings = Record<string, ClaimMapping>

export interface ClaimSources {
  claims: Json
  authenticationProvider?: { subjectId?: string; url?: string }
  /** The template itself. */
  credentialConfiguration?: object
}

export const RULE_MEMBERS = ['map_from', 'default_value', 'required']
const ROOT =
  /^(claims|authentication_provider|authenticationProvider|credential_configuration|credentialConfiguration)\.(.+)$/s

export const isRule = (mapping: object): mapping is MappedClaim =>
  RULE_MEMBERS.some((member) => Object.hasOwn(mapping, member))

const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** A member whose own name is the whole rest of the path wins: claims of identity providers may be named by a URL. */
function memberAt(value: unknown, path: string): unknown {
  let [current, rest] = [value, path]
  for (;;) {
    if (typeof current !== 'object' || current === null) return undefined
    if (Object.hasOwn(current, rest)) return ownMember(current, rest)
    const dot = rest.indexOf('.')
    if (dot < 0) return undefined
    current = ownMember(current, rest.slice(0, dot))
    rest = rest.slice(dot + 1)
  }
}

/** What stands at a path such as `claims.given_name`; a path without a root is one of the claims. Null is nothing. */
function valueAt(path: string, { claims, authenticationProvider, credentialConfiguration }: ClaimSources): unknown {
  const [, root = 'claims', rest = path] = ROOT.exec(path) ?? []
  const value =
    root === 'claims'
      ? memberAt(claims, rest)
      : memberAt({ authenticationProvider, credentialConfiguration }, `${camel(root)}.${camel(rest)}`)
  return value ?? undefined
}

function objectOf(members: object, sources: ClaimSources): Json | undefined {
  const found = Object.entries(members).flatMap(([name, member]): [string, unknown][] => {
    const value = typeof member === 'string' ? valueAt(member, sources) : objectOf(Object(member), sources)
    return value === undefined ? [] : [[name, value]]
  })
  return found.length > 0 ? Object.fromEntries(found) : undefined
}

const claimOf = (mapping: ClaimMapping, sources: ClaimSources): unknown => {
  if (typeof mapping === 'string') return valueAt(mapping, sources)
  if (!isRule(mapping)) return objectOf(mapping, sources)
  const { map_from, default_value } = mapping
  return (map_from === undefined ? undefined : valueAt(map_from, sources)) ?? default_value ?? undefined
}

/**
 * The subject's claims: those that the mappings name and the sources hold. `claims.id` is the subject's id unless the
 * mappings say otherwise. `missing` names the required ones without a value.
 */
export function mapClaims(mappings: ClaimMappings, sources: ClaimSources): { subject: Json; missing: FieldError[] } {
  const { id } = sources.claims
  const missing: FieldError[] = []
  const mapped = Object.entries(mappings).flatMap(([name, mapping]): [string, unknown][] => {
    const value = claimOf(mapping, sources)
    if (value !== undefined) return [[name, value]]
    if (isObject(mapping) && mapping.required === true)
      missing.push({
        path: typeof mapping.map_from === 'string' ? mapping.map_from : name,
        code: 'credential_template.claim_required',
        message: `the template needs it for ${name}`,
      })
    return []
  })
  return { subject: Object.fromEntries([...(id === undefined || id === null ? [] : [['id', id]]), ...mapped]), missing }
}

/** Mappings as one map from claim to path: members of object claims stand behind a dot. */
export function flattenMappings(mappings: object, prefix = ''): Record<string, string> {
  return Object.fromEntries(
    Object.entries(mappings).flatMap(([name, mapping]): [string, string][] => {
      if (typeof mapping === 'string') return [[`${prefix}${name}`, mapping]]
      if (!isObject(mapping)) return []
      if (!isRule(mapping)) return Object.entries(flattenMappings(mapping, `${prefix}${name}.`))
      return typeof mapping.map_from === 'string' ? [[`${prefix}${name}`, mapping.map_from]] : []
    }),
  )
}
