import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { OpenIdConfiguration } from '../../../entities/openid/configuration.ts'
import type { OpenIdIssuance, OpenIdSession } from '../../../entities/openid/sessions.ts'
import { timeoutOf } from '../../../protocol/openid/interaction.ts'
import { refuseMember } from '../../../protocol/openid/oid4vci/refusals.ts'
import { digestOf, newSecret } from '../../frame/secrets.ts'
import type { WalletClient } from '../authorization/clients.ts'
import { addStep } from './records.ts'

export interface AuthorizationDetail {
  type: 'openid_credential'
  credential_configuration_id: string
  credential_identifiers: string[]
}

export interface IssuedToken {
  sessionId: string
  accessToken: string
  expiresIn: number
  /** Bound to a key (RFC 9449), or not (RFC 6750). */
  tokenType: 'DPoP' | 'Bearer'
  /** Of an authorization request with scope: those of what it was granted. */
  scope?: string
  authorizationDetails?: AuthorizationDetail[]
  /** By which the wallet gets credentials anew. */
  refreshToken?: string
}

/** Seconds from the first token of a session to its end: those that the tenant gives its holders (D-468). */
export async function timeoutSeconds(em: SqlEntityManager): Promise<number> {
  const row = await em.findOne(OpenIdConfiguration, {})
  return timeoutOf(Number(row?.sessionTimeoutSeconds ?? 0))
}

/** Throws `wallet.invalid_authorization_details` for a configuration that the session does not have. */
export const detailsOf = (issuances: readonly OpenIdIssuance[], ids: readonly string[]): AuthorizationDetail[] =>
  [...new Set(ids.map((id) => id.toLowerCase()))].map((id) => {
    const issuance = issuances.find(({ templateId }) => templateId === id)
    if (!issuance)
      throw refuseMember(
        'invalid_authorization_details',
        'authorization_details',
        'unknown',
        'expected configurations of the offer',
      )
    return { type: 'openid_credential', credential_configuration_id: id, credential_identifiers: [issuance.id] }
  })

/** A token that whoever has it can use lasts no longer (OpenID4VCI 1.0, section 13, on protecting the access token). */
const UNBOUND_MS = 5 * 60_000

/** When a token ends that would last until then. */
export const tokenEnd = (until: Date, isBound: boolean, at: Date): Date =>
  isBound ? until : new Date(Math.min(until.getTime(), at.getTime() + UNBOUND_MS))

/**
 * Notes the access token of a session, which ends with it, or earlier where no key binds it; one that it had before counts no
 * more.
 */
export function giveToken(
  session: OpenIdSession,
  client: WalletClient,
  details: AuthorizationDetail[] | undefined,
  { at, endsAt }: { at: Date; endsAt: Date },
): IssuedToken {
  const accessToken = newSecret()
  const tokenExpiresAt = tokenEnd(endsAt, client.jkt !== undefined, at)
  Object.assign(session, {
    state: 'AUTHORIZED',
    codeUsedAt: session.codeUsedAt ?? at,
    tokenDigest: digestOf(accessToken),
    tokenExpiresAt,
    endsAt,
    walletClientId: client.clientId ?? null,
    dpopJkt: client.jkt ?? null,
    usesIdentifiers: details !== undefined,
  })
  addStep(session, at, { step: 'TOKEN_ISSUED' })
  return {
    sessionId: session.id,
    accessToken,
    expiresIn: Math.floor((tokenExpiresAt.getTime() - at.getTime()) / 1000),
    tokenType: client.jkt === undefined ? 'Bearer' : 'DPoP',
    ...(details && { authorizationDetails: details }),
  }
}
