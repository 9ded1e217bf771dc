import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { OpenIdIssuance, OpenIdSession } from '../../../entities/openid/sessions.ts'
import { inTenant } from '../../../entities/orm.ts'
import type { Refusal } from '../../../protocol/errors.ts'
import { TX_CODE_TRIES } from '../../../protocol/openid/oid4vci/offers.ts'
import { refuseMember, walletRefusal } from '../../../protocol/openid/oid4vci/refusals.ts'
import type {
  AuthorizationCodeRequest,
  PreAuthorizedRequest,
  TokenRequest,
} from '../../../protocol/openid/oid4vci/requests.ts'
import type { Dependencies } from '../../dependencies.ts'
import { digestOf } from '../../frame/secrets.ts'
import type { WalletCall, WalletClient, WalletClients } from '../authorization/clients.ts'
import type { Codes } from '../authorization/codes.ts'
import type { ReissuanceGrants } from '../reissuances/grant.ts'
import type { Refreshing } from '../reissuances/refresh.ts'
import { detailsOf, giveToken, type IssuedToken, timeoutSeconds } from './authorize.ts'
import type { Configurations } from './configurations.ts'
import { addStep, endSession, issuancesOf } from './records.ts'
import type { SessionSecrets } from './secrets.ts'

/** As the header Authorization has it. */
export interface PresentedToken {
  scheme: 'DPoP' | 'Bearer'
  token: string
}

interface Parts extends Pick<Dependencies, 'database' | 'now'> {
  secrets: SessionSecrets
  codes: Codes
  walletClients: Pick<WalletClients, 'provesKey'>
  reissuanceGrants: ReissuanceGrants
  refreshing: Refreshing
  configurations: Pick<Configurations, 'scopeIn'>
  /** Tells the workflow of a session that its row has changed. */
  wake(tenantId: string, sessionId: string): Promise<void>
}

const invalidGrant = (message: string) => walletRefusal('invalid_grant', message)

/** The same for each code that gives nothing, so that nobody learns which ones there are. */
const noCode = () =>
  invalidGrant('The code is not valid: it is unknown, has ended, was used already, or is of another issuer.')

/** Refused, and what the refusal changed stays. */
type Outcome = { token: IssuedToken } | { refusal: Refusal; sessionIds: string[] }

/** Access tokens of sessions. */
export function createSessionTokens(parts: Parts) {
  const { database, now, secrets, codes, walletClients, reissuanceGrants, refreshing, configurations, wake } = parts

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

  /** The access token of a session, whose time it begins anew, and a refresh token where the tenant gives some. */
  async function authorize(
    em: SqlEntityManager,
    session: OpenIdSession,
    client: WalletClient,
    issuances: readonly OpenIdIssuance[],
    { ids, scope }: { ids: readonly string[] | undefined; scope?: string | undefined },
  ): Promise<IssuedToken> {
    const details = ids && detailsOf(issuances, ids)
    const named = new Set(details?.flatMap((each) => each.credential_identifiers))
    const left = details ? issuances.filter(({ id }) => !named.has(id)) : []
    // without an identifier no wallet could get it, and the session would wait for it until its end
    if (left.length > 0) await em.nativeDelete(OpenIdIssuance, { id: { $in: left.map(({ id }) => id) } })
    const at = now()
    const endsAt = new Date(at.getTime() + (await timeoutSeconds(em)) * 1000)
    const token = giveToken(session, client, details, { at, endsAt })
    const grantedIds = details?.map((each) => each.credential_configuration_id)
    const refreshToken = reissuanceGrants.grant(em, session, client, {
      scope,
      grantedIds: grantedIds ?? issuances.map(({ templateId }) => templateId),
      usesIdentifiers: details !== undefined,
    })
    return { ...token, ...(scope !== undefined && { scope }), ...(refreshToken !== undefined && { refreshToken }) }
  }

  const exchange = (
    tenantId: string,
    request: TokenRequest & PreAuthorizedRequest,
    client: WalletClient,
  ): Promise<Outcome> =>
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
        return { refusal: refuseTxCode(session, issuances), sessionIds: [sessionId] }
      return { token: await authorize(em, session, client, issuances, { ids: request.configurationIds }) }
    })

  const exchangeAuthorized = (
    tenantId: string,
    request: TokenRequest & AuthorizationCodeRequest,
    client: WalletClient,
  ): Promise<Outcome> =>
    inTenant(database.tenants, tenantId, async (em) => {
      const taken = await codes.take(em, request, client)
      if (!taken) throw noCode()
      if ('reusedIn' in taken) return { refusal: noCode(), sessionIds: [taken.reusedIn, ...taken.alsoEnded] }
      const { session, issuances, content, use } = taken
      const templateIds = issuances.map(({ templateId }) => templateId)
      // with authorization_details all have identifiers, also those of a scope (OpenID4VCI 1.0, section 6.2)
      const ids = request.configurationIds ?? (content.configurationIds && templateIds)
      // what was granted, and not what was asked for besides
      const scope =
        content.scope === undefined ? undefined : await configurations.scopeIn(em, templateIds, content.scope)
      const token = await authorize(em, session, client, issuances, { ids, scope })
      use(session.endsAt)
      return { token }
    })

  return {
    /**
     * Exchanges a code for an access token, once, or a refresh token for another one. Throws `wallet.invalid_grant`,
     * `wallet.invalid_request`, `wallet.invalid_scope`, `wallet.invalid_authorization_details`.
     */
    async exchangeCode(
      { tenantId, requestId }: { tenantId: string; requestId: string },
      request: TokenRequest,
      client: WalletClient,
    ): Promise<IssuedToken> {
      if (request.grantType === 'refresh_token') {
        const { token, endedSessionId } = await refreshing.refresh({ tenantId, requestId }, request, client)
        if (endedSessionId !== undefined) await wake(tenantId, endedSessionId)
        return token
      }
      const outcome =
        request.grantType === 'authorization_code'
          ? await exchangeAuthorized(tenantId, request, client)
          : await exchange(tenantId, request, client)
      const isOver = 'refusal' in outcome
      for (const sessionId of isOver ? outcome.sessionIds : [outcome.token.sessionId]) await wake(tenantId, sessionId)
      if (isOver) throw outcome.refusal
      return outcome.token
    },

    /**
     * The session of an access token, also after its end: a wallet may get again what it was given, until the token ends.
     * A token that is bound to a key counts with a proof of it only (RFC 9449, section 7.1). Throws `wallet.invalid_token`,
     * `wallet.invalid_dpop_proof_for_token`, `wallet.use_dpop_nonce_for_token`.
     */
    async sessionOf(call: WalletCall, presented: PresentedToken | undefined): Promise<OpenIdSession> {
      const { tenantId } = call
      const accessToken = presented?.token
      const session =
        accessToken === undefined
          ? undefined
          : await inTenant(database.tenants, tenantId, (em) =>
              em.findOne(OpenIdSession, { tokenDigest: digestOf(accessToken) }),
            )
      const isGood = session?.tokenExpiresAt && session.tokenExpiresAt > now()
      if (isGood && accessToken !== undefined && presented?.scheme === (session.dpopJkt ? 'DPoP' : 'Bearer')) {
        const { dpopJkt } = session
        if (!dpopJkt || (await walletClients.provesKey(call, accessToken, dpopJkt))) return session
      }
      throw walletRefusal(
        'invalid_token',
        'The access token is missing, unknown, of another key, or has ended. Get another one by the refresh token, or begin with a new offer.',
      )
    },
  }
}

export type SessionTokens = ReturnType<typeof createSessionTokens>
