import type { OPENID_OPERATIONS } from '../../../protocol/openid/operations.ts'
import type { Schema } from '../../frame/openapi/schemas.ts'
import { REISSUANCE } from '../reissuances/wire.ts'
import { OFFER_URI, SESSION } from './wire.ts'

const TEMPLATE_ID = '3f2a1b0c-9d8e-4f7a-8b6c-5d4e3f2a1b0c'
const CODE = 'xP5Jm1VfYhZ0u0kq8bYt0m3o1cC7S8a2n5b9d4e6f7g'
const TOKEN = 'a9b8c7d6e5f4g3h2i1j0k9l8m7n6o5p4q3r2s1t0u9v'

/** Published for wallets, without an entry in the log. */
export type PublicForWallets =
  | 'getAttestationChallenge'
  | 'getCredentialNonce'
  | 'getCredentialIssuerMetadata'
  | 'getAuthorizationServerMetadata'
  | 'openIdCredentialMetadata'

type Id = keyof typeof OPENID_OPERATIONS | PublicForWallets

const offer = {
  credentials: [TEMPLATE_ID],
  requestedParameters: { loginHint: 'ada@university.example', prompt: 'login' },
  grantType: 'pre-authorized_code',
  claims: { given_name: 'Ada' },
  expiresInSec: 86_400,
}

export const SESSION_EXAMPLES: Partial<Record<Id, object>> = {
  createOpenIdConfiguration: offer,
  createOpenIdSession: { ...offer, txCode: true },
  exchangeCredentials: {
    grant_type: 'urn:ietf:params:oauth:grant-type:pre-authorized_code',
    'pre-authorized_code': CODE,
    tx_code: '042137',
  },
  issuerVerifiableCredentials: {
    credential_configuration_id: TEMPLATE_ID,
    proofs: { jwt: ['eyJ0eXAiOiJvcGVuaWQ0dmNpLXByb29mK2p3dCJ9.<claims>.<signature>'] },
  },
  getDeferredCredential: { transaction_id: CODE },
  notifyCredentialIssuer: { notification_id: CODE, event: 'credential_accepted' },
}

const configuration = {
  id: TEMPLATE_ID,
  format: 'ldp_vc',
  scope: 'ldp_vc:CourseCredential',
  '@context': ['https://www.w3.org/ns/credentials/v2'],
  type: ['VerifiableCredential', 'CourseCredential'],
  cryptographicBindingMethodsSupported: ['jwk', 'did:key'],
}

const ISSUER = 'https://issuer.example'

export const SESSION_ANSWERS: Partial<Record<Id, unknown>> = {
  createOpenIdSession: { id: SESSION.id, uri: OFFER_URI, txCode: '042137', expiresAt: '2027-01-05T08:59:00.000Z' },
  listOpenIdSessions: { data: [SESSION], limit: 20, totalCount: 1, totalPages: 1 },
  getOpenIdSession: SESSION,
  retryOpenIdSession: SESSION,
  cancelOpenIdSession: SESSION,
  listOpenIdReissuances: { data: [REISSUANCE], limit: 20, totalCount: 1, totalPages: 1 },
  exchangeCredentials: { access_token: TOKEN, expires_in: 1200, token_type: 'Bearer' },
  issuerVerifiableCredentials: { credentials: [{ credential: '<a credential>' }], notification_id: CODE },
  getDeferredCredential: { credentials: [{ credential: '<a credential>' }], notification_id: CODE },
  getAttestationChallenge: { attestation_challenge: CODE },
  getCredentialNonce: { c_nonce: CODE },
  getCredentialIssuerMetadata: {
    credential_issuer: ISSUER,
    credential_endpoint: `${ISSUER}/v1/openid/credential`,
    nonce_endpoint: `${ISSUER}/v1/openid/nonce`,
    credential_configurations_supported: { [TEMPLATE_ID]: { format: 'mso_mdoc', doctype: 'org.iso.18013.5.1.mDL' } },
  },
  getAuthorizationServerMetadata: {
    issuer: ISSUER,
    authorization_endpoint: `${ISSUER}/v1/oauth/authorize`,
    pushed_authorization_request_endpoint: `${ISSUER}/v1/oauth/par`,
    token_endpoint: `${ISSUER}/v1/oauth/token`,
  },
  openIdCredentialMetadata: {
    issuer: ISSUER,
    credentialIssuer: ISSUER,
    authorizationEndpoint: `${ISSUER}/v1/oauth/authorize`,
    tokenEndpoint: `${ISSUER}/v1/oauth/token`,
    credentialEndpoint: `${ISSUER}/v1/openid/credential`,
    mdocIacasUri: `${ISSUER}/v1/iacas`,
    scopesSupported: ['ldp_vc:CourseCredential'],
    responseTypesSupported: ['code'],
    responseModesSupported: ['query'],
    grantTypesSupported: ['authorization_code', 'urn:ietf:params:oauth:grant-type:pre-authorized_code'],
    codeChallengeMethodsSupported: ['S256'],
    credentialsSupported: [configuration],
  },
}

const JWE = 'eyJhbGciOiJFQ0RILUVTIn0..<initialization vector>.<ciphertext>.<tag>'

/** What is encrypted or signed where a wallet wants that. */
export const WALLET_JWTS: Partial<Record<Id, string>> = {
  issuerVerifiableCredentials: JWE,
  getDeferredCredential: JWE,
  getCredentialIssuerMetadata: 'eyJ0eXAiOiJvcGVuaWR2Y2ktaXNzdWVyLW1ldGFkYXRhK2p3dCJ9.<metadata>.<signature>',
}

