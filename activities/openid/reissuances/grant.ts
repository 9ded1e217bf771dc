import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { OpenIdReissuance } from '../../../entities/openid/reissuances.ts'
import type { OpenIdSession } from '../../../entities/openid/sessions.ts'
import { DAY_MS } from '../../../protocol/time.ts'
import type { Dependencies } from '../../dependencies.ts'
import { digestOf, newSecret } from '../../frame/secrets.ts'
import type { WalletClient } from '../authorization/clients.ts'

type Binding = Pick<OpenIdReissuance, 'boundTo'> & { keyThumbprint: string | null }

/**
 * What the refresh token of a wallet is bound to: the key of its instance, where its provider vouches for it
 * (draft-ietf-oauth-attestation-based-client-auth-11); its registered keys; else the key of its DPoP proofs (RFC 9449,
 * section 5). Undefined: whoever has the token could use it, so there is none (RFC 9700, section 2.2.2).
 */
export function bindingOf({ instanceJkt, isRegistered, clientId, jkt }: WalletClient): Binding | undefined {
  if (instanceJkt !== undefined) return { boundTo: 'instance', keyThumbprint: instanceJkt }
  if (isRegistered && clientId !== undefined) return { boundTo: 'registration', keyThumbprint: null }
  return jkt === undefined ? undefined : { boundTo: 'dpop', keyThumbprint: jkt }
}

/** Whether a wallet is the one that a refresh token was given to, and proves it. */
export function isHolder(row: OpenIdReissuance, client: WalletClient): boolean {
  if ((row.walletClientId ?? undefined) !== client.clientId) return false
  if (row.boundTo === 'instance') return client.instanceJkt !== undefined && client.instanceJkt === row.keyThumbprint
  if (row.boundTo === 'registration') return client.isRegistered
  return client.jkt !== undefined && client.jkt === row.keyThumbprint
}

interface Asked {
  scope?: string | undefined
  /** Templates. */
  grantedIds: string[]
  usesIdentifiers: boolean
}

/** Refresh tokens for wallets that have got an access token. */
export const createReissuanceGrants = ({ now, uuid }: Pick<Dependencies, 'now' | 'uuid'>) => ({
  /** Returns the refresh token; undefined where the tenant gives none, or where nothing would bind it to its wallet. */
  grant(
    em: SqlEntityManager,
    session: OpenIdSession,
    client: WalletClient,
    { scope, grantedIds, usesIdentifiers }: Asked,
  ): string | undefined {
    const { reissueDays } = client.policy
    const binding = bindingOf(client)
    if (reissueDays === 0 || !binding) return undefined
    const refreshToken = newSecret()
    const at = now()
    const id = uuid()
    const { tenantId, id: sessionId, userId, grantType, clientId } = session
    em.create(OpenIdReissuance, {
      ...{ id, tenantId, sessionId, userId: userId ?? null, grantType, clientId, grantedIds, usesIdentifiers },
      ...binding,
      tokenDigest: digestOf(refreshToken),
      walletClientId: client.clientId ?? null,
      scope: scope ?? null,
      templateIds: [],
      credentialIds: [],
      endsAt: new Date(at.getTime() + reissueDays * DAY_MS),
      createdAt: at,
      updatedAt: at,
    })
    session.reissuanceId = id
    return refreshToken
  },
})

export type ReissuanceGrants = ReturnType<typeof createReissuanceGrants>
