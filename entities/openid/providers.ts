import { defineEntity, p } from '@mikro-orm/core'
import { EVERYTHING, owned, ownedByTenant, type Rights } from '../base.ts'

/** A value of a parameter that every authorization request gets. */
export type StaticParameter = string | Record<string, string>

/** An OpenID provider elsewhere that identifies holders. */
const AuthenticationProviderSchema = defineEntity({
  name: 'AuthenticationProvider',
  tableName: 'authentication_providers',
  filters: ownedByTenant,
  properties: {
    ...owned,
    /** Its issuer, as its own metadata writes it. */
    url: p.text(),
    clientId: p.text(),
    /** Encrypted; null where the client has none. */
    clientSecret: p.blob().nullable(),
    scope: p.array(),
    claimsToPersist: p.array(),
    forwardedParameters: p.array(),
    staticParameters: p.json<Record<string, StaticParameter>>(),
    authMethod: p.text(),
    /** P-256 key in the key store that signs client assertions; null until private_key_jwt is chosen. */
    keyId: p.uuid().nullable(),
    /** Compressed point. */
    publicKey: p.blob().nullable(),
    updatedAt: p.datetime(),
  },
})
export class AuthenticationProvider extends AuthenticationProviderSchema.class {}
AuthenticationProviderSchema.setClass(AuthenticationProvider)

/** An authorization that a holder was sent to, until the callback or its end. */
const OpenIdAuthorizationSchema = defineEntity({
  name: 'OpenIdAuthorization',
  tableName: 'openid_authorizations',
  filters: ownedByTenant,
  properties: {
    ...owned,
    providerId: p.uuid(),
    /** SHA-256 of the state. */
    stateDigest: p.blob(),
    /** JSON, encrypted: nonce, code verifier, and what the caller gets back. */
    content: p.blob(),
    expiresAt: p.datetime(),
  },
})
export class OpenIdAuthorization extends OpenIdAuthorizationSchema.class {}
OpenIdAuthorizationSchema.setClass(OpenIdAuthorization)

export const RIGHTS = {
  authentication_providers: { app: EVERYTHING, system: 'select, delete' },
  openid_authorizations: { app: 'select, insert, delete', system: 'select, delete' },
} satisfies Rights
