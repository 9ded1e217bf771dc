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
import type {
  AuthorizationCodeRequest,
  PreAuthorizedRequest,
  TokenRequest,
} from '../../../protocol/openid/oid4vci/requests.ts'
import type { Dependencies } from '../../dependencies.ts'
import { digestOf, newSecret } from '../../frame/secrets.ts'
import type { WalletCall, WalletClient, WalletClients } from '../authorization/clients.ts'
import type { Codes } from '../authorization/codes.ts'
import { addStep, endSession, issuancesOf } from './records.ts'
import type { SessionSecrets } from './secrets.ts'

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
  /** Of an authorization request with scope. */
  scope?: string
  authorizationDetails?: AuthorizationDetail[]
}

/** As the header Authorization has it. */
export interface PresentedToken {
  scheme: 'DPoP' | 'Bearer'
  token: string
}

interface Parts extends Pick<Dependencies, 'database' | 'now'> {
  secrets: SessionSecrets
  codes: Codes
  walletClients: Pick<WalletClients, 'provesKey'>
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
export function createSessionTokens({ database, now, secrets, codes, walletClients, wake }: Parts) {
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

  /** Notes the token of a session, which begins its time anew. */
  async function authorize(
    em: SqlEntityManager,
    session: OpenIdSession,
    client: WalletClient,
    details: AuthorizationDetail[] | undefined,
  ): Promise<IssuedToken & { endsAt: Date }> {
    const accessToken = newSecret()
    const expiresIn = await timeoutSeconds(em)
    const at = now()
    const endsAt = new Date(at.getTime() + expiresIn * 1000)
    Object.assign(session, {
      state: 'AUTHORIZED',
      codeUsedAt: at,
      tokenDigest: digestOf(accessToken),
      tokenExpiresAt: endsAt,
      endsAt,
      walletClientId: client.clientId ?? null,
      dpopJkt: client.jkt ?? null,
      usesIdentifiers: details !== undefined,
    })
    addStep(session, at, { step: 'TOKEN_ISSUED' })
    const tokenType = client.jkt === undefined ? 'Bearer' : 'DPoP'
    const authorizationDetails = details && { authorizationDetails: details }
    return { sessionId: session.id, accessToken, expiresIn, tokenType, endsAt, ...authorizationDetails }
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
        return { refusal: refuseTxCode(session, issuances), sessionId }
      const details = request.configurationIds && detailsOf(issuances, request.configurationIds)
      const { endsAt: _end, ...token } = await authorize(em, session, client, details)
      return { token }
    })

  const exchangeAuthorized = (
    tenantId: string,
    request: TokenRequest & AuthorizationCodeRequest,
    client: WalletClient,
  ): Promise<Outcome> =>
    inTenant(database.tenants, tenantId, async (em) => {
      const taken = await codes.take(em, request, client)
      if (!taken) throw noCode()
      if ('reusedIn' in taken) return { refusal: noCode(), sessionId: taken.reusedIn }
      const { session, issuances, content, use } = taken
      const { scope, configurationIds } = content
      const ids = request.configurationIds ?? configurationIds
      const details = ids && detailsOf(issuances, ids)
      const { endsAt, ...token } = await authorize(em, session, client, details)
      use(endsAt)
      return { token: { ...token, ...(scope !== undefined && { scope }) } }
    })

  return {
    /**
     * Exchanges a code for an access token, once. Throws `wallet.invalid_grant`, `wallet.invalid_request`,
     * `wallet.invalid_authorization_details`.
     */
    async exchangeCode(tenantId: string, request: TokenRequest, client: WalletClient): Promise<IssuedToken> {
      const outcome =
        request.grantType === 'authorization_code'
          ? await exchangeAuthorized(tenantId, request, client)
          : await exchange(tenantId, request, client)
      const isOver = 'refusal' in outcome
      await wake(tenantId, isOver ? outcome.sessionId : outcome.token.sessionId)
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
        'The access token is missing, unknown, of another key, or has ended. Begin with a new offer.',
      )
    },
  }
}

export type SessionTokens = ReturnType<typeof createSessionTokens>
