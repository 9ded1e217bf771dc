import { isObject, listOf } from '../../json.ts'
import { ownMember } from '../../names.ts'
import type { ClaimMapping } from './values.ts'

const SUBJECT = 'https://www.w3.org/2018/credentials#credentialSubject'

/** The values that expanded JSON-LD has for a property, as plain JSON; nodes without a value of their own are left out. */
function plain(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(plain)
  if (!isObject(value)) return []
  if ('@value' in value) return [value['@value']]
  if ('@list' in value) return plain(value['@list'])
  if ('@set' in value) return plain(value['@set'])
  const { '@id': id, ...members } = value
  return typeof id === 'string' && Object.keys(members).length === 0 ? [id] : []
}

/** The values of a property, in a node and in the nodes below it. */
function below(node: unknown, property: string): unknown[] {
  if (Array.isArray(node)) return node.flatMap((each) => below(each, property))
  if (!isObject(node)) return []
  const here = plain(ownMember(node, property))
  return here.length > 0 ? here : Object.values(node).flatMap((member) => below(member, property))
}

/** What a credential of JSON-LD, expanded, says of its holder under a property: of the subject, else of itself. */
export function statedInJsonLd(expanded: unknown, holder: string, property: string): unknown[] {
  return listOf(expanded).flatMap((credential) => {
    if (!isObject(credential)) return []
    const subjects = listOf(ownMember(credential, SUBJECT)).filter((node) => isObject(node) && node['@id'] === holder)
    const found = below(subjects, property)
    return found.length > 0 || property === SUBJECT ? found : plain(ownMember(credential, property))
  })
}

/** The value of `<namespace>/<element>` in an mdoc. */
export function statedInMdoc(namespaces: Record<string, Record<string, unknown>>, name: string): unknown[] {
  const cut = name.lastIndexOf('/')
  const elements = ownMember(namespaces, name.slice(0, cut))
  const value = isObject(elements) ? ownMember(elements, name.slice(cut + 1)) : undefined
  return value === undefined || value === null ? [] : [value]
}

/**
 * The value of a claim in an SD-JWT VC, by its name, which may be an IRI, or by the names that lead to it with slashes
 * between them.
 */
export function statedInClaims(claims: object, name: string): unknown[] {
  const stepped = (): unknown =>
    name.split('/').reduce<unknown>((at, step) => (isObject(at) ? ownMember(at, step) : undefined), claims)
  const value = ownMember(claims, name) ?? stepped()
  return value === undefined || value === null ? [] : [value]
}

/** What a presented credential says under a name of the mappings. */
export type Stated = (name: string) => unknown[]

/** The claims of a person. One that no credential states is left out; several values are a list. */
export function mappedClaims(
  mappings: readonly ClaimMapping[],
  credentials: readonly Stated[],
): Record<string, unknown> {
  const claims = mappings.flatMap(({ jsonLdFqn, oidcClaim }): [string, unknown][] => {
    const values = credentials.flatMap((stated) => stated(jsonLdFqn))
    if (values.length === 0) return []
    return [[oidcClaim, values.length === 1 ? values[0] : values]]
  })
  return Object.fromEntries(claims)
}
