import type { Json } from '../../json.ts'
import type { Report } from './asked.ts'
import { claimsIn, isRequired, onlyMembers, type Scalar, typeIn } from './dcql.parts.ts'

/** The query for one mobile credential, in the words of DCQL (OpenID4VP 1.0, section 6.1 and appendix B.2.3). */
export interface MdocQuery {
  format: 'mso_mdoc'
  /** Its path in the request's body, such as `query.0.credentialQuery.1`. */
  path: string
  /** false: an answer without such a credential is valid too. */
  required: boolean
  docType: string
  elements: { namespace: string; element: string; values?: Scalar[] }[]
}

const isName = (value: unknown): value is string => typeof value === 'string' && /^[\x21-\x7e]{1,255}$/.test(value)

/** Reads `{format: 'mso_mdoc', meta: {doctype_value}, claims, required}`. Unknown members are refused. */
export function mdocQuery(entry: Json, path: string, report: Report): MdocQuery | undefined {
  onlyMembers(entry, ['format', 'meta', 'claims', 'required'], path, report)
  const required = isRequired(entry.required, path, report)
  const docType = typeIn(entry.meta, 'doctype_value', path, report)
  if (!isName(docType)) {
    report(`${path}.meta.doctype_value`, 'required', 'must be the document type, such as org.iso.18013.5.1.mDL')
    return undefined
  }
  const claims = claimsIn(entry.claims, path, report, ([namespace, element, ...further], at) => {
    if (isName(namespace) && isName(element) && further.length === 0) return { namespace, element }
    report(at, 'path', 'must be a list of a namespace and an element')
    return undefined
  })
  const elements = claims.map(({ steps, values }) => ({ ...steps, ...(values && { values }) }))
  return { format: 'mso_mdoc', path, required, docType, elements }
}
