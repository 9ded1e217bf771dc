import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { AuthenticationProvider } from '../../../entities/openid/providers.ts'
import { OpenIdSession } from '../../../entities/openid/sessions.ts'
import type { WalletPolicy, WalletRequest } from '../../../protocol/openid/oid4vci/authorization/types.ts'
import { isFit, scopeOf } from '../../../protocol/openid/oid4vci/metadata.ts'
import { refuseMember, walletRefusal } from '../../../protocol/openid/oid4vci/refusals.ts'
import { isUuid } from '../../../protocol/uuid.ts'
import { digestOf } from '../../frame/secrets.ts'
import type { Configurations } from '../sessions/configurations.ts'
import { issuancesOf } from '../sessions/records.ts'

/** What a request of a wallet is for. */
export interface Grant {
  /** Of the offer; absent where the wallet began by itself. */
  session: OpenIdSession | undefined
  /** Templates. */
  granted: string[]
  providerId: string
}

/** The provider that the tenant created first. */
export const firstProvider = (em: SqlEntityManager): Promise<AuthenticationProvider | null> =>
  em.findOne(AuthenticationProvider, {}, { orderBy: { createdAt: 'asc', id: 'asc' } })

/** The same for each issuer_state that gives nothing. */
const noOffer = () =>
  refuseMember('invalid_request', 'issuer_state', 'unknown', 'expected that of an offer that nobody has taken yet')

/** Finds out what wallets may get. */
export function createGrants({ configurations }: { configurations: Configurations }) {
  async function sessionOf(em: SqlEntityManager, issuerState: string, now: Date): Promise<OpenIdSession> {
    const session = await em.findOne(OpenIdSession, { issuerStateDigest: digestOf(issuerState) })
    // a code that was lost may be replaced until it gave a token
    if (!session || session.endedAt || session.endsAt <= now || session.tokenDigest) throw noOffer()
    return session
  }

  /**
   * Templates of the request: of authorization_details and of the scopes that we know, each by itself (OpenID4VCI 1.0, section
   * 5.1.2), or, of an offer, all.
   */
  async function wantedOf(
    em: SqlEntityManager,
    { scope, configurationIds }: WalletRequest,
    policy: WalletPolicy,
    offered?: string[],
  ) {
    const named = configurationIds?.map((id) => id.toLowerCase())
    if (scope === undefined) return named ? [...new Set(named)] : offered
    const templates = (await configurations.findTemplates(em, offered ?? (await configurations.publishedIds(em)))).map(
      configurations.configurationOf,
    )
    const scopes = new Set(scope.split(' '))
    const fitting = templates.filter((template) => scopes.has(scopeOf(template) ?? '') && isFit(template, policy))
    if (fitting.length === 0 && !named)
      throw walletRefusal('invalid_scope', 'No scope of the request is one of a credential that can be given.')
    return [...new Set([...(named ?? []), ...fitting.map(({ id }) => id)])]
  }

  return {
    /**
     * Throws `wallet.invalid_request`, `wallet.invalid_scope`, `wallet.invalid_authorization_details`,
     * `wallet.access_denied`.
     */
    async grantOf(em: SqlEntityManager, request: WalletRequest, policy: WalletPolicy, now: Date): Promise<Grant> {
      const { issuerState } = request
      const session = issuerState === undefined ? undefined : await sessionOf(em, issuerState, now)
      if (!session && !policy.allowsWalletInitiated)
        throw walletRefusal(
          'access_denied',
          'The issuer gives credentials on its own offers only: begin with an offer.',
        )
      const offered = session && (await issuancesOf(em, session.id)).map(({ templateId }) => templateId)
      const wanted = await wantedOf(em, request, policy, offered)
      if (!wanted) throw refuseMember('invalid_request', 'scope', 'required', 'expected scope or authorization_details')
      const known = offered ?? (await configurations.findTemplates(em, wanted.filter(isUuid))).map(({ id }) => id)
      if (wanted.some((id) => !known.includes(id)))
        throw refuseMember(
          'invalid_authorization_details',
          'authorization_details',
          'unknown',
          'expected credential configurations of the offer, or of the metadata',
        )
      if (policy.profile !== null) {
        const found = (await configurations.findTemplates(em, wanted)).map(configurations.configurationOf)
        if (!found.every((each) => isFit(each, policy)))
          throw walletRefusal(
            'access_denied',
            'The profile haip of the issuer has SD-JWT VCs with the certificate of their signer: set issued_as of the template to x5c.',
          )
      }
      const providerId = session?.providerId ?? (await firstProvider(em))?.id
      if (!providerId) throw walletRefusal('access_denied', 'The issuer has nobody who could log holders in.')
      return { session, granted: wanted, providerId }
    },
  }
}

export type Grants = ReturnType<typeof createGrants>
