import type { Json } from '../../data-integrity/index.ts'
import { type FieldError, pointerWithin, within } from '../../errors.ts'
import { isObject, listOf } from '../../json.ts'
import { boundsErrors } from '../bounds.ts'
import { type CredentialQuery, credentialQuery, flatQuery, type Report } from './asked.ts'
import { type DcqlTemplateQuery, dcqlQuery } from './dcql.ts'

export type { DcqlTemplateQuery } from './dcql.ts'

const QUERY_TYPES = ['QueryByExample', 'QueryByFrame', 'DIDAuth', 'DCQL'] as const
export type QueryType = (typeof QUERY_TYPES)[number]

/** A checked query of a template. DIDAuth requires no credential: its lists are empty. */
export interface PresentationQuery {
  type: QueryType
  /** Its path in the request's body, such as `query.0`. */
  path: string
  credentialQuery: CredentialQuery[]
  /** Of DCQL alone: SD-JWT VCs and mobile credentials. */
  dcql?: DcqlTemplateQuery[]
}

const MAX_QUERIES = 10
const MAX_CREDENTIAL_QUERIES = 20
/** Limit of the query's JSON: the signed request contains it and must fit into a link. */
const MAX_CHARACTERS = 16_000

const isQueryType = (name: unknown): name is QueryType => (QUERY_TYPES as readonly unknown[]).includes(name)

function typedQuery(type: QueryType, entry: Json, path: string, report: Report): PresentationQuery {
  const { type: _, credentialQuery: credentials, ...more } = entry
  for (const name of Object.keys(more)) report(within(path, name), 'unknown', 'is not a member of this query')
  if (type === 'DIDAuth') {
    if (credentials !== undefined)
      report(`${path}.credentialQuery`, 'unknown', 'must be absent: DIDAuth requires no credential')
    return { type, path, credentialQuery: [] }
  }
  const list = listOf(credentials)
  if (list.length === 0) report(`${path}.credentialQuery`, 'required', 'must have at least one query')
  if (list.length > MAX_CREDENTIAL_QUERIES)
    report(`${path}.credentialQuery`, 'too_many', `must have at most ${MAX_CREDENTIAL_QUERIES} queries`)
  const kind = type === 'QueryByExample' ? 'example' : 'frame'
  const at = (index: number) => `${path}.credentialQuery${Array.isArray(credentials) ? `.${index}` : ''}`
  const read = list.slice(0, MAX_CREDENTIAL_QUERIES)
  if (type === 'DCQL')
    return {
      type,
      path,
      credentialQuery: [],
      dcql: read.flatMap((each, index) => dcqlQuery(each, at(index), report) ?? []),
    }
  return {
    type,
    path,
    credentialQuery: read.flatMap((each, index) => credentialQuery(each, kind, at(index), report) ?? []),
  }
}

/** Reads an entry of the array form: `{type, credentialQuery}`. */
function entryQuery(entry: unknown, path: string, report: Report): PresentationQuery[] {
  if (!isObject(entry)) report(path, 'object', 'must be an object with a type')
  else if (!isQueryType(entry.type)) report(`${path}.type`, 'enum', `must be one of ${QUERY_TYPES.join(', ')}`)
  else return [typedQuery(entry.type, entry, path, report)]
  return []
}

/**
 * Reads a member of the object form (specification, Presentation template). If its name or its `type` is a query type,
 * it is like an entry of the array; any other is a text example: type, contexts, issuer, claims.
 */
function memberQuery(name: string, entry: unknown, path: string, report: Report): PresentationQuery[] {
  if (!isObject(entry)) {
    report(path, 'object', 'must be an object')
    return []
  }
  const type = isQueryType(name) ? name : entry.type
  const isTyped = isQueryType(type) && (entry.credentialQuery !== undefined || type === 'DIDAuth')
  if (isTyped && entry.type !== undefined && entry.type !== type) report(`${path}.type`, 'enum', `must be ${type}`)
  if (isTyped) return [typedQuery(type, entry, path, report)]
  if (type === 'QueryByFrame' || type === 'DCQL')
    report(`${path}.credentialQuery`, 'required', 'must have at least one query')
  return [{ type: 'QueryByExample', path, credentialQuery: [flatQuery(entry, path, report)] }]
}

/** Reads a template's query in either form. `queries` is valid only if `errors` is empty. */
export function readQuery(query: unknown): { queries: PresentationQuery[]; errors: FieldError[] } {
  const errors: FieldError[] = []
  const report: Report = (path, code, message) => errors.push({ path: path.slice(0, 200), code, message })
  const alone = (path: string, code: string, message: string) => ({ queries: [], errors: [{ path, code, message }] })
  if (typeof query !== 'object' || query === null)
    return alone('query', 'object', 'must be a list or an object of queries')
  const outOfBounds = boundsErrors(query)[0]
  if (outOfBounds) return alone(pointerWithin('query', outOfBounds.path), outOfBounds.code, outOfBounds.message)
  const count = Object.keys(query).length
  if (count === 0) return alone('query', 'required', 'must have at least one query')
  if (count > MAX_QUERIES) return alone('query', 'too_many', `must have at most ${MAX_QUERIES} queries`)
  if (JSON.stringify(query).length > MAX_CHARACTERS)
    return alone('query', 'too_large', `must have at most ${MAX_CHARACTERS} characters of JSON`)
  const queries = Array.isArray(query)
    ? query.flatMap((entry, index) => entryQuery(entry, `query.${index}`, report))
    : Object.entries(query).flatMap(([name, entry]) => memberQuery(name, entry, within('query', name), report))
  return { queries, errors }
}