/** Codes for a request that cannot be read, by the standard of each endpoint. */
export const WALLET_ERRORS: Partial<Record<Id, string>> = {
  exchangeCredentials: 'invalid_request',
  getAttestationChallenge: 'invalid_request',
  getCredentialNonce: 'invalid_request',
  issuerVerifiableCredentials: 'invalid_credential_request',
  getDeferredCredential: 'invalid_credential_request',
  notifyCredentialIssuer: 'invalid_notification_request',
}

export const SESSION_REFUSALS: Partial<Record<Id, Readonly<Record<number, string>>>> = {
  createOpenIdConfiguration: { 400: 'openid_offer.invalid', 404: 'openid_offer.unknown_configuration' },
  createOpenIdSession: { 400: 'openid_offer.invalid', 404: 'openid_offer.unknown_configuration' },
  retryOpenIdSession: { 409: 'openid_session.nothing_failed' },
  cancelOpenIdSession: { 409: 'openid_session.ended' },
  exchangeCredentials: { 400: 'wallet.invalid_grant', 401: 'wallet.invalid_client', 404: 'openid_issuer.not_found' },
  getAttestationChallenge: { 404: 'openid_issuer.not_found' },
  getCredentialNonce: { 404: 'openid_issuer.not_found' },
  issuerVerifiableCredentials: {
    400: 'wallet.invalid_proof',
    401: 'wallet.invalid_token',
    404: 'openid_issuer.not_found',
  },
  getDeferredCredential: {
    400: 'wallet.invalid_transaction_id',
    401: 'wallet.invalid_token',
    404: 'openid_issuer.not_found',
  },
  notifyCredentialIssuer: {
    400: 'wallet.invalid_notification_id',
    401: 'wallet.invalid_token',
    404: 'openid_issuer.not_found',
  },
  getCredentialIssuerMetadata: { 404: 'openid_issuer.not_found' },
  getAuthorizationServerMetadata: { 404: 'openid_issuer.not_found' },
  openIdCredentialMetadata: { 404: 'openid_issuer.not_found' },
}

const free = (description: string, example: object): Schema => ({
  type: 'object',
  description,
  additionalProperties: true,
  example,
})

export const SESSION_SCHEMAS: Readonly<Record<string, Schema>> = {
  OfferedCredentials: {
    type: 'array',
    description: 'Ids of templates: of web semantic, compact, compact-semantic and mobile credentials.',
    items: { type: 'string', format: 'uuid' },
    minItems: 1,
    maxItems: 20,
    uniqueItems: true,
    example: [TEMPLATE_ID],
  },
  OfferParameters: {
    type: 'object',
    description: 'Parameters for the authentication provider, such as loginHint and prompt.',
    additionalProperties: { type: 'string', nullable: true },
    example: { loginHint: 'ada@university.example', prompt: 'login' },
  },
  OfferClaims: free('Claims about the holder, of which each credential has those that its template takes.', {
    given_name: 'Ada',
  }),
  OfferUri: { type: 'string', description: 'The offer as a link.', example: OFFER_URI },
  WalletTokenIn: {
    type: 'object',
    description:
      'A token request, in the casing of OAuth 2.0 or of this API, which the response then has as well. Other members are ignored.',
    properties: {
      grant_type: { type: 'string' },
      'pre-authorized_code': { type: 'string' },
      tx_code: { type: 'string' },
      refresh_token: { type: 'string' },
      scope: { type: 'string', description: 'With a refresh token: less than was granted.' },
      authorization_details: { description: 'A list of objects, in a form as JSON.' },
      client_id: { type: 'string' },
      code: { type: 'string' },
      code_verifier: { type: 'string' },
      redirect_uri: { type: 'string' },
      grantType: { type: 'string' },
      preAuthorizedCode: { type: 'string' },
      refreshToken: { type: 'string' },
      txCode: { type: 'string' },
      clientId: { type: 'string' },
      codeVerifier: { type: 'string' },
      redirectUri: { type: 'string' },
    },
    additionalProperties: true,
    example: SESSION_EXAMPLES.exchangeCredentials,
  },
  CredentialRequestIn: {
    type: 'object',
    description: 'A credential request of OpenID4VCI 1.0, or by format and types. Other members are ignored.',
    properties: {
      credential_configuration_id: { type: 'string' },
      credential_identifier: {
        type: 'string',
        description: 'One of the credential_identifiers of the token response.',
      },
      format: { type: 'string' },
      credential_definition: { type: 'object', additionalProperties: true },
      type: { description: 'Of a compact credential.' },
      types: { type: 'array', items: { type: 'string' } },
      doctype: { type: 'string' },
      proof: { type: 'object', additionalProperties: true },
      proofs: { type: 'object', additionalProperties: true },
      credential_response_encryption: {
        type: 'object',
        description: 'jwk, enc and zip of an encrypted answer; in an encrypted request only.',
        additionalProperties: true,
      },
    },
    additionalProperties: true,
    example: SESSION_EXAMPLES.issuerVerifiableCredentials,
  },
  WalletTokenOut: {
    type: 'object',
    description: 'An access token, in the casing of the request.',
    properties: {
      access_token: { type: 'string' },
      expires_in: { type: 'integer', format: 'int64' },
      token_type: { type: 'string' },
      refresh_token: { type: 'string', description: 'By which the wallet gets its credentials anew.' },
      authorization_details: {
        type: 'array',
        items: {
          type: 'object',
          properties: { credential_identifiers: { type: 'array', items: { type: 'string' } } },
          additionalProperties: true,
        },
      },
    },
    additionalProperties: true,
  },
}
