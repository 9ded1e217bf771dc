import { defineEntity, p } from '@mikro-orm/core'
import type { GrantType } from '../../protocol/openid/oid4vci/session.ts'
import { EVERYTHING, owned, ownedByTenant, type Rights } from '../base.ts'

/** A wallet may get credentials anew, by its refresh token and without its holder. */
const OpenIdReissuanceSchema = defineEntity({
  name: 'OpenIdReissuance',
  tableName: 'openid_reissuances',
  filters: ownedByTenant,
  properties: {
    ...owned,
    /** The session that gave the token. */
    sessionId: p.uuid(),
    /** Whose claims `content` has. */
    userId: p.uuid().nullable(),
    grantType: p.text().$type<GrantType>(),
    /** SHA-256 of the refresh token. */
    tokenDigest: p.blob(),
    /** What the wallet calls itself; null: nothing. */
    walletClientId: p.text().nullable(),
    /** What a wallet has to prove: the key of its attestation, its registered keys, or its DPoP key. */
    boundTo: p.text().$type<'instance' | 'registration' | 'dpop'>(),
    /** Of the key; null for registered ones, which may change. */
    keyThumbprint: p.text().nullable(),
    /** Of the authorization request. */
    scope: p.text().nullable(),
    /** Templates that the first token was for. */
    grantedIds: p.array().columnType('uuid[]'),
    usesIdentifiers: p.boolean(),
    /** JSON, encrypted: the claims of the session. Null until a credential was issued. */
    content: p.blob().nullable(),
    /** Of each of `credentialIds`, in their order. */
    templateIds: p.array().columnType('uuid[]'),
    /** Issued last, of each template. */
    credentialIds: p.array().columnType('uuid[]'),
    uses: p.integer().default(0),
    usedAt: p.datetime().nullable(),
    /** Of the caller that made the offer. */
    clientId: p.text(),
    endsAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})
export class OpenIdReissuance extends OpenIdReissuanceSchema.class {}
OpenIdReissuanceSchema.setClass(OpenIdReissuance)

export const RIGHTS = {
  openid_reissuance_credentials: { app: 'select, insert, delete', system: 'select, delete' },
  openid_reissuances: { app: EVERYTHING, system: 'select, delete' },
} satisfies Rights
