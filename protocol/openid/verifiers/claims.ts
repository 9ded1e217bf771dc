import { isObject, type Json, listOf } from '../../json.ts'
import { ownMember } from '../../names.ts'
import type { SdJwtQuery } from '../../semantic-credentials/presentations/sd-jwts.ts'
import type { Wanted } from './dcql.ts'
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

/** Where an expanded node states more of itself: of its keywords, `@graph`, `@included` and `@reverse` are of others. */
const CONTAINERS: ReadonlySet<string> = new Set(['@list', '@set'])

/** Whether a node below the subject is a part of it: one with an id is a thing or a person of its own (D-1203). */
const isPart = (node: Json, subject: string): boolean => node['@id'] === undefined || node['@id'] === subject

/** The values of a property, in the node of a subject and in its parts. */
function below(node: unknown, subject: string, property: string): unknown[] {
  if (Array.isArray(node)) return node.flatMap((each) => below(each, subject, property))
  if (!isObject(node) || !isPart(node, subject)) return []
  const here = plain(ownMember(node, property))
  if (here.length > 0) return here
  return Object.entries(node).flatMap(([name, member]) =>
    name.startsWith('@') && !CONTAINERS.has(name) ? [] : below(member, subject, property),
  )
}

/** What a credential of JSON-LD, expanded, says of its holder under a property: of the subject, else of itself. */
export function statedInJsonLd(expanded: unknown, holder: string, property: string): unknown[] {
  return listOf(expanded).flatMap((credential) => {
    if (!isObject(credential)) return []
    const subjects = listOf(ownMember(credential, SUBJECT)).filter((node) => isObject(node) && node['@id'] === holder)
    const found = below(subjects, holder, property)
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

/** Whether a template asks an SD-JWT VC for a claim: for itself, for what it stands in, or for all of its elements. */
function asksFor(name: string, { claims }: SdJwtQuery): boolean {
  // a name with colon is an IRI, and where the template asks for no claims it is none of this credential
  if (claims.length === 0) return !name.includes(':')
  const names = [[name], name.split('/')]
  return claims.some(({ path }) => {
    const steps = path.slice(0, path.findLastIndex((step) => typeof step === 'string') + 1)
    return names.some((each) => steps.length <= each.length && steps.every((step, at) => step === each[at]))
  })
}

/** Whether a credential of the template may state what a mapping names. */
function mayState(name: string, wanted: Wanted): boolean {
  if (wanted.format === 'ldp_vc') return name.includes(':')
  const { query } = wanted
  if (query.format === 'dc+sd-jwt') return asksFor(name, query)
  return query.elements.some(({ namespace, element }) => name === `${namespace}/${element}`)
}

/** Mobile credentials are of the tenant's IACAs. */
const namesIssuers = ({ query }: Wanted): boolean => 'docType' in query || query.trustedIssuers !== undefined

/**
 * The ids of the credentials that a mapped claim is taken from (D-833): those that the template asks for it; of several, where
 * one has trusted issuers, those with such alone. Otherwise a holder could leave out the one that was meant, and state the same
 * by another one, of any issuer. What one of JSON-LD may state is not known before, so that these do not exclude one another.
 */
export function statersOf(name: string, wanted: readonly Wanted[]): ReadonlySet<string> {
  const staters = wanted.filter((each) => mayState(name, each))
  const trusted = staters.filter(namesIssuers)
  const isExcluded = (each: Wanted) =>
    !namesIssuers(each) && trusted.some(({ format }) => format === 'dcql' || each.format === 'dcql')
  return new Set(staters.filter((each) => !isExcluded(each)).map(({ id }) => id))
}

/** The claims of a person. One that no credential states is left out; several values are a list. */
export function mappedClaims(
  mappings: readonly ClaimMapping[],
  credentials: readonly { id: string; stated: Stated }[],
  wanted: readonly Wanted[],
): Record<string, unknown> {
  const claims = mappings.flatMap(({ jsonLdFqn, oidcClaim }): [string, unknown][] => {
    const staters = statersOf(jsonLdFqn, wanted)
    const values = credentials.flatMap(({ id, stated }) => (staters.has(id) ? stated(jsonLdFqn) : []))
    if (values.length === 0) return []
    return [[oidcClaim, values.length === 1 ? values[0] : values]]
  })
  return Object.fromEntries(claims)
}
