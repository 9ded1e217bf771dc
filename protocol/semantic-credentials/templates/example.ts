import type { Json } from '../../data-integrity/index.ts'
import { type FieldError, within } from '../../errors.ts'
import { isObject, listOf, referenceToken } from '../../json.ts'
import { type ClaimMapping, flattenMappings, isRule, mapClaims } from './claims.ts'
import { payloadOf, type TemplateDefinition } from './index.ts'

const ISSUER = 'did:example:issuer'
const SUBJECT = 'did:example:subject'

/** Paths to the template itself, whose values never change. */
const isConstant = (path: string): boolean => /^credential(_c|C)onfiguration\./.test(path)

/**
 * An object without members stands for a claim whose value is not known: JSON-LD accepts it for each term that a
 * context defines, whatever type or container the term has, but not for an alias of `@type` or `@id`.
 */
function exampleOf(mapping: ClaimMapping): unknown {
  if (typeof mapping === 'string' || isRule(mapping)) return {}
  return Object.fromEntries(Object.entries(mapping).map(([name, member]) => [name, exampleOf(member)]))
}

/** A credential as the template makes it, to run the checks of signing on. */
export interface TemplateExample {
  payload: Json
  /** The same without the claims whose values are examples. */
  constant: Json
  /** Faults that need no credential. */
  errors: FieldError[]
}

/** Returns an example of the template's credentials: constants are as they are, each other claim is an empty object. */
export function exampleCredential(definition: TemplateDefinition, now: Date): TemplateExample {
  const mappings = definition.claimMappings ?? {}
  const { subject } = mapClaims(mappings, { claims: { id: SUBJECT }, credentialConfiguration: definition })
  const errors: FieldError[] = []
  const examples = Object.entries(mappings).flatMap(([name, mapping]): [string, unknown][] => {
    if (Object.hasOwn(subject, name)) return []
    const paths = Object.values(flattenMappings({ [name]: mapping }))
    if (!paths.every(isConstant)) return [[name, exampleOf(mapping)]]
    if (isObject(mapping) && mapping.required === true)
      errors.push({
        path: `claimMappings.${name}.map_from`,
        code: 'credential_template.claim_required',
        message: 'expected a path to a value: the claim is required, and the template has no value at this path',
      })
    return []
  })
  const made = payloadOf(definition, ISSUER, subject, now)
  // as in the signed credential, so that places are the same
  const types = listOf(made.type).filter((type) => type !== 'VerifiableCredential')
  const constant = { ...made, type: ['VerifiableCredential', ...types] }
  const credentialSubject = { ...subject, ...Object.fromEntries(examples) }
  return { payload: { ...constant, credentialSubject }, constant, errors }
}

const steps = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))

/** The payload of a template has a list of contexts, also where the template has one context. */
const placeIn = ({ contexts }: TemplateDefinition, index: string): string[] => (Array.isArray(contexts) ? [index] : [])

/** Returns the member of a template that made a place of its example. */
function memberOf(pointer: string, { type }: Json, definition: TemplateDefinition): string {
  const [first = '', second, ...rest] = steps(pointer)
  if (first === '@context')
    return within('contexts', ...(second === undefined ? [] : placeIn(definition, second)), ...rest)
  if (first === 'type') {
    const index = definition.additionalTypes.indexOf(String(listOf(type)[Number(second)]))
    return index < 0 ? 'type' : `additionalTypes.${index}`
  }
  if (first === 'credentialSubject') return second === undefined ? 'claimMappings' : `claimMappings.${second}`
  if (/^(expirationDate|issuanceDate|valid(From|Until))$/.test(first)) return 'expiresIn'
  return within(first, ...(second === undefined ? [] : [second]), ...rest)
}

/** Returns errors about an example as errors about its template. */
export const templateFaults = (errors: FieldError[], payload: Json, definition: TemplateDefinition): FieldError[] =>
  errors.map(({ path, code, message }) => ({
    path: memberOf(path, payload, definition),
    code: code.replace(/^credential\./, 'credential_template.'),
    message,
  }))

/** Returns the example without the types and claims at these places; undefined for another place. */
export function withoutPlaces(payload: Json, errors: FieldError[]): Json | undefined {
  const types = listOf(payload.type)
  const subject = isObject(payload.credentialSubject) ? payload.credentialSubject : {}
  const isAt = (place: string) => errors.some(({ path }) => path === place || path.startsWith(`${place}/`))
  const type = types.filter((_, index) => !isAt(`/type/${index}`))
  const claims = Object.entries(subject).filter(([name]) => !isAt(`/credentialSubject/${referenceToken(name)}`))
  if (type.length === types.length && claims.length === Object.keys(subject).length) return undefined
  return { ...payload, type, credentialSubject: Object.fromEntries(claims) }
}
