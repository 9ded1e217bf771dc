import type { RequestHandler } from 'express'
import { ONLY_DOMAIN } from '../../protocol/domains/names.ts'
import { UUID } from '../../protocol/uuid.ts'
import type { FindPath, OpenApi } from './openapi/paths.ts'

/** Paths of the platform that this API follows, each with our path; not in the OpenAPI document. */
const ALIASES: [RegExp, string][] = [
  [/^\/oauth\/token$/, '/v1/auth/token'],
  [/^\/linkeddata\/core\/v1\/convert$/, '/v1/credentials/web-semantic/linkeddata/convert'],
  [/^\/core\/v1\/credentials$/, '/v1/credentials/web-semantic/sign'],
  [/^\/core\/v1\/credentials\/([^/]+\/revocation-status)$/, '/v1/credentials/web-semantic/$1'],
  [/^\/(?:core\/v1|v2)\/revocation-lists\/([^/]+)$/, '/v1/revocation-lists/$1'],
  [/^\/core\/v1\/presentations\/(.+)$/, '/v1/credentials/web-semantic/presentations/$1'],
  [/^\/v[12]\/credentials\/web-semantic\/templates(\/.+)?$/, '/v1/credentials/web-semantic/configurations$1'],
  [/^\/v2\/credentials\/(.+)$/, '/v1/credentials/$1'],
  [/^\/ext\/oidc\/v1\/(.+)$/, '/v1/oidc/$1'],
  [/^\/core\/v1\/users\/authenticationproviders(\/.+)?$/, '/v1/users/authentication-providers$1'],
  [/^\/(?:core\/)?v1\/claimsources(\/.+)?$/, '/v1/claim-sources$1'],
  [/^\/core\/v1\/(.+)$/, '/v1/$1'],
  [/^\/v1\/linked-dids$/, '/.well-known/did-configuration'],
]

const DOMAIN_PATH = '/v1/config/domain'

/** By method, the paths of operations on the tenant's only domain, which have no id (D-491). */
const ONLY_DOMAIN_PATHS: Partial<Record<string, RegExp>> = {
  PUT: /^\/v1\/config\/domain$/,
  DELETE: /^\/v1\/config\/domain$/,
  POST: /^\/v1\/config\/domain\/(?:verify|invalidate)$/,
}

/** UUIDs are in lower case here; in a path they may be in either (RFC 9562, section 4). */
const IDS = new RegExp(`(?<=/)${UUID}(?=/|$)`, 'gi')

/** `limit` and `page` without a value: the default counts (D-234). */
const ABSENT = /^(?:limit|page)=(?:null)?$/

const isEmpty = (parameter: string) => /^\w+=?$/.test(parameter)

const READS = new Set(['GET', 'HEAD'])

/** Names of the query parameters of the list at a path; none where it is no list. */
function parametersOf({ paths }: OpenApi, template: string | undefined): string[] {
  const names = (paths[template ?? '']?.get?.parameters ?? []).map(({ name = '' }) => name)
  return names.includes('limit') ? names : []
}

const withOnlyDomain = (method: string, path: string): string =>
  ONLY_DOMAIN_PATHS[method]?.test(path) ? path.replace(DOMAIN_PATH, `$&/${ONLY_DOMAIN}`) : path

/** Reads paths of the platform that this API follows as ours, and parameters of lists without a value as absent. */
export const aliases =
  (openApi: OpenApi, find: FindPath): RequestHandler =>
  (request, _response, next) => {
    // only the first ? begins the query (RFC 3986 section 3.4)
    const [, path = '', query] = /^([^?]*)(?:\?(.*))?$/s.exec(request.url) ?? []
    const alias = ALIASES.find(([pattern]) => pattern.test(path))
    const ours = (alias ? path.replace(...alias) : path).replace(IDS, (id) => id.toLowerCase())
    request.url = withOnlyDomain(request.method, ours)
    if (query !== undefined) {
      const names = READS.has(request.method) ? parametersOf(openApi, find(request.url)?.template) : []
      // a filter without a value filters nothing (D-318)
      const isAbsent = (parameter: string) =>
        ABSENT.test(parameter) || (isEmpty(parameter) && names.includes(parameter.replace('=', '')))
      const present = query.split('&').filter((parameter) => !isAbsent(parameter))
      request.url += `?${present.join('&')}`
    }
    next()
  }
