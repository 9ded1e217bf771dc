import { within } from '../../errors.ts'
import { isObject, listOf } from '../../json.ts'
import type { Report } from './asked.ts'

/** The query for one mobile credential, in the words of DCQL (OpenID4VP 1.0, section 6.1 and appendix B.2.3). */
export interface MdocQuery {
  /** Its path in the request's body, such as `query.0.credentialQuery.1`. */
  path: string
  /** false: an answer without such a credential is valid too. */
  required: boolean
  docType: string
  elements: { namespace: string; element: string; values?: (string | number | boolean)[] }[]
}

const MAX_ELEMENTS = 100
const MAX_VALUES = 20

const isName = (value: unknown): value is string => typeof value === 'string' && /^[\x21-\x7e]{1,255}$/.test(value)

/** OpenID4VP 1.0, section 6.3: strings, integers and booleans. */
const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'number' ? Number.isSafeInteger(value) : ['string', 'boolean'].includes(typeof value)

function elementOf(claim: unknown, path: string, report: Report): MdocQuery['elements'] {
  if (!isObject(claim)) {
    report(path, 'object', 'must be an object with the path of an element')
    return []
  }
  const { path: steps, values, ...more } = claim
  for (const name of Object.keys(more)) report(within(path, name), 'unknown', 'is not a member of this query')
  const [namespace, element, ...further] = listOf(steps)
  if (!isName(namespace) || !isName(element) || further.length > 0) {
    report(`${path}.path`, 'path', 'must be a list of a namespace and an element')
    return []
  }
  if (values === undefined) return [{ namespace, element }]
  if (!Array.isArray(values) || values.length === 0 || values.length > MAX_VALUES || !values.every(isScalar)) {
    report(`${path}.values`, 'values', `must be a list of 1 to ${MAX_VALUES} texts, whole numbers or booleans`)
    return []
  }
  return [{ namespace, element, values }]
}

/** Reads `{format: 'mso_mdoc', meta: {doctype_value}, claims, required}`. Unknown members are refused. */
export function mdocQuery(entry: unknown, path: string, report: Report): MdocQuery | undefined {
  if (!isObject(entry)) {
    report(path, 'object', 'must be an object')
    return undefined
  }
  const { format, meta, claims, required = true, ...more } = entry
  for (const name of Object.keys(more)) report(within(path, name), 'unknown', 'is not a member of this query')
  if (typeof required !== 'boolean') report(`${path}.required`, 'boolean', 'must be true or false')
  if (format !== 'mso_mdoc')
    report(`${path}.format`, 'enum', 'must be mso_mdoc: QueryByExample asks for credentials of JSON-LD')
  for (const name of isObject(meta) ? Object.keys(meta) : [])
    if (name !== 'doctype_value') report(within(`${path}.meta`, name), 'unknown', 'is not a member of this query')
  const docType = isObject(meta) ? meta.doctype_value : undefined
  if (!isName(docType)) {
    report(`${path}.meta.doctype_value`, 'required', 'must be the document type, such as org.iso.18013.5.1.mDL')
    return undefined
  }
  const list = listOf(claims)
  if (list.length === 0 || list.length > MAX_ELEMENTS) {
    report(`${path}.claims`, 'count', `must be a list of 1 to ${MAX_ELEMENTS} elements`)
    return undefined
  }
  const elements = list.flatMap((claim, at) => elementOf(claim, `${path}.claims.${at}`, report))
  return { path, required: required !== false, docType, elements }
}
