import { MAX_PATH, pathFault } from '../../credentials/claim-paths.ts'
import { type FieldError, within } from '../../errors.ts'
import { isObject } from '../../json.ts'
import { isReservedStep } from '../../names.ts'
import { type ClaimMappings, isRule, RULE_MEMBERS } from './claims.ts'

const MAX_CLAIMS = 200
const PERSON_MEMBERS = ['address', 'authentication_provider', 'family_name', 'given_name']
const PROVIDER_MEMBERS = ['subject_id', 'url']

const error = (path: string, code: string, message: string): FieldError => ({
  path,
  code: `credential_template.${code}`,
  message,
})

/** Names become JSON-LD terms or IRIs of the credential; a keyword would change its meaning. */
const isClaimName = (name: string) => name.length <= 255 && /^(?!@)\S/.test(name) && name === name.trim()

const reserved = (at: string): FieldError =>
  error(at, 'unsafe_name', 'expected no reserved name, such as constructor, toString or call')

function pathErrors(at: string, path: unknown): FieldError[] {
  const fault = pathFault(path)
  if (fault === 'form')
    return [error(at, 'claim_path', `expected a path such as claims.given_name, at most ${MAX_PATH} characters`)]
  return fault === 'reserved' ? [reserved(at)] : []
}

/** Errors of the members of an object claim. */
function memberErrors(at: string, members: unknown, known: string[]): FieldError[] {
  const entries = Object.entries(isObject(members) ? members : {})
  if (entries.length === 0) return [error(at, 'claim_mapping', `expected an object of ${known.join(', ')}`)]
  return entries.flatMap(([name, member]) => {
    const here = within(at, name.slice(0, 255))
    if (!known.includes(name)) return [error(here, 'claim_mapping', `expected one of ${known.join(', ')}`)]
    return name === 'authentication_provider' ? memberErrors(here, member, PROVIDER_MEMBERS) : pathErrors(here, member)
  })
}

function oneErrors(at: string, mapping: unknown): FieldError[] {
  if (typeof mapping === 'string') return pathErrors(at, mapping)
  if (!isObject(mapping) || !isRule(mapping)) return memberErrors(at, mapping, PERSON_MEMBERS)
  const { map_from, default_value, required } = mapping
  const foreign = Object.keys(mapping).find((name) => !RULE_MEMBERS.includes(name))
  if (foreign !== undefined)
    return [
      error(within(at, foreign.slice(0, 255)), 'claim_mapping', `cannot be combined with ${RULE_MEMBERS.join(', ')}`),
    ]
  if (required !== undefined && typeof required !== 'boolean')
    return [error(`${at}.required`, 'claim_mapping', 'expected true or false')]
  if (map_from === undefined && (default_value === undefined || default_value === null))
    return [error(at, 'claim_mapping', 'expected map_from, default_value or both')]
  return map_from === undefined ? [] : pathErrors(`${at}.map_from`, map_from)
}

/**
 * Returns every breach of the rules of claim mappings (specification, Credential template), with its path in the
 * template. It checks every type: the generated schema accepts any value for a claim named `valueOf`.
 */
export function mappingErrors(mappings: ClaimMappings): FieldError[] {
  const entries = Object.entries(mappings)
  if (entries.length > MAX_CLAIMS) return [error('claimMappings', 'too_many', `expected at most ${MAX_CLAIMS} claims`)]
  return entries.flatMap(([name, mapping]) => {
    const at = within('claimMappings', name.slice(0, 255))
    if (!isClaimName(name)) return [error(at, 'claim_name', 'expected 1 to 255 characters, not beginning with @')]
    return [...oneErrors(at, mapping), ...(isReservedStep(name) ? [reserved(at)] : [])]
  })
}
