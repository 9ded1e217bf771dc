import type { WalletProviderChanges, WalletProviderRecord } from '../../../activities/openid/attestations/providers.ts'
import type { WalletProviderInput } from '../../../protocol/openid/oid4vci/attestations/providers.ts'
import type { Count, JsonObject, Uuid } from '../../frame/wire.ts'
import { JWKS, keysIn, type WalletKeySet, type WalletName } from '../authorization/wire.ts'

/** What the attestations of a provider name as iss; attestations that name another one are refused. */
export type ProviderIssuer = string

/** wallets: that they are the provider's. keys: that they are kept as it says. */
export type ProviderAttests = ('wallets' | 'keys')[]

/** Wallets that it vouches for, by their client id (sub of an attestation); none: each of its wallets. */
export type ProviderClients = string[]

/**
 * Where codes of its wallets may go that are not registered, besides loopback and schemes that are a domain name in reverse;
 * none: nowhere else.
 */
export type ProviderRedirectUris = string[]

/** X.509 certificates in PEM, one in each text: of authorities that certify its attestations, or of its signers. */
export type ProviderCertificates = string[]

export interface WalletProviderIn {
  name: WalletName
  issuer?: ProviderIssuer | null
  attests: ProviderAttests
  clientIds?: ProviderClients | null
  redirectUris?: ProviderRedirectUris | null
  certificates?: ProviderCertificates | null
  /** Public keys with a kid, which attestations name in their header. */
  jwks?: WalletKeySet | null
}

export interface WalletProviderChangesIn {
  name?: WalletName
  /** null: any issuer. */
  issuer?: ProviderIssuer | null
  attests?: ProviderAttests
  clientIds?: ProviderClients
  redirectUris?: ProviderRedirectUris
  certificates?: ProviderCertificates
  /** null: only its certificates count. */
  jwks?: WalletKeySet | null
}

export interface WalletProviderOut {
  id: Uuid
  name: string
  issuer: string | null
  attests: ProviderAttests
  clientIds: ProviderClients
  redirectUris: ProviderRedirectUris
  certificates: ProviderCertificates
  jwks: JsonObject | null
}

export interface WalletProviderPageOut {
  data: WalletProviderOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

export const toProvider = ({
  name,
  issuer,
  attests,
  clientIds,
  redirectUris,
  certificates,
  jwks,
}: WalletProviderIn): WalletProviderInput => ({
  name,
  issuer: issuer ?? undefined,
  attests,
  clientIds: clientIds ?? [],
  redirectUris: redirectUris ?? [],
  certificates: certificates ?? [],
  jwks: jwks ? keysIn(jwks) : undefined,
})

export const toProviderChanges = ({ jwks, issuer, ...changes }: WalletProviderChangesIn): WalletProviderChanges => ({
  ...changes,
  ...(issuer !== undefined && { issuer }),
  ...(jwks !== undefined && { jwks: jwks ? keysIn(jwks) : null }),
})

export const providerToWire = (record: WalletProviderRecord): WalletProviderOut => record

export const WALLET_PROVIDER: WalletProviderOut = {
  id: '2b7c1d90-5e4f-4a3b-9c8d-7e6f5a4b3c2d',
  name: 'Ministry of Wallets',
  issuer: 'https://provider.wallet.example',
  attests: ['wallets', 'keys'],
  clientIds: ['https://wallet.example'],
  redirectUris: ['https://wallet.example/callback'],
  certificates: [],
  jwks: JWKS,
}
