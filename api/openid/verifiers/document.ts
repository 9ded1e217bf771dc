import type { OPENID_OPERATIONS } from '../../../protocol/openid/operations.ts'
import { REQUEST_URI_METHODS } from '../../../protocol/openid/presentations/requests.ts'
import {
  APPLICATION_TYPES,
  CLIENT_AUTH_METHODS,
  CLIENT_GRANT_TYPES,
  ID_TOKEN_ALGORITHMS,
} from '../../../protocol/openid/verifiers/clients.ts'
import { LABEL_PATTERN } from '../../frame/openapi/patterns.ts'
import type { Schema } from '../../frame/openapi/schemas.ts'
import { pictureUrl, REDIRECT_URI } from '../../frame/openapi/urls.ts'
import { OIDC_CLIENT, OIDC_VERIFIER } from './wire.ts'

type Id = keyof typeof OPENID_OPERATIONS

const { id: _verifierId, issuer: _issuer, ...verifier } = OIDC_VERIFIER
const { id: _clientId, ...client } = OIDC_CLIENT
const SECRET = 'q3Vv0n1yJ5b9cQ2sT8wXkA7dE4fG6hLmNoPrUzYxBvC'

const VERIFIER_IN = {
  claim_mappings: verifier.claimMappings,
  include_presentation: verifier.includePresentation,
  presentation_template_id: verifier.presentationTemplateId,
  verifier_did: verifier.verifierDid,
}

export const VERIFIER_EXAMPLES: Partial<Record<Id, object>> = {
  createOidcVerifier: VERIFIER_IN,
  updateOidcVerifier: VERIFIER_IN,
  createOidcVerifierClient: client,
  updateOidcVerifierClient: client,
  getOpenIdConfiguration: {
    clientId: OIDC_CLIENT.id,
    clientSecret: SECRET,
    code: 'nSnXkLnmoyKWsYrNjuN1Tz3nLVwnDNj4F1o3QKQkzqG',
    grantType: 'authorization_code',
    redirectUri: 'https://portal.university.example/callback',
  },
}

export const VERIFIER_ANSWERS: Partial<Record<Id, unknown>> = {
  indexOidcVerifier: { data: [OIDC_VERIFIER], limit: 20, totalCount: 1, totalPages: 1 },
  getListOfOidcVerifierClient: { data: [OIDC_CLIENT], limit: 20, totalCount: 1, totalPages: 1 },
  createOidcVerifierClient: { ...OIDC_CLIENT, secret: SECRET },
  getOpenIdConfiguration: {
    accessToken: 'kLnmoyKWsYrNjuN1Tz3nLVwnDNj4F1o3QKQkzqGnSnX',
    expiresIn: 3600,
    idToken: '<a JWT>',
    refreshToken: 'YrNjuN1Tz3nLVwnDNj4F1o3QKQkzqGnSnXkLnmoyKWs',
    scope: 'openid',
    tokenType: 'Bearer',
  },
}

/** Codes for a request that cannot be read, by the standard of the endpoint. */
export const VERIFIER_ERRORS: Partial<Record<Id, string>> = { getOpenIdConfiguration: 'invalid_request' }

export const VERIFIER_NOT_FOUND: Readonly<Record<string, string>> = {
  '/v1/oidc/verifiers/{id}': 'oidc_verifier.not_found',
}

export const VERIFIER_REFUSALS: Partial<Record<Id, Readonly<Record<number, string>>>> = {
  createOidcVerifier: {
    400: 'oidc_verifier.invalid',
    404: 'oidc_verifier.template_not_found',
    409: 'oidc_verifier.too_many',
  },
  getOidcVerifierCertificateRequest: { 400: 'oidc_verifier.did_unfit' },
  updateOidcVerifier: { 400: 'oidc_verifier.invalid' },
  rotateOidcVerifierKeys: { 409: 'oidc_verifier.rotated_lately' },
  createOidcVerifierClient: { 400: 'oidc_client.invalid', 409: 'oidc_client.too_many' },
  getOidcVerifierClient: { 404: 'oidc_client.not_found' },
  updateOidcVerifierClient: { 400: 'oidc_client.invalid', 404: 'oidc_client.not_found' },
  deleteOidcVerifierClient: { 404: 'oidc_client.not_found' },
  getOpenIdConfiguration: { 400: 'oidc_token.invalid_grant', 401: 'oidc_token.invalid_client' },
}

