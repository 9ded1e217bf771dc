import type { JWK } from 'jose'
import type { Json } from '../../../json.ts'

/** A public key of a registered wallet. */
export type WalletJwk = JWK & { kty: string }

/** A wallet, as it is registered, attested, and named in requests. */
export const CLIENT_ID = /^[\x21-\x7e]{1,255}$/

/**
 * `PUSHED`: the wallet has a request_uri. `LOGIN`: the holder is at the authentication provider. `HOOK`: at the interaction
 * hook. `ANSWERED`: the hook has answered, and the browser is on its way back. `CODE`: the wallet has a code. `USED`: the
 * code gave a token.
 */
export type LoginState = 'PUSHED' | 'LOGIN' | 'HOOK' | 'ANSWERED' | 'CODE' | 'USED'

/** OpenID4VC High Assurance Interoperability Profile 1.0. */
export const WALLET_PROFILES = ['haip'] as const
export type WalletProfile = (typeof WALLET_PROFILES)[number]

/** What a tenant requires of wallets. */
export interface WalletPolicy {
  profile: WalletProfile | null
  requiresPar: boolean
  requiresDpop: boolean
  requiresClientAuthentication: boolean
  allowsWalletInitiated: boolean
  /** Credential requests and their answers are encrypted (OpenID4VCI 1.0, section 10). */
  requiresEncryption: boolean
  /** Wallets that ask for it get the issuer's metadata as a JWT (section 12.2.3). */
  signsMetadata: boolean
  /** Wallets authenticate by an attestation of their provider. */
  requiresWalletAttestation: boolean
  /** The keys of credentials are attested by a provider (OpenID4VCI 1.0, appendix D). */
  requiresKeyAttestation: boolean
  /** How well attested keys are kept, and their use is guarded: one of these; without any, as it may be. */
  keyStorage: string[]
  userAuthentication: string[]
  /** Keys of one request at most. */
  batchSize: number
  /** Days for which a wallet gets its credentials anew by a refresh token (section 13.5); 0: there is none. */
  reissueDays: number
}

/** Keys of one request at most, whatever a tenant allows. */
export const MAX_BATCH = 20

/** As long as claims are kept for wallets at most: two years. */
export const MAX_REISSUE_DAYS = 730

export const DEFAULT_POLICY: WalletPolicy = {
  profile: null,
  requiresPar: false,
  requiresDpop: false,
  requiresClientAuthentication: false,
  allowsWalletInitiated: false,
  requiresEncryption: false,
  signsMetadata: false,
  requiresWalletAttestation: false,
  requiresKeyAttestation: false,
  keyStorage: [],
  userAuthentication: [],
  batchSize: MAX_BATCH,
  reissueDays: 0,
}

/** Where the answer goes: settled before anything is answered there. */
export interface Target {
  clientId: string
  redirectUri: string
  state?: string
}

/** A valid authorization request (RFC 6749, section 4.1.1; OpenID4VCI 1.0, section 5.1). */
export interface WalletRequest extends Target {
  /** S256. */
  codeChallenge: string
  scope?: string
  /** Of authorization_details. */
  configurationIds?: string[]
  issuerState?: string
  /** Thumbprint of the key that the token is to be bound to (RFC 9449, section 10). */
  dpopJkt?: string
  /** The others, of which an authentication provider gets those that it forwards. */
  parameters: Record<string, string>
}

/** Who has logged in, until the session has it. */
export interface LoggedIn {
  userId: string
  userClaims: Json
  authenticationProvider: { subjectId: string; url: string }
}

/** What a login keeps, encrypted. */
export interface LoginContent extends WalletRequest {
  /** A provider of the tenant has vouched for the wallet that pushed it. */
  isAttested?: true
  /** Thumbprint of the key of that wallet's instance; absent also in requests that an earlier release has taken. */
  instanceJkt?: string
  /** That provider has the address among those of its wallets. */
  isNamed?: true
  /** The pushed request that it was begun with, which one login uses up. */
  pushedId?: string
  /** Templates that the code is for. */
  granted?: string[]
  providerId?: string
  /** SHA-256 of the browser's secret, in base64url. */
  browser?: string
  holder?: LoggedIn
}
