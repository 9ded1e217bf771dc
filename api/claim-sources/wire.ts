import type { ClaimSourceInput } from '../../activities/claim-sources/lifecycle.ts'
import type { ClaimSourceRecord } from '../../activities/claim-sources/records.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { Count, Uuid } from '../frame/wire.ts'

/** One line of 1 to 255 characters, for people. */
export type ClaimSourceName = string

/** An https URL: a host name, no IP address, no query, no user info. Port and fragment are dropped. */
export type ClaimSourceUrl = string

/** Path of a value, such as claims.sub. */
export type ParameterPath = string

/** The secret; responses show stars, and the last 5 characters of a longer one. */
export type ClaimSourceSecret = string

/** Name of the header that has the key; default x-api-key. */
export type ApiKeyHeader = string

/** client_secret_basic or client_secret_post. */
export type TokenEndpointAuthMethodName = string

/** An https URL of a token endpoint (RFC 6749, section 3.2). */
export type TokenEndpointUrl = string

/** Any JSON value except null. */
export type DefaultValue = unknown

/** Where a parameter comes from: `map_from`, else `default_value`. */
export interface RequestParameterIn {
  map_from?: ParameterPath | null
  default_value?: DefaultValue
}

/** A key that is sent in a header. */
export interface ApiKeyIn {
  type?: string | null
  value: ClaimSourceSecret
  header?: ApiKeyHeader | null
}

/** A client that gets access tokens by client credentials (RFC 6749, section 4.4). */
export interface OAuthClientCredentialsIn {
  type?: string | null
  client_id: string
  client_secret: ClaimSourceSecret
  token_endpoint: TokenEndpointUrl
  token_endpoint_auth_method?: TokenEndpointAuthMethodName | null
  audience?: string | null
  /** Scopes, separated by spaces. */
  scope?: string | null
}

/** Exactly one of the two. */
export interface ClaimSourceAuthorization {
  ApiKey?: ApiKeyIn | null
  OAuthClientCredentials?: OAuthClientCredentialsIn | null
}

export interface ClaimSourceIn {
  /** How the platform proves itself to the claim source; absent: it does not. */
  authorization?: ClaimSourceAuthorization | null
  name: ClaimSourceName
  /** GET sends the parameters as a query, POST as a JSON body. Default: GET. */
  request_method?: 'GET' | 'POST' | null
  request_parameters: { [name: string]: RequestParameterIn }
  url: ClaimSourceUrl
}

export interface ClaimSourceUpdateIn {
  /** Absent: it stays. null: the platform does not prove itself any more. */
  authorization?: ClaimSourceAuthorization | null
  name: ClaimSourceName
  /** Absent or null: it stays. */
  request_method?: 'GET' | 'POST' | null
  request_parameters: { [name: string]: RequestParameterIn }
  url: ClaimSourceUrl
  /** May repeat the id of the path. */
  id?: string | null
  /** May repeat the org_id of the claim source. */
  org_id?: string | null
}

export interface ApiKeyOut {
  type: 'api-key'
  /** Masked. */
  value: string
  header: string
}

export interface OAuthClientCredentialsOut {
  type: 'oauth-client-credentials'
  client_id: string
  /** Masked. */
  client_secret: string
  token_endpoint: string
  token_endpoint_auth_method: string
  audience?: string
  scope?: string
}

export interface ClaimSourceAuthorizationOut {
  ApiKey?: ApiKeyOut
  OAuthClientCredentials?: OAuthClientCredentialsOut
}

export interface RequestParameterOut {
  map_from?: string
  default_value?: unknown
}

export interface ClaimSourceOut {
  id: Uuid
  /** The tenant. */
  org_id: Uuid
  name: string
  url: string
  request_method: 'GET' | 'POST'
  request_parameters: { [name: string]: RequestParameterOut }
  authorization?: ClaimSourceAuthorizationOut
}

export interface ClaimSourcePageOut {
  data: ClaimSourceOut[]
  limit: Count
  total_count: Count
  total_pages: Count
}

export const toInput = (body: ClaimSourceIn | ClaimSourceUpdateIn): ClaimSourceInput => ({
  name: body.name,
  url: body.url,
  requestMethod: body.request_method ?? null,
  requestParameters: body.request_parameters,
  authorization: body.authorization,
})

/** A body that was read before may be sent again, but not another object's. Throws `claim_source.id_differs`. */
export function checkIds({ id, org_id }: ClaimSourceUpdateIn, path: { id: string; tenantId: string }): void {
  const differs = (given: string | null | undefined, right: string) =>
    typeof given === 'string' && given.toLowerCase() !== right
  const wrong = differs(id, path.id) ? 'id' : differs(org_id, path.tenantId) ? 'org_id' : undefined
  if (wrong === undefined) return
  throw new Refusal('claim_source.id_differs', `${wrong} in the body is that of something else; see errors.`, [
    { path: wrong, code: 'id_differs', message: `expected the ${wrong} of the claim source in the path, or none` },
  ])
}

function authorizationOut({ authorization }: ClaimSourceRecord): ClaimSourceAuthorizationOut | undefined {
  if (!authorization) return undefined
  const { terms, maskedSecret } = authorization
  if (terms.kind === 'ApiKey') return { ApiKey: { type: 'api-key', value: maskedSecret, header: terms.header } }
  const { clientId, tokenEndpoint, method, audience, scope } = terms
  return {
    OAuthClientCredentials: {
      type: 'oauth-client-credentials',
      client_id: clientId,
      client_secret: maskedSecret,
      token_endpoint: tokenEndpoint,
      token_endpoint_auth_method: method,
      ...(audience !== undefined && { audience }),
      ...(scope !== undefined && { scope }),
    },
  }
}

export function claimSourceToWire(record: ClaimSourceRecord): ClaimSourceOut {
  const authorization = authorizationOut(record)
  return {
    id: record.id,
    org_id: record.tenantId,
    name: record.name,
    url: record.url,
    request_method: record.requestMethod,
    request_parameters: record.requestParameters,
    ...(authorization && { authorization }),
  }
}

export const CLAIM_SOURCE: ClaimSourceOut = {
  id: '2c1f6f5e-7f0d-4b8a-9a52-5a4d2b1c0e9f',
  org_id: '5a7d1c0e-93b1-4f27-8a64-0d2f6b7c8e91',
  name: 'Student registry',
  url: 'https://claims.university.example/students',
  request_method: 'POST',
  request_parameters: {
    student_id: { map_from: 'claims.student_id' },
    faculty: { map_from: 'claims.faculty', default_value: 'science' },
  },
  authorization: { ApiKey: { type: 'api-key', value: '**********m1J7x', header: 'x-api-key' } },
}
