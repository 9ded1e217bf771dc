import { isObject, listOf } from '../../json.ts'
import type { CredentialQuery } from '../../semantic-credentials/presentations/asked.ts'
import type { DcqlTemplateQuery, PresentationQuery } from '../../semantic-credentials/presentations/queries.ts'
import type { DcqlClaim, DcqlCredential, DcqlQuery } from '../dcql/query.ts'

/** A credential that a template asks for, under the id that the wallet answers with. */
export type Wanted = { id: string; required: boolean } & (
  | { format: 'ldp_vc'; query: CredentialQuery; within: PresentationQuery }
  | { format: 'dcql'; query: DcqlTemplateQuery }
)

/** The credentials that queries ask for, in their order; DIDAuth asks for none, which OpenID4VP cannot say. */
export function wantedOf(queries: readonly PresentationQuery[]): Wanted[] {
  const wanted = queries.flatMap((within) => [
    ...within.credentialQuery.map((query) => ({ format: 'ldp_vc' as const, query, within })),
    ...(within.dcql ?? []).map((query) => ({ format: 'dcql' as const, query })),
  ])
  return wanted.map((each, at) => ({ id: `credential_${at}`, required: each.query.required, ...each }))
}

const VC_TYPE = 'https://www.w3.org/2018/credentials#VerifiableCredential'

/** The document whose expansion has the types of a query as IRIs. */
export const typesToExpand = ({ pattern }: CredentialQuery): object => ({
  '@context': listOf(pattern['@context']),
  '@type': listOf(pattern.type),
})

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** OpenID4VP 1.0, section 6.3: texts, integers and booleans. Others are compared with the example afterwards. */
const isDcqlValue = (value: string | number | boolean): boolean =>
  typeof value === 'number' ? Number.isSafeInteger(value) : value !== ''

const MAX_CLAIM_DEPTH = 8

/** The claims that an example names, as paths into the credential. */
function claimsOf(pattern: unknown, path: string[]): DcqlClaim[] {
  if (isScalar(pattern)) return [isDcqlValue(pattern) ? { path, values: [pattern] } : { path }]
  if (!isObject(pattern)) return [{ path }]
  const members = Object.entries(pattern).filter(([name]) => !name.startsWith('@') && name !== 'type')
  if (members.length === 0 || path.length >= MAX_CLAIM_DEPTH) return [{ path }]
  return members.flatMap(([name, member]) => claimsOf(member, [...path, name]))
}

function subjectClaims({ pattern }: CredentialQuery): DcqlClaim[] {
  const { credentialSubject: subject } = pattern
  if (!isObject(subject) || Object.keys(subject).length === 0) return []
  return claimsOf(subject, ['credentialSubject'])
}

/** DCQL's own queries; which issuers a template trusts it has no words for, so that the verification compares them. */
function ofDcql(id: string, query: DcqlTemplateQuery): DcqlCredential {
  const { format } = query
  if (format === 'dc+sd-jwt') {
    const claims = query.claims.map(({ path, values }) => ({ path: [...path], ...(values && { values: [...values] }) }))
    return { id, format, meta: { vct_values: [...query.vcts] }, ...(claims.length > 0 && { claims }) }
  }
  const claims = query.elements.map(({ namespace, element, values }) => ({
    path: [namespace, element],
    intent_to_retain: false,
    ...(values && { values: [...values] }),
  }))
  return { id, format, meta: { doctype_value: query.docType }, ...(claims.length > 0 && { claims }) }
}

function credentialOf(wanted: Wanted, typesOf: (id: string) => readonly string[]): DcqlCredential {
  const { id, format } = wanted
  if (format === 'dcql') return ofDcql(id, wanted.query)
  const types = typesOf(id)
  const claims = subjectClaims(wanted.query)
  const meta = { type_values: [[...new Set([VC_TYPE, ...types])]] }
  return { id, format, meta, ...(claims.length > 0 && { claims }) }
}

/** What a wallet is asked for. `typesOf`: the types of a wanted credential, as IRIs; those that are none are not asked for. */
export function dcqlOf(wanted: readonly Wanted[], typesOf: (id: string) => readonly string[] = () => []): DcqlQuery {
  const credentials = wanted.map((each) => credentialOf(each, typesOf))
  if (wanted.every(({ required }) => required)) return { credentials }
  return { credentials, credential_sets: wanted.map(({ id, required }) => ({ options: [[id]], required })) }
}

/** What a template says of the credentials beyond DCQL, by the ids of the request. */
export const rulesOf = (wanted: readonly Wanted[]) => ({
  /** The query that stands behind a wanted credential of JSON-LD, which has to match it. */
  exampleOf(id: string): PresentationQuery | undefined {
    const found = wanted.find((each) => each.id === id)
    if (found?.format !== 'ldp_vc') return undefined
    return { ...found.within, credentialQuery: [{ ...found.query, required: true }] }
  },
  /** The issuers of a wanted SD-JWT VC; undefined: any. */
  trustedIssuersOf(id: string): readonly string[] | undefined {
    const found = wanted.find((each) => each.id === id)
    return found?.format === 'dcql' && found.query.format === 'dc+sd-jwt' ? found.query.trustedIssuers : undefined
  },
})
