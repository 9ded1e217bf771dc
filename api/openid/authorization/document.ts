import type { Schema } from '../../frame/openapi/schemas.ts'
import { WALLET_PROVIDER } from '../wallets/providers.wire.ts'
import { JWKS, POLICY, WALLET } from './wire.ts'

const NO_ISSUER = { 404: 'openid_issuer.not_found' }

const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

export const AUTHORIZATION_EXAMPLES = {
  pushAuthorizationRequest: {
    response_type: 'code',
    client_id: 'wallet',
    redirect_uri: 'http://127.0.0.1:8123/callback',
    state: 'af0ifjsldkj',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    issuer_state: 'xP5Jm1VfYhZ0u0kq8bYt0m3o1cC7S8a2n5b9d4e6f7g',
  },
  receiveInteraction: { session_token: 'eyJ0eXAiOiJpbnRlcmFjdGlvbi1hbnN3ZXIrand0In0.<claims>.<signature>' },
  createOpenIdWallet: {
    name: WALLET.name,
    clientId: WALLET.clientId,
    redirectUris: WALLET.redirectUris,
    jwks: JWKS,
  },
  updateOpenIdWallet: { redirectUris: ['https://wallet.university.example/return'] },
  updateOpenIdWalletPolicy: { requiresPar: true, requiresDpop: true },
  createOpenIdWalletProvider: {
    name: WALLET_PROVIDER.name,
    issuer: WALLET_PROVIDER.issuer,
    attests: WALLET_PROVIDER.attests,
    jwks: JWKS,
  },
  updateOpenIdWalletProvider: { attests: ['keys'] },
}

export const AUTHORIZATION_ANSWERS = {
  pushAuthorizationRequest: {
    request_uri: 'urn:ietf:params:oauth:request_uri:xP5Jm1VfYhZ0u0kq8bYt0m3o1cC7S8a2n5b9d4e6f7g',
    expires_in: 90,
  },
  finishAuthentication: '<!doctype html><html lang="en">…<form method="post" action="https://hook.example/ask">…',
  listOpenIdWallets: { data: [WALLET], limit: 20, totalCount: 1, totalPages: 1 },
  getOpenIdWalletPolicy: POLICY,
  listOpenIdWalletProviders: { data: [WALLET_PROVIDER], limit: 20, totalCount: 1, totalPages: 1 },
}

export const AUTHORIZATION_ERRORS = {
  requestAutherization: 'invalid_request',
  pushAuthorizationRequest: 'invalid_request',
  finishAuthentication: 'invalid_request',
  receiveInteraction: 'invalid_request',
  finishInteraction: 'invalid_request',
}

export const AUTHORIZATION_REFUSALS = {
  requestAutherization: { 400: 'wallet.invalid_request', ...NO_ISSUER },
  pushAuthorizationRequest: { 400: 'wallet.invalid_request', 401: 'wallet.invalid_client', ...NO_ISSUER },
  finishAuthentication: { 400: 'authentication.not_under_way', ...NO_ISSUER },
  receiveInteraction: { 400: 'interaction.invalid_answer', ...NO_ISSUER },
  finishInteraction: { 400: 'authentication.not_under_way', ...NO_ISSUER },
  createOpenIdWallet: { 400: 'openid_wallet.invalid', 409: 'openid_wallet.exists' },
  updateOpenIdWallet: { 400: 'openid_wallet.invalid' },
  createOpenIdWalletProvider: { 400: 'openid_wallet_provider.invalid', 409: 'openid_wallet_provider.too_many' },
  updateOpenIdWalletProvider: { 400: 'openid_wallet_provider.invalid' },
  updateOpenIdWalletPolicy: { 400: 'openid_wallet_policy.invalid' },
}

const text = (description: string, example: string, more: Schema = {}): Schema => ({
  type: 'string',
  description,
  example,
  ...more,
})

export const AUTHORIZATION_SCHEMAS: Readonly<Record<string, Schema>> = {
  PushedIn: {
    type: 'object',
    description: 'The parameters of an authorization request, and a client assertion.',
    properties: Object.fromEntries(
      [
        ...['response_type', 'client_id', 'redirect_uri', 'state', 'code_challenge', 'code_challenge_method', 'scope'],
        ...['issuer_state', 'dpop_jkt', 'client_assertion', 'client_assertion_type'],
      ].map((name) => [name, { type: 'string' }]),
    ),
    additionalProperties: true,
    example: AUTHORIZATION_EXAMPLES.pushAuthorizationRequest,
  },
  InteractionToken: text('The JWT of the interaction hook.', 'eyJ0eXAi.<claims>.<signature>', {
    minLength: 1,
    maxLength: 65_536,
  }),
  WalletName: text('For people.', WALLET.name, { minLength: 1, maxLength: 200, pattern: '^[^\\x00-\\x1f\\x7f]+$' }),
  WalletClientId: text('What the wallet calls itself as client_id.', WALLET.clientId, {
    minLength: 1,
    maxLength: 255,
    pattern: '^[\\x21-\\x7e]+$',
  }),
  WalletRedirectUris: {
    type: 'array',
    description:
      'Addresses that codes may go to: https, http://127.0.0.1 or http://[::1] with any port, or a scheme of the wallet.',
    items: { type: 'string', pattern: '^[a-z][a-z0-9+.-]*:[!$-;=?-\\[\\]_a-z~]+$', maxLength: 2000 },
    minItems: 1,
    maxItems: 20,
    uniqueItems: true,
    example: WALLET.redirectUris,
  },
  ProviderIssuer: text('What its attestations name as iss.', 'https://provider.wallet.example', {
    minLength: 1,
    maxLength: 500,
    pattern: '^[\\x21-\\x7e]+$',
  }),
  ProviderAttests: {
    type: 'array',
    description: 'wallets: that they are the provider’s. keys: that they are kept as it says.',
    items: { type: 'string', enum: ['wallets', 'keys'] },
    minItems: 1,
    maxItems: 2,
    uniqueItems: true,
    example: WALLET_PROVIDER.attests,
  },
  ProviderClients: {
    type: 'array',
    description: 'Wallets that it vouches for, by their client id (sub of an attestation); none: each of its wallets.',
    items: { type: 'string', pattern: '^[\\x21-\\x7e]+$', minLength: 1, maxLength: 255 },
    maxItems: 100,
    uniqueItems: true,
    example: WALLET_PROVIDER.clientIds,
  },
  ProviderRedirectUris: {
    type: 'array',
    description:
      'Where codes of its wallets may go that are not registered, besides loopback and schemes that are a domain name in reverse; none: nowhere else.',
    items: { type: 'string', pattern: '^[a-z][a-z0-9+.-]*:[!$-;=?-\\[\\]_a-z~]+$', maxLength: 2000 },
    maxItems: 20,
    uniqueItems: true,
    example: WALLET_PROVIDER.redirectUris,
  },
  ProviderCertificates: {
    type: 'array',
    description:
      'X.509 certificates in PEM, one in each text: of authorities that certify its attestations, or of its signers.',
    items: { type: 'string', maxLength: 32_768 },
    maxItems: 10,
    uniqueItems: true,
    example: [],
  },
  ReissueDays: { type: 'integer', format: 'int64', minimum: 0, maximum: 730, example: 90 },
  BatchSize: { type: 'integer', format: 'int64', minimum: 1, maximum: 20, example: 20 },
  WalletKeySet: {
    type: 'object',
    description: 'Public keys (RFC 7517) of P-256, P-384 or Ed25519.',
    additionalProperties: true,
    example: JWKS,
  },
}
