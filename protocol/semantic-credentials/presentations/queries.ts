import type { Json } from '../../data-integrity/index.ts'
import type { FieldError } from '../../errors.ts'
import { isObject, listOf } from '../../json.ts'
import { boundsErrors } from '../bounds.ts'
import { type CredentialQuery, credentialQuery, flatQuery, type Report } from './asked.ts'

const QUERY_TYPES = ['QueryByExample', 'QueryByFrame', 'DIDAuth'] as const
export type QueryType = (typeof QUERY_TYPES)[number]

/** One query of a template, read and checked. DIDAuth asks for no credential: its list is empty. */
export interface PresentationQuery {
  type: QueryType
  /** Where it stands in the request's body, such as `query.0`. */
  path: string
  credentialQuery: CredentialQuery[]
}

const MAX_QUERIES = 10
const MAX_CREDENTIAL_QUERIES = 20
/** The signed request carries the query, and has to fit into a link. */
const MAX_CHARACTERS = 16_000

const isQueryType = (name: unknown): name is QueryType => (QUERY_TYPES as readonly unknown[]).includes(name)

function typedQuery(type: QueryType, entry: Json, path: string, report: Report): PresentationQuery {
  const { type: _, credentialQuery: asked, ...more } = entry
  for (const name of Object.keys(more)) report(`${path}.${name}`, 'unknown', 'is nothing that this query can ask for')
  if (type === 'DIDAuth') {
    if (asked !== undefined) report(`${path}.credentialQuery`, 'unknown', 'DIDAuth asks for no credential')
    return { type, path, credentialQuery: [] }
  }
  const list = listOf(asked)
  if (list.length === 0) report(`${path}.credentialQuery`, 'required', 'must hold at least one query')
  if (list.length > MAX_CREDENTIAL_QUERIES)
    report(`${path}.credentialQuery`, 'too_many', `at most ${MAX_CREDENTIAL_QUERIES} queries`)
  const wanted = type === 'QueryByExample' ? 'example' : 'frame'
  const at = (index: number) => `${path}.credentialQuery${Array.isArray(asked) ? `.${index}` : ''}`
  return {
    type,
    path,
    credentialQuery: list
      .slice(0, MAX_CREDENTIAL_QUERIES)
      .flatMap((each, index) => credentialQuery(each, wanted, at(index), report) ?? []),
  }
}

/** An entry of the array form: `{type, credentialQuery}`. */
function listed(entry: unknown, path: string, report: Report): PresentationQuery[] {
  if (!isObject(entry)) report(path, 'object', 'must be an object with a type')
  else if (!isQueryType(entry.type)) report(`${path}.type`, 'enum', `must be one of ${QUERY_TYPES.join(', ')}`)
  else return [typedQuery(entry.type, entry, path, report)]
  return []
}

/**
 * A member of the object form (specification, Presentation template). Under the name of a query type, or with one as
 * `type`, it is what an entry of the array is; any other one is an example in texts: type, contexts, issuer, claims.
 */
function named(name: string, entry: unknown, path: string, report: Report): PresentationQuery[] {
  if (!isObject(entry)) {
    report(path, 'object', 'must be an object')
    return []
  }
  const type = isQueryType(name) ? name : entry.type
  const isTyped = isQueryType(type) && (entry.credentialQuery !== undefined || type === 'DIDAuth')
  if (isTyped && entry.type !== undefined && entry.type !== type) report(`${path}.type`, 'enum', `must be ${type}`)
  if (isTyped) return [typedQuery(type, entry, path, report)]
  if (type === 'QueryByFrame') report(`${path}.credentialQuery`, 'required', 'must hold at least one query')
  return [{ type: 'QueryByExample', path, credentialQuery: [flatQuery(entry, path, report)] }]
}

/** Reads a template's query in either form. `queries` is worth something only while `errors` is empty. */
export function readQuery(query: unknown): { queries: PresentationQuery[]; errors: FieldError[] } {
  const errors: FieldError[] = []
  const report: Report = (path, code, message) => errors.push({ path: path.slice(0, 200), code, message })
  const alone = (path: string, code: string, message: string) => ({ queries: [], errors: [{ path, code, message }] })
  if (typeof query !== 'object' || query === null)
    return alone('query', 'object', 'must be a list or an object of queries')
  const outOfBounds = boundsErrors(query)[0]
  if (outOfBounds) return alone(`query${outOfBounds.path.replaceAll('/', '.')}`, outOfBounds.code, outOfBounds.message)
  const count = Object.keys(query).length
  if (count === 0) return alone('query', 'required', 'must hold at least one query')
  if (count > MAX_QUERIES) return alone('query', 'too_many', `at most ${MAX_QUERIES} queries`)
  if (JSON.stringify(query).length > MAX_CHARACTERS)
    return alone('query', 'too_large', `at most ${MAX_CHARACTERS} characters of JSON`)
  const queries = Array.isArray(query)
    ? query.flatMap((entry, index) => listed(entry, `query.${index}`, report))
    : Object.entries(query).flatMap(([name, entry]) => named(name, entry, `query.${name}`, report))
  return { queries, errors }
}
