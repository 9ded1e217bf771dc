import { defineEntity, p } from '@mikro-orm/core'
import type { LoginState, WalletJwk, WalletProfile } from '../../protocol/openid/oid4vci/authorization/types.ts'
import { EVERYTHING, owned, ownedByTenant, type Rights } from '../base.ts'

/** A wallet that the tenant knows: where its codes go, and by which keys it authenticates. */
const OpenIdWalletSchema = defineEntity({
  name: 'OpenIdWallet',
  tableName: 'openid_wallets',
  filters: ownedByTenant,
  properties: {
    ...owned,
    clientId: p.text(),
    name: p.text(),
    redirectUris: p.array(),
    /** Public keys; null: the wallet does not authenticate. */
    jwks: p.json<{ keys: WalletJwk[] }>().nullable(),
    updatedAt: p.datetime(),
  },
})
export class OpenIdWallet extends OpenIdWalletSchema.class {}
OpenIdWalletSchema.setClass(OpenIdWallet)

/** A maker of wallets, whose attestations the tenant trusts. */
const OpenIdWalletProviderSchema = defineEntity({
  name: 'OpenIdWalletProvider',
  tableName: 'openid_wallet_providers',
  filters: ownedByTenant,
  properties: {
    ...owned,
    name: p.text(),
    /** What its attestations name as iss. */
    issuer: p.text().nullable(),
    attestsWallets: p.boolean(),
    attestsKeys: p.boolean(),
    /** Wallets that it vouches for, by their client id; none: each of its wallets. */
    clientIds: p.array(),
    /** Where codes of its wallets may go that are not registered, besides addresses on the holder's device. */
    redirectUris: p.array(),
    /** PEM. */
    certificates: p.array(),
    /** Public keys; null: certificates alone count. */
    jwks: p.json<{ keys: WalletJwk[] }>().nullable(),
    updatedAt: p.datetime(),
  },
})
export class OpenIdWalletProvider extends OpenIdWalletProviderSchema.class {}
OpenIdWalletProviderSchema.setClass(OpenIdWalletProvider)

/** What a tenant requires of wallets. */
const OpenIdWalletPolicySchema = defineEntity({
  name: 'OpenIdWalletPolicy',
  tableName: 'openid_wallet_policies',
  filters: ownedByTenant,
  properties: {
    ...owned,
    requiresPar: p.boolean(),
    requiresDpop: p.boolean(),
    requiresClientAuthentication: p.boolean(),
    /** Whoever can log in may get every template, without an offer. */
    allowsWalletInitiated: p.boolean(),
    requiresEncryption: p.boolean(),
    signsMetadata: p.boolean(),
    requiresWalletAttestation: p.boolean(),
    requiresKeyAttestation: p.boolean(),
    keyStorage: p.array(),
    userAuthentication: p.array(),
    batchSize: p.integer(),
    /** For which wallets get credentials anew by a refresh token; 0: they get none. */
    reissueDays: p.integer(),
    /** Grants of before this have ended by an earlier number of days. */
    reissuesSince: p.datetime().nullable(),
    /** Its demands count besides what the members say. */
    profile: p.text().$type<WalletProfile>().nullable(),
    updatedAt: p.datetime(),
  },
})
export class OpenIdWalletPolicy extends OpenIdWalletPolicySchema.class {}
OpenIdWalletPolicySchema.setClass(OpenIdWalletPolicy)

/** The way of a holder from a wallet's authorization request to its code. */
const OpenIdWalletLoginSchema = defineEntity({
  name: 'OpenIdWalletLogin',
  tableName: 'openid_wallet_logins',
  filters: ownedByTenant,
  properties: {
    ...owned,
    /** Null until there is one: a request without an offer has its session from the login on. */
    sessionId: p.uuid().nullable(),
    /** Whose claims `content` has. */
    userId: p.uuid().nullable(),
    state: p.text().$type<LoginState>(),
    /** SHA-256 of a request_uri. */
    requestDigest: p.blob().nullable(),
    /** SHA-256 of the code. */
    codeDigest: p.blob().nullable(),
    /** JSON, encrypted: the wallet's request, the browser, and who has logged in. */
    content: p.blob(),
    /** The end of the present state; of a used code that of its token. */
    expiresAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})
export class OpenIdWalletLogin extends OpenIdWalletLoginSchema.class {}
OpenIdWalletLoginSchema.setClass(OpenIdWalletLogin)

export const RIGHTS = {
  openid_wallets: { app: EVERYTHING, system: 'select, delete' },
  openid_wallet_providers: { app: EVERYTHING, system: 'select, delete' },
  openid_wallet_policies: { app: EVERYTHING, system: 'select, delete' },
  openid_wallet_logins: { app: EVERYTHING, system: 'select, delete' },
  openid_used_jtis: { app: 'select, insert', system: 'select, delete' },
} satisfies Rights
