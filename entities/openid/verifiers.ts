import { defineEntity, p } from '@mikro-orm/core'
import type { RequestUriMethod } from '../../protocol/openid/presentations/requests.ts'
import type { ClaimMapping } from '../../protocol/openid/verifiers/values.ts'
import { EVERYTHING, owned, ownedByTenant, type Rights } from '../base.ts'

/** An OpenID provider that signs people in by their credentials. */
const OidcVerifierSchema = defineEntity({
  name: 'OidcVerifier',
  tableName: 'oidc_verifiers',
  filters: ownedByTenant,
  properties: {
    ...owned,
    verifierDid: p.text(),
    presentationTemplateId: p.uuid(),
    includePresentation: p.boolean(),
    claimMappings: p.json<ClaimMapping[]>(),
    /** DER in base64, the verifier's own first; null: wallets know it by its DID. */
    certificateChain: p.array().nullable(),
    /** Null: get. */
    requestUriMethod: p.text().$type<RequestUriMethod>().nullable(),
    updatedAt: p.datetime(),
  },
})
export class OidcVerifier extends OidcVerifierSchema.class {}
OidcVerifierSchema.setClass(OidcVerifier)

/** A relying party of a verifier. */
const OidcClientSchema = defineEntity({
  name: 'OidcClient',
  tableName: 'oidc_clients',
  filters: ownedByTenant,
  properties: {
    ...owned,
    verifierId: p.uuid(),
    name: p.text(),
    applicationType: p.text(),
    redirectUris: p.array(),
    grantTypes: p.array(),
    responseTypes: p.array(),
    tokenEndpointAuthMethod: p.text(),
    idTokenSignedResponseAlg: p.text(),
    logoUri: p.text().nullable(),
    /** SHA-256 of 256 random bits; null for a client that has none. */
    secretDigest: p.blob().nullable(),
    updatedAt: p.datetime(),
  },
})
export class OidcClient extends OidcClientSchema.class {}
OidcClientSchema.setClass(OidcClient)

/** A key that signs a verifier's ID tokens, or did so lately. */
const OidcKeySchema = defineEntity({
  name: 'OidcKey',
  tableName: 'oidc_keys',
  filters: ownedByTenant,
  properties: {
    ...owned,
    verifierId: p.uuid(),
    keyType: p.text().$type<'p256' | 'ed25519'>(),
    publicKey: p.blob(),
  },
})
export class OidcKey extends OidcKeySchema.class {}
OidcKeySchema.setClass(OidcKey)

export type SignInState = 'WAITING' | 'PRESENTED' | 'REFUSED'

/** A person who is asked for credentials, in one browser, for one client. */
const OidcSignInSchema = defineEntity({
  name: 'OidcSignIn',
  tableName: 'oidc_sign_ins',
  filters: ownedByTenant,
  properties: {
    ...owned,
    verifierId: p.uuid(),
    clientId: p.uuid(),
    /** SHA-256 of the name of the browser's interaction. */
    interactionDigest: p.blob(),
    /** SHA-256 of what names the wallet's request, on another device and on the same one. */
    otherDeviceDigest: p.blob(),
    sameDeviceDigest: p.blob(),
    state: p.text().$type<SignInState>(),
    /** By which of the two the wallet answered. */
    answeredBy: p.text().$type<'other' | 'same'>().nullable(),
    /** Answers whose verification has begun. */
    attempts: p.integer().default(0),
    failures: p.integer().default(0),
    failureCode: p.text().nullable(),
    /** JSON, encrypted: the name of the interaction; once presented, who it was and the claims. */
    content: p.blob(),
    /** Of the request that began it, for the log. */
    requestId: p.uuid(),
    expiresAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})
export class OidcSignIn extends OidcSignInSchema.class {}
OidcSignInSchema.setClass(OidcSignIn)

export const RIGHTS = {
  oidc_verifiers: { app: EVERYTHING, system: 'select, delete' },
  oidc_clients: { app: EVERYTHING, system: 'select, delete' },
  oidc_keys: { app: EVERYTHING, system: 'select, delete' },
  oidc_sign_ins: { app: EVERYTHING, system: 'select, delete' },
  oidc_payloads: { app: EVERYTHING, system: 'select, delete' },
} satisfies Rights
