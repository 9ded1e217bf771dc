import type { NewProvider } from '../../../activities/openid/providers/lifecycle.ts'
import type { ProviderRecord, PublicSigningJwk } from '../../../activities/openid/providers/records.ts'
import { type ProviderValues, SECRET_MASK } from '../../../protocol/openid/providers.ts'
import type { Count, Uuid } from '../../frame/wire.ts'

/** The issuer of an OpenID provider: an https URL without query and fragment, below which its metadata is. */
export type IssuerUrl = string

/** The client id that the provider gave. */
export type UpstreamClientId = string

/** The client secret that the provider gave. */
export type UpstreamClientSecret = string

/** Scopes of the request, each once, and `openid` among them. */
export type UpstreamScope = string[]

/** Names of claims, each once. */
export type ClaimNames = string[]

/** Names of parameters, each once. */
export type ParameterNames = string[]

/** How the client authenticates at the token endpoint. */
export type UpstreamAuthMethod = string

/**
 * Parameters that every authorization request gets. A value is a text, or an object of texts: one with `Text` alone is that
 * text, another one is sent as JSON.
 */
export interface StaticParameters {
  [name: string]: string | { [name: string]: string }
}

export interface AuthenticationProviderUpdateIn {
  client_id?: UpstreamClientId | null
  /** The mask of an answer, absent and null keep the secret. */
  client_secret?: UpstreamClientSecret | null
  /** Default: openid, profile, email. */
  scope?: UpstreamScope | null
  /** The claims that users keep; of the others nothing is stored. Default: none. */
  claims_to_persist?: ClaimNames | null
  /** Parameters of the holder's request that the provider gets too, such as login_hint. Default: none. */
  forwarded_request_parameters?: ParameterNames | null
  static_request_parameters?: StaticParameters | null
  /** Default: the first of client_secret_basic, client_secret_post, private_key_jwt, none that the provider supports. */
  token_endpoint_auth_method?: UpstreamAuthMethod | null
}

export interface AuthenticationProviderIn extends AuthenticationProviderUpdateIn {
  url?: IssuerUrl | null
  client_id: UpstreamClientId
  /** Required where the client authenticates by client_secret_basic or client_secret_post. */
  client_secret?: UpstreamClientSecret | null
}

export interface UpstreamJwkOut {
  kty: string
  crv: string
  x: string
  y: string
  kid: string
  use: string
  alg: string
}

export interface UpstreamJwksOut {
  keys: UpstreamJwkOut[]
}

export interface AuthenticationProviderOut {
  id: Uuid
  url: string
  client_id: string
  /** A mask where the provider has a secret: nobody reads the secret again. */
  client_secret: string | null
  scope: string[]
  claims_to_persist: string[]
  forwarded_request_parameters: string[]
  static_request_parameters: StaticParameters
  token_endpoint_auth_method: UpstreamAuthMethod
  /** Where the provider sends the holder back to: register it with the provider. */
  redirect_url: string
  /** With private_key_jwt: the public key of the client, to register with the provider. */
  client_jwks?: UpstreamJwksOut
}

export interface AuthenticationProviderPageOut {
  data: AuthenticationProviderOut[]
  limit: Count
  total_count: Count
  total_pages: Count
}

export const valuesOf = (body: AuthenticationProviderUpdateIn): ProviderValues => ({
  clientId: body.client_id ?? undefined,
  clientSecret: body.client_secret ?? undefined,
  scope: body.scope ?? undefined,
  claimsToPersist: body.claims_to_persist ?? undefined,
  forwardedParameters: body.forwarded_request_parameters ?? undefined,
  staticParameters: body.static_request_parameters ?? undefined,
  authMethod: body.token_endpoint_auth_method ?? undefined,
})

export const newProvider = (body: AuthenticationProviderIn): NewProvider => ({
  ...valuesOf(body),
  url: body.url ?? undefined,
  clientId: body.client_id,
})

export const providerToWire = (record: ProviderRecord): AuthenticationProviderOut => ({
  id: record.id,
  url: record.url,
  client_id: record.clientId,
  client_secret: record.hasSecret ? SECRET_MASK : null,
  scope: record.scope,
  claims_to_persist: record.claimsToPersist,
  forwarded_request_parameters: record.forwardedParameters,
  static_request_parameters: record.staticParameters,
  token_endpoint_auth_method: record.authMethod,
  redirect_url: record.redirectUrl,
  ...(record.jwk && { client_jwks: { keys: [record.jwk satisfies PublicSigningJwk] } }),
})

export const PROVIDER: AuthenticationProviderOut = {
  id: 'c7a1f2e4-3b5d-4c6e-8f70-91a2b3c4d5e6',
  url: 'https://login.university.example',
  client_id: 'countersign',
  client_secret: SECRET_MASK,
  scope: ['openid', 'profile', 'email'],
  claims_to_persist: ['email', 'given_name', 'family_name'],
  forwarded_request_parameters: ['login_hint'],
  static_request_parameters: { prompt: 'login' },
  token_endpoint_auth_method: 'client_secret_basic',
  redirect_url: 'https://issuer.example/v1/oauth/authentication/callback',
}
