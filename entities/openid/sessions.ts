import { defineEntity, p } from '@mikro-orm/core'
import type { FormatName } from '../../protocol/credentials/formats.ts'
import type { GrantType, IssuanceState, SessionState, SessionStep } from '../../protocol/openid/oid4vci/session.ts'
import { EVERYTHING, owned, ownedByTenant, type Rights } from '../base.ts'

/** The way of a holder from an offer to their credentials. */
const OpenIdSessionSchema = defineEntity({
  name: 'OpenIdSession',
  tableName: 'openid_sessions',
  filters: ownedByTenant,
  properties: {
    ...owned,
    grantType: p.text().$type<GrantType>(),
    state: p.text().$type<SessionState>(),
    /** JSON, encrypted: claims of the offer and of the user. Null once the session has ended. */
    content: p.blob().nullable(),
    /** SHA-256 of the pre-authorized code. */
    codeDigest: p.blob().nullable(),
    codeExpiresAt: p.datetime().nullable(),
    codeUsedAt: p.datetime().nullable(),
    /** SHA-256 of the issuer_state of an offer with a login. */
    issuerStateDigest: p.blob().nullable(),
    /** Who logs the holder in. */
    providerId: p.uuid().nullable(),
    /** Whose claims `content` has. */
    userId: p.uuid().nullable(),
    /** The login whose code gives the token: the last one that came to a code. */
    loginId: p.uuid().nullable(),
    /** Keyed digest of the transaction code, where the holder has to type one. */
    txCodeDigest: p.blob().nullable(),
    txCodeFailures: p.integer().default(0),
    /** SHA-256 of the access token. */
    tokenDigest: p.blob().nullable(),
    tokenExpiresAt: p.datetime().nullable(),
    /** Thumbprint of the key that the token is bound to (RFC 9449). */
    dpopJkt: p.text().nullable(),
    /** What the wallet calls itself. */
    walletClientId: p.text().nullable(),
    /** The answer to the token request named credential_identifiers, which credential requests must use then. */
    usesIdentifiers: p.boolean().default(false),
    /** By which its wallet gets the credentials anew, or got these. */
    reissuanceId: p.uuid().nullable(),
    steps: p.json<SessionStep[]>(),
    failureCode: p.text().nullable(),
    failureMessage: p.text().nullable(),
    /** Of the request that made the session. */
    requestId: p.uuid(),
    clientId: p.text(),
    /** The session ends then by itself. */
    endsAt: p.datetime(),
    endedAt: p.datetime().nullable(),
    updatedAt: p.datetime(),
  },
})
export class OpenIdSession extends OpenIdSessionSchema.class {}
OpenIdSessionSchema.setClass(OpenIdSession)

/** What a session gives once: the credentials of a template, one for each key of one request. */
const OpenIdIssuanceSchema = defineEntity({
  name: 'OpenIdIssuance',
  tableName: 'openid_issuances',
  filters: ownedByTenant,
  properties: {
    ...owned,
    sessionId: p.uuid(),
    /** In the offer, from 0. */
    place: p.integer(),
    templateId: p.uuid(),
    templateVersion: p.integer().nullable(),
    format: p.text().$type<FormatName>(),
    state: p.text().$type<IssuanceState>(),
    /** JSON, encrypted: the keys of the wallet. Null until a wallet asks, and once the session has ended. */
    request: p.blob().nullable(),
    /** Over the thumbprints of the keys: the same request gets the same credentials. */
    requestDigest: p.blob().nullable(),
    /** Of the wallet's request, for the log. */
    requestId: p.uuid().nullable(),
    requestedAt: p.datetime().nullable(),
    credentialIds: p.array().columnType('uuid[]').nullable(),
    issuedAt: p.datetime().nullable(),
    /** What the wallet did with them. */
    notification: p.text().nullable(),
    failureCode: p.text().nullable(),
    failureMessage: p.text().nullable(),
    /** For the wallet and its user. */
    walletMessage: p.text().nullable(),
    updatedAt: p.datetime(),
  },
})
export class OpenIdIssuance extends OpenIdIssuanceSchema.class {}
OpenIdIssuanceSchema.setClass(OpenIdIssuance)

export const RIGHTS = {
  openid_sessions: { app: EVERYTHING, system: 'select, delete' },
  openid_issuances: { app: EVERYTHING, system: 'select, delete' },
  openid_used_nonces: { app: 'select, insert', system: 'select, delete' },
} satisfies Rights