const list = (description: string, values: readonly string[], example: string[]): Schema => ({
  type: 'array',
  description,
  items: { type: 'string', enum: [...values] },
  minItems: 1,
  maxItems: values.length,
  uniqueItems: true,
  example,
})

export const VERIFIER_SCHEMAS: Readonly<Record<string, Schema>> = {
  StatementName: {
    type: 'string',
    description:
      'IRI of a JSON-LD property; of a mobile credential the namespace and the element, with a slash between them; where the template asks for SD-JWT VCs also the name of a claim, or the names that lead to it with slashes between them.',
    pattern: '^[^\\s\\u0000-\\u001f\\u007f-\\u009f]+$',
    maxLength: 2048,
    example: 'https://schema.org/givenName',
  },
  CertificateChainPem: {
    type: 'string',
    description: "1 to 4 X.509 certificates in PEM, one after the other, the verifier's own first.",
    pattern: '^(-----BEGIN CERTIFICATE-----\\n[A-Za-z0-9+/=\\n]+\\n-----END CERTIFICATE-----\\n?){1,4}$',
    maxLength: 65536,
  },
  RequestUriMethodName: {
    type: 'string',
    description:
      'How wallets fetch their requests: get (default), or post with what they are able to, where they can (OpenID4VP 1.0, section 5.10).',
    enum: [...REQUEST_URI_METHODS],
    example: 'post',
  },
  OidcClaimName: {
    type: 'string',
    description: 'Name of a claim; none that the provider makes itself, such as sub.',
    pattern: '^[\\x21-\\x7e]+$',
    minLength: 1,
    maxLength: 255,
    example: 'given_name',
  },
  RedirectUris: {
    type: 'array',
    description:
      'Redirect URIs, compared character by character: https without query and fragment, or http://localhost.',
    items: {
      type: 'string',
      pattern: REDIRECT_URI,
      maxLength: 2048,
    },
    minItems: 1,
    maxItems: 20,
    uniqueItems: true,
    example: OIDC_CLIENT.redirectUris,
  },
  OidcGrantTypes: {
    ...list('authorization_code, and refresh_token for a client that gets refresh tokens.', CLIENT_GRANT_TYPES, [
      'authorization_code',
      'refresh_token',
    ]),
  },
  OidcResponseTypes: list('code', ['code'], ['code']),
  OidcApplicationType: {
    type: 'string',
    description: 'web, or native for an application on the device of its user.',
    enum: [...APPLICATION_TYPES],
    example: 'web',
  },
  OidcAuthMethod: {
    type: 'string',
    description: 'How the client authenticates at the token endpoint; none: with PKCE and no secret.',
    enum: [...CLIENT_AUTH_METHODS],
    example: 'client_secret_basic',
  },
  OidcSigningAlg: {
    type: 'string',
    description: 'What ID tokens are signed with.',
    enum: [...ID_TOKEN_ALGORITHMS],
    example: 'ES256',
  },
  LogoUri: pictureUrl(
    'A picture that the page of a sign-in shows: an https URL.',
    'https://portal.university.example/logo.png',
  ),
  OidcClientName: {
    type: 'string',
    description: 'The name of the client for people: one line of 1 to 255 characters.',
    pattern: LABEL_PATTERN,
    minLength: 1,
    maxLength: 255,
    example: 'Student portal',
  },
  VerifierTokenIn: {
    type: 'object',
    description:
      'A token request, in the casing of OAuth 2.0 or of this API, which the response then has as well. Other members are ignored.',
    properties: Object.fromEntries(
      [
        'grant_type',
        'client_id',
        'client_secret',
        'code',
        'code_verifier',
        'redirect_uri',
        'refresh_token',
        'scope',
        'grantType',
        'clientId',
        'clientSecret',
        'codeVerifier',
        'redirectUri',
        'refreshToken',
      ].map((name) => [name, { type: 'string' }]),
    ),
    additionalProperties: true,
    example: VERIFIER_EXAMPLES.getOpenIdConfiguration,
  },
  VerifierTokenOut: {
    type: 'object',
    description: 'Tokens, in the casing of the request.',
    properties: {
      access_token: { type: 'string' },
      expires_in: { type: 'integer', format: 'int64' },
      id_token: { type: 'string' },
      refresh_token: { type: 'string' },
      token_type: { type: 'string' },
    },
    additionalProperties: true,
  },
}
