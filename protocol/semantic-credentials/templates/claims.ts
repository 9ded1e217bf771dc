import { type ClaimRoots, memberAt, valueAt } from '../../credentials/claim-paths.ts'
import type { Json } from '../../data-integrity/index.ts'
import { type FieldError, within } from '../../errors.ts'
import { isObject } from '../../json.ts'

/** One claim: a path into the sources, and a default value (as in request_parameters). */
export interface MappedClaim {
  map_from?: string
  default_value?: unknown
  /** true: without a value, or with an empty one, nothing is signed. */
  required?: boolean
}

/** A claim that is an object, with the source of each member (specification, Credential template). */
export interface MappedPerson {
  address?: string
  authentication_provider?: { subject_id?: string; url?: string }
  family_name?: string
  given_name?: string
}

/** A path alone is short for `{map_from: path}`, as the details response shows mappings. */
export type ClaimMapping = string | MappedClaim | MappedPerson
export type ClaimMappings = Record<string, ClaimMapping>

export const RULE_MEMBERS = ['map_from', 'default_value', 'required']

export const isRule = (mapping: object): mapping is MappedClaim =>
  RULE_MEMBERS.some((member) => Object.hasOwn(mapping, member))

/** Whether claims have a value at a path below `claims`. */
export const hasClaim = (claims: Json, path: string): boolean => (memberAt(claims, path) ?? null) !== null

function objectOf(members: object, sources: ClaimRoots): Json | undefined {
  const entries = Object.entries(members).flatMap(([name, member]): [string, unknown][] => {
    const value = typeof member === 'string' ? valueAt(member, sources) : objectOf(Object(member), sources)
    return value === undefined ? [] : [[name, value]]
  })
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}

/** An empty text, also one of white space, an empty list and an empty object say nothing (D-268). */
const isEmpty = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.trim() === ''
    : typeof value === 'object' && value !== null && Object.keys(value).length === 0

const claimOf = (mapping: ClaimMapping, sources: ClaimRoots): unknown => {
  if (typeof mapping === 'string') return valueAt(mapping, sources)
  if (!isRule(mapping)) return objectOf(mapping, sources)
  const { map_from, default_value, required } = mapping
  const values = [map_from === undefined ? undefined : valueAt(map_from, sources), default_value ?? undefined]
  return values.find((value) => value !== undefined && !(required === true && isEmpty(value)))
}

/**
 * Returns the subject's claims: those of the mappings that the sources have. `claims.id` is the subject's id unless a
 * mapping sets it. `missing` has an error for each required claim without a value.
 */
export function mapClaims(mappings: ClaimMappings, sources: ClaimRoots): { subject: Json; missing: FieldError[] } {
  const { id } = sources.claims
  const missing: FieldError[] = []
  const mapped = Object.entries(mappings).flatMap(([name, mapping]): [string, unknown][] => {
    const value = claimOf(mapping, sources)
    if (value !== undefined) return [[name, value]]
    if (isObject(mapping) && mapping.required === true)
      missing.push({
        path: typeof mapping.map_from === 'string' ? mapping.map_from : within('claims', name),
        code: 'credential_template.claim_required',
        message: `required: the template needs it for the claim ${name}`,
      })
    return []
  })
  return { subject: Object.fromEntries([...(id === undefined || id === null ? [] : [['id', id]]), ...mapped]), missing }
}

/** Returns mappings as one map from claim to path: members of object claims are named claim.member. */
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
