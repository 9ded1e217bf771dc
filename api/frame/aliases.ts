import type { RequestHandler } from 'express'
import { UUID } from '../../protocol/uuid.ts'

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
  [/^\/core\/v1\/(.+)$/, '/v1/$1'],
  [/^\/v1\/linked-dids$/, '/.well-known/did-configuration'],
]

/** UUIDs are in lower case here; in a path they may be in either (RFC 9562, section 4). */
const IDS = new RegExp(`(?<=/)${UUID}(?=/|$)`, 'gi')

/** A parameter of a list without a value: the default counts. */
const ABSENT = /^(?:limit|page)=(?:null)?$/

const present = (query: string): string =>
  query
    .split('&')
    .filter((parameter) => !ABSENT.test(parameter))
    .join('&')

export const aliases: RequestHandler = (request, _response, next) => {
  const [path = '', query] = request.url.split('?', 2)
  const alias = ALIASES.find(([pattern]) => pattern.test(path))
  const ours = (alias ? path.replace(...alias) : path).replace(IDS, (id) => id.toLowerCase())
  request.url = ours + (query === undefined ? '' : `?${present(query)}`)
  next()
}
