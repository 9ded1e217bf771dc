import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { OpenIdConfiguration } from '../../../entities/openid/configuration.ts'
import type { OpenIdIssuance } from '../../../entities/openid/sessions.ts'
import { OpenIdSession } from '../../../entities/openid/sessions.ts'
import { inTenant } from '../../../entities/orm.ts'
import type { Refusal } from '../../../protocol/errors.ts'
import { timeoutOf } from '../../../protocol/openid/interaction.ts'
import { TX_CODE_TRIES } from '../../../protocol/openid/oid4vci/offers.ts'
import { refuseMember, walletRefusal } from '../../../protocol/openid/oid4vci/refusals.ts'
import type { PreAuthorizedRequest, TokenRequest } from '../../../protocol/openid/oid4vci/requests.ts'
import type { Dependencies } from '../../dependencies.ts'
import { addStep, endSession, issuancesOf } from './records.ts'
import { digestOf, newSecret, type SessionSecrets } from './secrets.ts'

export interface AuthorizationDetail {
  type: 'openid_credential'
  credential_configuration_id: string
  credential_identifiers: string[]
}

export interface IssuedToken {
  sessionId: string
  accessToken: string
  expiresIn: number
  authorizationDetails?: AuthorizationDetail[]
}

interface Parts extends Pick<Dependencies, 'database' | 'now'> {
  secrets: SessionSecrets
  /** Tells the workflow of a session that its row has changed. */
  wake(tenantId: string, sessionId: string): Promise<void>
}

const invalidGrant = (message: string) => walletRefusal('invalid_grant', message)

/** The same for each code that gives nothing, so that nobody learns which ones there are. */
const noCode = () =>
  invalidGrant('The code is not valid: it is unknown, has ended, was used already, or is of another issuer.')

/** Refused, and what the refusal changed stays. */
type Outcome = { token: IssuedToken } | { refusal: Refusal; sessionId: string }

/** Access tokens of sessions. */
export function createSessionTokens({ database, now, secrets, wake }: Parts) {
  /** Seconds from the first token to the end: those that the tenant gives its holders (D-468). */
  async function timeoutSeconds(em: SqlEntityManager): Promise<number> {
    const row = await em.findOne(OpenIdConfiguration, {})
    return timeoutOf(Number(row?.sessionTimeoutSeconds ?? 0))
  }

  function detailsOf(issuances: readonly OpenIdIssuance[], ids: readonly string[]): AuthorizationDetail[] {
    return [...new Set(ids.map((id) => id.toLowerCase()))].map((id) => {
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
  }

  /** Counts a wrong transaction code; after five of them the session ends (abuse: guessing in parallel). */
  function refuseTxCode(session: OpenIdSession, issuances: readonly OpenIdIssuance[]): Refusal {
    const at = now()
    session.txCodeFailures += 1
    addStep(session, at, { step: 'TX_CODE_REFUSED' })
    const left = TX_CODE_TRIES - session.txCodeFailures
    if (left <= 0)
      endSession(session, issuances, at, {
        state: 'FAILED',
        code: 'openid_session.tx_code_guessed',
        message: `The transaction code was wrong ${TX_CODE_TRIES} times.`,
      })
    return invalidGrant(
      left > 0
        ? `The transaction code is wrong. Tries left: ${left}.`
        : 'The transaction code was wrong too often; the offer has ended.',
    )
  }

  /** A missing or a needless transaction code uses up nothing: the wallet may ask its user, and send the request again. */
  function checkTxCode({ txCodeDigest }: OpenIdSession, { txCode }: PreAuthorizedRequest): void {
    if (txCodeDigest && txCode === undefined)
      throw refuseMember('invalid_request', 'tx_code', 'required', 'expected the transaction code that the holder got')
    if (!txCodeDigest && txCode !== undefined)
      throw refuseMember('invalid_request', 'tx_code', 'unexpected', 'expected none: the offer has no transaction code')
  }

  const exchange = (tenantId: string, request: TokenRequest & PreAuthorizedRequest): Promise<Outcome> =>
    inTenant(database.tenants, tenantId, async (em) => {
      const where = { codeDigest: digestOf(request.code), grantType: 'pre-authorized_code' } as const
      const session = await em.findOne(OpenIdSession, where, { lockMode: LockMode.PESSIMISTIC_WRITE })
      if (!session) throw noCode()
      const at = now()
      const { codeExpiresAt, codeUsedAt, endedAt, txCodeDigest, id: sessionId } = session
      if (endedAt || codeUsedAt || !codeExpiresAt || codeExpiresAt <= at) throw noCode()
      checkTxCode(session, request)
      const issuances = await issuancesOf(em, sessionId)
      if (txCodeDigest && !secrets.isTxCode(sessionId, request.txCode ?? '', txCodeDigest))
        return { refusal: refuseTxCode(session, issuances), sessionId }
      const details = request.configurationIds && detailsOf(issuances, request.configurationIds)
      const accessToken = newSecret()
      const expiresIn = await timeoutSeconds(em)
      const endsAt = new Date(at.getTime() + expiresIn * 1000)
      Object.assign(session, {
        state: 'AUTHORIZED',
        codeUsedAt: at,
        tokenDigest: digestOf(accessToken),
        tokenExpiresAt: endsAt,
        endsAt,
        walletClientId: request.clientId ?? null,
        usesIdentifiers: details !== undefined,
      })
      addStep(session, at, { step: 'TOKEN_ISSUED' })
      return { token: { sessionId, accessToken, expiresIn, ...(details && { authorizationDetails: details }) } }
    })

  return {
    /**
     * Exchanges a code for an access token, once. Throws `wallet.invalid_grant`, `wallet.invalid_request`,
     * `wallet.invalid_authorization_details`.
     */
    async exchangeCode(tenantId: string, request: TokenRequest): Promise<IssuedToken> {
      if (request.grantType !== 'pre-authorized_code') throw noCode()
      const outcome = await exchange(tenantId, request)
      const isOver = 'refusal' in outcome
      await wake(tenantId, isOver ? outcome.sessionId : outcome.token.sessionId)
      if (isOver) throw outcome.refusal
      return outcome.token
    },

    /**
     * The session of an access token, also after its end: a wallet may get again what it was given, until the token ends.
     * Throws `wallet.invalid_token`.
     */
    async sessionOf(tenantId: string, accessToken: string | undefined): Promise<OpenIdSession> {
      const session =
        accessToken === undefined
          ? undefined
          : await inTenant(database.tenants, tenantId, (em) =>
              em.findOne(OpenIdSession, { tokenDigest: digestOf(accessToken) }),
            )
      if (session?.tokenExpiresAt && session.tokenExpiresAt > now()) return session
      throw walletRefusal(
        'invalid_token',
        'The access token is missing, unknown, or has ended. Begin with a new offer.',
      )
    },
  }
}

export type SessionTokens = ReturnType<typeof createSessionTokens>
