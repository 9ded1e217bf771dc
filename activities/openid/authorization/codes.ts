import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { OpenIdSession } from '../../../entities/openid/sessions.ts'
import { OpenIdIssuance } from '../../../entities/openid/sessions.ts'
import { OpenIdWalletLogin } from '../../../entities/openid/wallets.ts'
import type { LoginContent } from '../../../protocol/openid/oid4vci/authorization/types.ts'
import { walletRefusal } from '../../../protocol/openid/oid4vci/refusals.ts'
import type { AuthorizationCodeRequest } from '../../../protocol/openid/oid4vci/requests.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Sealer } from '../../frame/sealing.ts'
import { digestOf, isSame } from '../../frame/secrets.ts'
import { endReissuances, lockReissuanceOf } from '../reissuances/records.ts'
import { addStep, endSession, issuancesOf, lockSession } from '../sessions/records.ts'
import type { WalletClient } from './clients.ts'
import { openLogin } from './records.ts'

const invalidGrant = (message: string) => walletRefusal('invalid_grant', message)

/** A code that may be exchanged now. */
export interface GoodCode {
  session: OpenIdSession
  issuances: OpenIdIssuance[]
  content: LoginContent
  /** The code has given its token, which ends then. */
  use(endsAt: Date): void
}

/** Used a second time: what the code gave is revoked (RFC 6749, section 4.1.2). */
export interface ReusedCode {
  reusedIn: string
  /** Sessions of the same re-issuance, which ended with it. */
  alsoEnded: string[]
}

/**
 * Compares what the wallet sends with what its authorization request said (RFC 6749, 4.1.3; RFC 7636, 4.6; RFC 9449, 10), and
 * the instance that asks with the one that pushed (draft-ietf-oauth-attestation-based-client-auth).
 */
function checkBindings(content: LoginContent, request: AuthorizationCodeRequest, client: WalletClient): void {
  const challenge = digestOf(request.codeVerifier).toString('base64url')
  if (client.clientId !== content.clientId) throw invalidGrant('The code is not valid: it is of another client_id.')
  if (request.redirectUri !== content.redirectUri)
    throw invalidGrant('The code is not valid: redirect_uri is not that of the authorization request.')
  if (!isSame(challenge, content.codeChallenge))
    throw invalidGrant('The code is not valid: code_verifier does not fit the code_challenge.')
  if (content.dpopJkt !== undefined && content.dpopJkt !== client.jkt)
    throw invalidGrant('The code is not valid: it is bound to another DPoP key.')
  // the attestation is why the code may have gone to an address that nobody has registered (D-1192)
  if (content.instanceJkt !== undefined && content.instanceJkt !== client.instanceJkt)
    throw invalidGrant('The code is not valid: it is of a wallet that pushed its request with an attestation.')
}

/** Codes at the token endpoint. */
export const createCodes = ({ now, sealer }: Pick<Dependencies, 'now'> & { sealer: Sealer }) => ({
  /** Throws `wallet.invalid_grant`. */
  async take(
    em: SqlEntityManager,
    request: AuthorizationCodeRequest,
    client: WalletClient,
  ): Promise<GoodCode | ReusedCode | undefined> {
    const where = { codeDigest: digestOf(request.code) }
    const row = await em.findOne(OpenIdWalletLogin, where, { lockMode: LockMode.PESSIMISTIC_WRITE })
    if (row?.sessionId) await lockReissuanceOf(em, row.sessionId)
    const session = row?.sessionId ? await lockSession(em, row.sessionId) : null
    if (!row || !session) return undefined
    const at = now()
    const issuances = await issuancesOf(em, session.id)
    if (row.state === 'USED') {
      const alsoEnded: string[] = []
      if (session.loginId === row.id && session.tokenDigest) {
        session.tokenDigest = null
        addStep(session, at, { step: 'CODE_REUSED' })
        if (!session.endedAt)
          endSession(session, issuances, at, {
            state: 'FAILED',
            code: 'openid_session.code_reused',
            message: 'The authorization code was used a second time.',
          })
        await em.flush()
        const { reissuanceId } = session
        if (reissuanceId) alsoEnded.push(...(await endReissuances(em, { id: reissuanceId }, at)))
      }
      return { reusedIn: session.id, alsoEnded }
    }
    const isOver = session.endedAt || session.endsAt <= at || session.loginId !== row.id
    if (row.state !== 'CODE' || row.expiresAt <= at || isOver) return undefined
    const content = openLogin(sealer, row)
    checkBindings(content, request, client)
    const { granted = [] } = content
    const own = issuances.filter(({ templateId }) => granted.includes(templateId))
    const left = issuances.filter(({ templateId }) => !granted.includes(templateId))
    // what the wallet did not ask for is not in its session
    if (left.length > 0) await em.nativeDelete(OpenIdIssuance, { id: { $in: left.map(({ id }) => id) } })
    return {
      session,
      issuances: own,
      content,
      use: (endsAt) => {
        Object.assign(row, { state: 'USED', expiresAt: endsAt, updatedAt: at })
      },
    }
  },
})

export type Codes = ReturnType<typeof createCodes>
