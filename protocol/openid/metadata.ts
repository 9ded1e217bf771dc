import { Refusal } from '../errors.ts'
import { AUTH_METHODS, type AuthMethod } from './providers.ts'

/** Members of a provider's metadata that we read (OpenID Connect Discovery 1.0, section 3; RFC 8414; RFC 9207). */
export interface ProviderMetadata {
  issuer: string
  authorization_endpoint?: unknown
  token_endpoint?: unknown
  jwks_uri?: unknown
  userinfo_endpoint?: unknown
  response_types_supported?: unknown
  grant_types_supported?: unknown
  code_challenge_methods_supported?: unknown
  token_endpoint_auth_methods_supported?: unknown
  token_endpoint_auth_signing_alg_values_supported?: unknown
}

/** The algorithm of our client assertions. */
export const ASSERTION_ALGORITHM = 'ES256'

const unsuitable = (code: string, what: string, expected: string, path = 'url'): Refusal =>
  new Refusal('authentication_provider.unsuitable', `The provider cannot be used: ${what}.`, [
    { path, code, message: expected },
  ])

const isHttps = (value: unknown): boolean =>
  typeof value === 'string' && URL.canParse(value) && new URL(value).protocol === 'https:'

/** Whether a list of the metadata has a value; a list that is absent says what the standard says. */
const allows = (list: unknown, value: string, absent: readonly string[]): boolean =>
  (Array.isArray(list) ? list : absent).includes(value)

/**
 * Throws `Refusal('authentication_provider.unsuitable')` where the metadata is of another issuer, or where the provider
 * does not do what we need: the code flow with PKCE S256.
 */
export function checkMetadata(metadata: ProviderMetadata, issuer: URL): void {
  const { issuer: told } = metadata
  if (!URL.canParse(told) || new URL(told).href !== issuer.href)
    throw unsuitable('issuer', 'its metadata is of another issuer', `expected the issuer ${issuer.href.slice(0, 200)}`)
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const)
    if (!isHttps(metadata[name]))
      throw unsuitable('metadata', `its metadata has no ${name}`, `expected an https URL as ${name} in the metadata`)
  if (metadata.userinfo_endpoint !== undefined && !isHttps(metadata.userinfo_endpoint))
    throw unsuitable('metadata', 'its userinfo_endpoint is no https URL', 'expected an https URL as userinfo_endpoint')
  if (!allows(metadata.response_types_supported, 'code', ['code']))
    throw unsuitable('response_type', 'it does not support the code flow', 'expected the response type code')
  if (!allows(metadata.grant_types_supported, 'authorization_code', ['authorization_code']))
    throw unsuitable('grant_type', 'it does not support the code flow', 'expected the grant type authorization_code')
  if (!allows(metadata.code_challenge_methods_supported, 'S256', ['S256']))
    throw unsuitable('pkce', 'it does not support PKCE with S256', 'expected the code challenge method S256')
}

const AUTH_METHOD = 'token_endpoint_auth_method'

/**
 * Returns how the client authenticates: as asked, or else the first way that the provider supports. Throws
 * `Refusal('authentication_provider.unsuitable')`.
 */
export function authMethodOf(metadata: ProviderMetadata, wanted: AuthMethod | undefined): AuthMethod {
  const supported = AUTH_METHODS.filter((method) =>
    allows(metadata.token_endpoint_auth_methods_supported, method, ['client_secret_basic']),
  )
  const fit = wanted === undefined ? supported : supported.filter((method) => method === wanted)
  const [method] = fit
  const list = supported.join(', ') || 'another provider'
  if (!method)
    throw unsuitable(
      'auth_method',
      `it does not support ${wanted ?? 'any way'} of a client to authenticate`,
      `expected one of: ${list}`,
      AUTH_METHOD,
    )
  if (
    method === 'private_key_jwt' &&
    !allows(metadata.token_endpoint_auth_signing_alg_values_supported, ASSERTION_ALGORITHM, [ASSERTION_ALGORITHM])
  )
    throw unsuitable(
      'algorithm',
      `it takes no client assertion that is signed with ${ASSERTION_ALGORITHM}`,
      'expected another method',
      AUTH_METHOD,
    )
  return method
}
