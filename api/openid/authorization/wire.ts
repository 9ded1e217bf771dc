import type { NewWallet, WalletChanges } from '../../../activities/openid/authorization/wallets.ts'
import type { WalletPolicy } from '../../../protocol/openid/oid4vci/authorization/types.ts'
import type { AttestationLevels } from '../../credentials/key-attestations.wire.ts'
import type { Count, JsonObject, Uuid } from '../../frame/wire.ts'

/** Parameters of an authorization request; further ones are for the authentication provider, where it forwards them. */
export interface AuthorizationQuery {
  [parameter: string]: unknown
  /** code */
  response_type?: string
  client_id?: string
  redirect_uri?: string
  state?: string
  /** SHA-256 of the code verifier, in base64url. */
  code_challenge?: string
  /** S256 */
  code_challenge_method?: string
  scope?: string
  /** JSON. */
  authorization_details?: string
  /** Of the offer. */
  issuer_state?: string
  /** Of a pushed request, in place of all others but client_id. */
  request_uri?: string
  /** Thumbprint of the key that the token is to be bound to. */
  dpop_jkt?: string
}

/** What the authentication provider's redirect has, with parameters of its own. */
export interface CallbackQuery {
  [parameter: string]: unknown
  state?: string
  code?: string
  error?: string
  iss?: string
}

export interface ReturnQuery {
  login?: string
}

/** The parameters of an authorization request, as a form or as JSON, and a client assertion. */
export type PushedIn = JsonObject

export interface PushedOut {
  /** Works once. */
  request_uri: string
  /** Seconds. */
  expires_in: Count
}

/** The JWT of the interaction hook. */
export type InteractionToken = string

export interface InteractionIn {
  session_token: InteractionToken
}

/** For people. */
export type WalletName = string

/** What the wallet calls itself as client_id. Default: the id of the wallet. */
export type WalletClientId = string

/** Addresses that codes may go to: https, http://127.0.0.1 or http://[::1] with any port, or a scheme of the wallet. */
export type WalletRedirectUris = string[]

/** Public keys (RFC 7517) of P-256, P-384 or Ed25519: with them, the wallet authenticates by private_key_jwt. */
export type WalletKeySet = JsonObject

export interface WalletIn {
  name: WalletName
  clientId?: WalletClientId | null
  redirectUris: WalletRedirectUris
  jwks?: WalletKeySet | null
}

export interface WalletChangesIn {
  name?: WalletName
  redirectUris?: WalletRedirectUris
  /** null: the wallet does not authenticate any more. */
  jwks?: WalletKeySet | null
}

export interface WalletOut {
  id: Uuid
  name: string
  clientId: string
  redirectUris: string[]
  jwks: JsonObject | null
}

export interface WalletPageOut {
  data: WalletOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

/** 1 to 20. */
export type BatchSize = Count

/** 0 to 730. */
export type ReissueDays = Count

export interface WalletPolicyOut {
  /** haip: OpenID4VC High Assurance Interoperability Profile 1.0, which demands some of the members below. */
  profile: 'haip' | null
  /** Wallets have to push their authorization requests (RFC 9126). */
  requiresPar: boolean
  /** Access tokens are bound to a key (RFC 9449). */
  requiresDpop: boolean
  /** Only registered wallets with keys get credentials (RFC 7523). */
  requiresClientAuthentication: boolean
  /** Wallets may begin without an offer: whoever can log in may get each template. */
  allowsWalletInitiated: boolean
  /** Wallets have to encrypt credential requests, and get encrypted answers (OpenID4VCI 1.0, section 10). */
  requiresEncryption: boolean
  /** Wallets that ask for application/jwt get the issuer's metadata signed (OpenID4VCI 1.0, section 12.2.3). */
  signsMetadata: boolean
  /** Wallets have to authenticate by an attestation of a wallet provider that is registered. */
  requiresWalletAttestation: boolean
  /** Keys of credentials have to be attested by a wallet provider that is registered. */
  requiresKeyAttestation: boolean
  /** Levels of which the storage of attested keys has to have one, such as iso_18045_high; none: any storage does. */
  keyStorage: AttestationLevels
  /** The same for the authentication of the user. */
  userAuthentication: AttestationLevels
  /** Keys of one credential request at most: 1 to 20. With 1 there are no batches. */
  batchSize: BatchSize
  /** Days for which wallets get credentials anew by a refresh token: 0 to 730. With 0 there are no refresh tokens. */
  reissueDays: ReissueDays
}

export interface WalletPolicyIn {
  /** null: none. The members count again as they were chosen. */
  profile?: 'haip' | null
  requiresPar?: boolean
  requiresDpop?: boolean
  requiresClientAuthentication?: boolean
  allowsWalletInitiated?: boolean
  requiresEncryption?: boolean
  signsMetadata?: boolean
  requiresWalletAttestation?: boolean
  requiresKeyAttestation?: boolean
  keyStorage?: AttestationLevels
  userAuthentication?: AttestationLevels
  batchSize?: BatchSize
  reissueDays?: ReissueDays
}

/** What is no list of keys becomes one without any, which is refused by its rule. */
export const keysIn = (jwks: WalletKeySet): { keys: Record<string, unknown>[] } => ({
  keys: Array.isArray(jwks.keys)
    ? jwks.keys.map((key: unknown) => (typeof key === 'object' && key !== null ? { ...key } : {}))
    : [],
})

export const toNewWallet = ({ name, clientId, redirectUris, jwks }: WalletIn): NewWallet => ({
  name,
  clientId: clientId ?? undefined,
  redirectUris,
  jwks: jwks ? keysIn(jwks) : undefined,
})

export const toChanges = ({ name, redirectUris, jwks }: WalletChangesIn): WalletChanges => ({
  name,
  redirectUris,
  ...(jwks !== undefined && { jwks: jwks ? keysIn(jwks) : null }),
})

/** Only what was sent. */
export const toPolicy = (body: WalletPolicyIn): Partial<WalletPolicy> => ({ ...body })

export const POLICY: WalletPolicyOut = {
  profile: null,
  requiresPar: true,
  requiresDpop: true,
  requiresClientAuthentication: false,
  allowsWalletInitiated: false,
  requiresEncryption: false,
  signsMetadata: true,
  requiresWalletAttestation: false,
  requiresKeyAttestation: true,
  keyStorage: ['iso_18045_high'],
  userAuthentication: [],
  batchSize: 20,
  reissueDays: 90,
}

export const JWKS = {
  keys: [
    {
      kty: 'EC',
      crv: 'P-256',
      x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
      y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
      kid: 'wallet-1',
    },
  ],
}

export const WALLET: WalletOut = {
  id: '7d6c5b4a-3f2e-4d1c-8b0a-9f8e7d6c5b4a',
  name: 'University wallet',
  clientId: 'https://wallet.university.example',
  redirectUris: ['https://wallet.university.example/callback', 'example.university.wallet:/callback'],
  jwks: JWKS,
}
