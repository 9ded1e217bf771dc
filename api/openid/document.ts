import { MAX_LIFETIME_SECONDS } from '../../protocol/openid/oid4vci/offers.ts'
import type { OPENID_OPERATIONS } from '../../protocol/openid/operations.ts'
import { AUTH_METHODS } from '../../protocol/openid/providers.ts'
import type { AreaDocument } from '../frame/openapi/document.ts'
import { ref } from '../frame/openapi/json.ts'
import type { Schema } from '../frame/openapi/schemas.ts'
import { calledHttpsUrl } from '../frame/openapi/urls.ts'
import {
  AUTHORIZATION_ANSWERS,
  AUTHORIZATION_ERRORS,
  AUTHORIZATION_EXAMPLES,
  AUTHORIZATION_REFUSALS,
  AUTHORIZATION_SCHEMAS,
} from './authorization/document.ts'
import { AUTHORIZATION_PROBLEMS } from './authorization/problems.ts'
import {
  PRESENTATION_ANSWERS,
  PRESENTATION_EXAMPLES,
  PRESENTATION_NOT_FOUND,
  PRESENTATION_PROBLEMS,
  PRESENTATION_REFUSALS,
} from './presentations/document.ts'
import { PRESENTATION_SCHEMAS } from './presentations/schemas.ts'
import { OPENID_PROBLEMS } from './problems.ts'
import { PROVIDER } from './providers/wire.ts'
import {
  type PublicForWallets,
  SESSION_ANSWERS,
  SESSION_EXAMPLES,
  SESSION_REFUSALS,
  SESSION_SCHEMAS,
  WALLET_ERRORS,
  WALLET_JWTS,
} from './sessions/document.ts'
import { SESSION_PROBLEMS } from './sessions/problems.ts'
import { USER } from './users/wire.ts'
import {
  VERIFIER_ANSWERS,
  VERIFIER_ERRORS,
  VERIFIER_EXAMPLES,
  VERIFIER_NOT_FOUND,
  VERIFIER_REFUSALS,
  VERIFIER_SCHEMAS,
} from './verifiers/document.ts'
import { VERIFIER_PROBLEMS } from './verifiers/problems.ts'

/** Without control characters. */
const CLAIM_NAME = '^[^\\u0000-\\u001f\\u007f-\\u009f]+$'

const names = (description: string, pattern: string, example: string[]): Schema => ({
  type: 'array',
  description,
  items: { type: 'string', pattern, minLength: 1, maxLength: 255 },
  uniqueItems: true,
  maxItems: 50,
  example,
})

