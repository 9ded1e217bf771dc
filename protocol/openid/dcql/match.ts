import { isObject } from '../../json.ts'
import { ownMember } from '../../names.ts'
import { type ClaimPath, type DcqlAuthorities, type DcqlClaim, type DcqlCredential, shownPath } from './query.ts'

/** What a presented credential is, as its verification found it. */
export interface CredentialFacts {
  /** `vct` with `aka_vcts`; the document type; the types as IRIs. */
  types: readonly string[]
  /** What paths lead into: claims, namespaces, or the credential. */
  document: unknown
  /** Key identifiers of the authorities that its certificates name, in base64url. */
  authorityKeys: readonly string[]
  /** URLs of the tenant's trust lists that have its issuer. */
  trustLists: readonly string[]
}

/**
 * The values that a path selects (OpenID4VP 1.0, section 7.1); none where it leads nowhere. An element that is undefined is not
 * disclosed.
 */
export function selected(document: unknown, path: ClaimPath): unknown[] {
  let values: unknown[] = [document]
  for (const step of path) {
    // one value of another kind ends it all: the standard calls that an error
    const fits = step === null || typeof step === 'number' ? Array.isArray : isObject
    if (!values.every(fits)) return []
    values = values.flatMap((value) => {
      if (step === null) return (value as unknown[]).filter((element) => element !== undefined)
      const member = ownMember(Object(value), String(step))
      return member === undefined ? [] : [member]
    })
  }
  return values
}

type Query = Pick<DcqlCredential, 'format'>

function claimMismatch(query: Query, { path, values }: DcqlClaim, document: unknown): string | undefined {
  const found = selected(document, path)
  if (found.length === 0) return `it does not disclose ${shownPath(query, path)}`
  if (!values || found.some((each) => values.some((value) => value === each))) return undefined
  return `its ${shownPath(query, path)} is another one`
}

function claimsMismatch(query: DcqlCredential, document: unknown): string | undefined {
  const { claims = [], claim_sets: sets } = query
  const mismatchIn = (asked: readonly DcqlClaim[]): string | undefined => {
    for (const claim of asked) {
      const mismatch = claimMismatch(query, claim, document)
      if (mismatch !== undefined) return mismatch
    }
    return undefined
  }
  if (!sets) return mismatchIn(claims)
  const mismatches = sets.map((ids) => mismatchIn(claims.filter(({ id }) => id !== undefined && ids.includes(id))))
  return mismatches.includes(undefined) ? undefined : `no set of claims is complete: ${mismatches[0]}`
}

function typeMismatch(query: DcqlCredential, types: readonly string[]): string | undefined {
  if (query.format === 'mso_mdoc') {
    const { doctype_value: docType } = query.meta
    return types.includes(docType) ? undefined : `it is not of the document type ${docType}`
  }
  if (query.format === 'dc+sd-jwt')
    return query.meta.vct_values.some((type) => types.includes(type)) ? undefined : 'its vct is none of vct_values'
  const isOfTypes = query.meta.type_values.some((list) => list.every((type) => types.includes(type)))
  return isOfTypes ? undefined : 'its types are none of type_values'
}

/** Why a credential does not answer a query (sections 6.1 to 6.4); undefined if it does. */
export function mismatchOf(query: DcqlCredential, facts: CredentialFacts): string | undefined {
  const wrongType = typeMismatch(query, facts.types)
  if (wrongType !== undefined) return wrongType
  const { trusted_authorities: authorities } = query
  const isOf = ({ type, values }: DcqlAuthorities): boolean =>
    values.some((each) => (type === 'aki' ? facts.authorityKeys : facts.trustLists).includes(each))
  if (authorities && !authorities.some(isOf)) return 'its issuer is of none of trusted_authorities'
  return claimsMismatch(query, facts.document)
}