/** Facts of this area's operations that the generator cannot derive (api/frame/openapi/document.ts). */
export const OPENID_DOCUMENT: AreaDocument<keyof typeof OPENID_OPERATIONS | PublicForWallets> = {
  examples: {
    ...SESSION_EXAMPLES,
    ...AUTHORIZATION_EXAMPLES,
    ...VERIFIER_EXAMPLES,
    ...PRESENTATION_EXAMPLES,
    createAuthenticationProvider: {
      url: 'https://login.university.example',
      client_id: 'countersign',
      client_secret: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      scope: ['openid', 'profile', 'email'],
      claims_to_persist: ['email', 'given_name', 'family_name'],
      forwarded_request_parameters: ['login_hint'],
      static_request_parameters: { prompt: 'login' },
      token_endpoint_auth_method: 'client_secret_basic',
    },
    updateAuthenticationProvider: {
      client_id: 'countersign',
      client_secret: 'QTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYq',
      claims_to_persist: ['email'],
    },
    searchUsers: {
      authenticationProvider: { providerId: 'c7a1f2e4-3b5d-4c6e-8f70-91a2b3c4d5e6' },
      claims: { email: 'ada@university.example' },
    },
    updateOpenIDConfiguration: {
      claims: ['email', 'given_name'],
      disabled: false,
      session_timeout_in_sec: 1200,
      url: 'https://hook.university.example/interaction',
    },
  },
  answers: {
    ...SESSION_ANSWERS,
    ...AUTHORIZATION_ANSWERS,
    ...VERIFIER_ANSWERS,
    ...PRESENTATION_ANSWERS,
    listAuthenticationProvider: { data: [PROVIDER], limit: 20, total_count: 1, total_pages: 1 },
    retrieveListOfUsers: { data: [USER], limit: 20, totalCount: 1, totalPages: 1 },
    searchUsers: { data: [USER], limit: 20, totalCount: 1, totalPages: 1 },
  },
  forms: ['exchangeCredentials', 'getOpenIdConfiguration', 'pushAuthorizationRequest', 'receiveInteraction'],
  located: [
    'createOpenIdSession',
    'createOpenIdWallet',
    'createOpenIdWalletProvider',
    'createOidcVerifier',
    'createOidcVerifierClient',
    'createOpenId4VpRequest',
  ],
  jwts: WALLET_JWTS,
  oauthErrors: { ...WALLET_ERRORS, ...AUTHORIZATION_ERRORS, ...VERIFIER_ERRORS },
  notFound: {
    ...VERIFIER_NOT_FOUND,
    ...PRESENTATION_NOT_FOUND,
    '/v1/openid/wallets/{id}': 'openid_wallet.not_found',
    '/v1/openid/wallet-providers/{id}': 'openid_wallet_provider.not_found',
    '/v1/openid/sessions/{id}': 'openid_session.not_found',
    '/v1/openid/reissuances/{id}': 'openid_reissuance.not_found',
    '/v1/users/authentication-providers/{id}': 'authentication_provider.not_found',
    '/v1/users/{id}': 'user.not_found',
  },
  refusals: {
    ...SESSION_REFUSALS,
    ...AUTHORIZATION_REFUSALS,
    ...VERIFIER_REFUSALS,
    ...PRESENTATION_REFUSALS,
    createAuthenticationProvider: {
      400: 'authentication_provider.unreachable',
      409: 'authentication_provider.too_many',
    },
    updateAuthenticationProvider: { 400: 'authentication_provider.invalid', 409: 'authentication_provider.changed' },
    retrieveListOfUsers: { 404: 'authentication_provider.not_found' },
    searchUsers: { 404: 'user.not_found' },
    getOpenIDConfiguration: { 404: 'openid_configuration.not_found' },
    updateOpenIDConfiguration: { 400: 'openid_configuration.invalid' },
  },
  schemas: {
    ...SESSION_SCHEMAS,
    ...AUTHORIZATION_SCHEMAS,
    ...VERIFIER_SCHEMAS,
    ...PRESENTATION_SCHEMAS,
    IssuerUrl: calledHttpsUrl(
      'The issuer of an OpenID provider: an https URL without query and fragment, below which its metadata is.',
      'https://login.university.example',
    ),
    UpstreamClientId: {
      type: 'string',
      description: 'The client id that the provider gave: 1 to 255 characters of ASCII.',
      pattern: '^[\\x20-\\x7e]+$',
      minLength: 1,
      maxLength: 255,
      example: 'countersign',
    },
    UpstreamClientSecret: {
      type: 'string',
      description: 'The client secret that the provider gave: 1 to 2048 characters of ASCII.',
      pattern: '^[\\x20-\\x7e]+$',
      minLength: 1,
      maxLength: 2048,
      example: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    },
    UpstreamScope: {
      ...names('Scopes of the request, each once, and openid among them.', '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$', [
        'openid',
        'profile',
      ]),
      example: ['openid', 'profile', 'email'],
    },
    ClaimNames: names('Names of claims, each once.', CLAIM_NAME, ['email', 'given_name']),
    HookClaims: names('Names of claims, each once.', CLAIM_NAME, ['email', 'given_name']),
    ParameterNames: names(
      'Names of parameters, each once; none that the platform sets itself, such as state, nonce and redirect_uri.',
      '^[A-Za-z0-9._~-]+$',
      ['login_hint', 'ui_locales'],
    ),
    UpstreamAuthMethod: {
      type: 'string',
      description: 'How the client authenticates at the token endpoint.',
      enum: [...AUTH_METHODS],
      example: 'client_secret_basic',
    },
    HookUrl: calledHttpsUrl(
      'An https URL of a public host, without query and fragment.',
      'https://hook.university.example/interaction',
    ),
    SubjectId: {
      type: 'string',
      description: 'The subject (sub) that the provider gave the holder.',
      pattern: '^[\\x20-\\x7e]+$',
      minLength: 1,
      maxLength: 255,
      example: '248289761001',
    },
    ClaimCriteria: {
      type: 'object',
      description:
        'Claims that a user must have, all of them: texts as they are or as {"Text": text}, numbers, booleans, null, and objects of them. A claim in a list is not found.',
      additionalProperties: ref('ClaimCriterion'),
      example: { email: 'ada@university.example', address: { country: { Text: 'NZ' } } },
    },
    PageLimit: { type: 'integer', format: 'int64', minimum: 0, maximum: 1000 },
    PageNumber: { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    OfferSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds until the offer ends. Default: 86400.',
      minimum: 1,
      maximum: MAX_LIFETIME_SECONDS,
    },
    ClaimCriterion: {
      description: 'What one claim must be. A list is none.',
      anyOf: [
        { type: 'string' },
        { type: 'number' },
        { type: 'boolean' },
        { type: 'object', nullable: true, minProperties: 1, additionalProperties: ref('ClaimCriterion') },
      ],
      example: 'ada@university.example',
    },
  },
  problems: [OPENID_PROBLEMS, SESSION_PROBLEMS, AUTHORIZATION_PROBLEMS, VERIFIER_PROBLEMS, PRESENTATION_PROBLEMS],
}
