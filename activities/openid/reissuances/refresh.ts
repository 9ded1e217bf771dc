import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { OpenIdReissuance } from '../../../entities/openid/reissuances.ts'
import { OpenIdSession } from '../../../entities/openid/sessions.ts'
import { inTenant } from '../../../entities/orm.ts'
import { scopeOf } from '../../../protocol/openid/oid4vci/metadata.ts'
import { refuseMember, walletRefusal } from '../../../protocol/openid/oid4vci/refusals.ts'
import type { RefreshRequest, TokenRequest } from '../../../protocol/openid/oid4vci/requests.ts'
import type { SessionContent } from '../../../protocol/openid/oid4vci/session.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Sealer } from '../../frame/sealing.ts'
import { digestOf } from '../../frame/secrets.ts'
import type { WalletClient } from '../authorization/clients.ts'
import { detailsOf, giveToken, type IssuedToken, timeoutSeconds } from '../sessions/authorize.ts'
import type { Configurations, OfferedTemplate } from '../sessions/configurations.ts'
import { addIssuances } from '../sessions/offers.ts'
import { addStep, endSession, issuancesOf, sealContent } from '../sessions/records.ts'
import { isHolder } from './grant.ts'
import { lifeIn } from './life.ts'
import { lockReissuance, openKept, withdrawnOf } from './records.ts'

/** Sessions and tokens of a grant at most: one a day for as long as a grant may live, and some more. */
export const MAX_USES = 1_000

type Request = TokenRequest & RefreshRequest

const invalidGrant = (message: string) => walletRefusal('invalid_grant', message)

/** The same for each token that gives nothing, so that nobody learns which ones there are. */
const noToken = () =>
  invalidGrant('The refresh token is not valid: it is unknown, has ended, or is of another wallet or key.')

/** A token, and the session that ended for it. */
export interface Refreshed {
  token: IssuedToken
  endedSessionId: string | undefined
}

interface Parts extends Pick<Dependencies, 'database' | 'outbox' | 'now' | 'uuid'> {
  sealer: Sealer
  configurations: Configurations
}

/** Refresh tokens at the token endpoint (RFC 6749, section 6; OpenID4VCI 1.0, section 13.5). */
export function createRefreshing({ database, outbox, now, uuid, sealer, configurations }: Parts) {
  /** The grant of a token, locked. What its wallet has to prove comes first. */
  async function grantOf(em: SqlEntityManager, { refreshToken }: Request, client: WalletClient, at: Date) {
    const known = await em.findOne(OpenIdReissuance, { tokenDigest: digestOf(refreshToken) })
    const row = known && isHolder(known, client) ? await lockReissuance(em, known.id) : null
    if (!row) throw noToken()
    // a policy that became shorter counts for the tokens that are out, too
    const { since } = await lifeIn(em, at)
    if (row.endsAt <= at || row.createdAt <= since || row.uses >= MAX_USES) throw noToken()
    return row
  }

  /** A session of the grant that still gives something: it goes on, with its issuances, where it has what is asked for. */
  const openSessionOf = (em: SqlEntityManager, { id }: OpenIdReissuance, at: Date): Promise<OpenIdSession | null> =>
    em.findOne(
      OpenIdSession,
      { reissuanceId: id, state: 'AUTHORIZED', endedAt: null, endsAt: { $gt: at } },
      { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { createdAt: 'desc' } },
    )

  /** What the wallet got and may still have: templates that exist, of which the issuer has withdrawn nothing. */
  async function givenBy(em: SqlEntityManager, row: OpenIdReissuance): Promise<OfferedTemplate[]> {
    const withdrawn = await withdrawnOf(em, row)
    const ids = [...new Set(row.templateIds)].filter((id) => !withdrawn.has(id))
    const templates = await configurations.findTemplates(em, ids)
    if (templates.length > 0) return templates
    throw invalidGrant('The issuer gives these credentials no more: it has revoked, suspended or deleted them.')
  }

  /** Those that a request names; never more than was granted (RFC 6749, section 6). */
  function narrowed(templates: OfferedTemplate[], row: OpenIdReissuance, { scope, configurationIds }: Request) {
    const named = configurationIds?.map((id) => id.toLowerCase())
    if (named?.some((id) => !templates.some((template) => template.id === id)))
      throw refuseMember(
        'invalid_authorization_details',
        'authorization_details',
        'unknown',
        'expected configurations of credentials that the wallet was issued',
      )
    if (scope === undefined) return named ? templates.filter(({ id }) => named.includes(id)) : templates
    const scopes = scope.split(' ')
    const own = new Map(templates.map((each) => [each.id, scopeOf(configurations.configurationOf(each))]))
    const granted = new Set([...own.values(), ...(row.scope?.split(' ') ?? [])])
    const fitting = templates.filter(({ id }) => scopes.includes(own.get(id) ?? '') && named?.includes(id) !== false)
    if (fitting.length > 0 && scopes.every((each) => granted.has(each))) return fitting
    throw walletRefusal('invalid_scope', 'The scope is more than the wallet was granted, or none of its credentials.')
  }

  /** What a wallet may have now: all that it was granted until the first session ends, and then what it got. */
  const givenIn = (em: SqlEntityManager, row: OpenIdReissuance, open: OpenIdSession | null) =>
    open && open.id === row.sessionId ? configurations.findTemplates(em, row.grantedIds) : givenBy(em, row)

  /**
   * The issuances of a session that goes on; undefined where it has ended: it lacks some of what is asked for, or has given
   * all of that, and gives nothing for another key.
   */
  async function goOn(em: SqlEntityManager, open: OpenIdSession, wanted: readonly OfferedTemplate[], at: Date) {
    const issuances = await issuancesOf(em, open.id)
    const asked = wanted.map(({ id }) => issuances.find(({ templateId }) => templateId === id))
    if (asked.every((each) => each) && asked.some((each) => each?.state !== 'ISSUED')) return issuances
    endSession(open, issuances, at, {
      state: 'CANCELLED',
      code: 'openid_session.refreshed',
      message: 'The wallet asked for more credentials by its refresh token; another session gives them.',
    })
    await em.flush()
    return undefined
  }

  /** A new session, with claims of its own. */
  async function begin(
    em: SqlEntityManager,
    row: OpenIdReissuance,
    content: SessionContent,
    templates: OfferedTemplate[],
    { at, endsAt, requestId }: { at: Date; endsAt: Date; requestId: string },
  ): Promise<OpenIdSession> {
    const { tenantId, grantType, clientId, userId } = row
    const of = { id: uuid(), tenantId }
    const session = em.create(OpenIdSession, {
      ...of,
      ...{ grantType, state: 'OFFERED', requestId, clientId, userId: userId ?? null, reissuanceId: row.id },
      content: sealContent(sealer, of, content),
      steps: [],
      endsAt,
      createdAt: at,
      updatedAt: at,
    })
    addStep(session, at, { step: 'REFRESHED' })
    await em.flush()
    await addIssuances(em, { now, uuid }, of, templates)
    const templateIds = templates.map(({ id }) => id)
    await outbox.start(em, 'issueOpenIdCredentials', { tenantId, sessionId: of.id }, { templateIds })
    return session
  }

  return {
    /**
     * Gives an access token for the credentials that a wallet has, of a session of its own, or of the one that is under way.
     * Throws `wallet.invalid_grant`, `wallet.invalid_scope`, `wallet.invalid_authorization_details`.
     */
    refresh: (
      { tenantId, requestId }: { tenantId: string; requestId: string },
      request: Request,
      client: WalletClient,
    ): Promise<Refreshed> =>
      inTenant(database.tenants, tenantId, async (em) => {
        const at = now()
        const row = await grantOf(em, request, client, at)
        const open = await openSessionOf(em, row, at)
        const content = openKept(sealer, row)
        if (!open && !content) throw noToken()
        const wanted = narrowed(await givenIn(em, row, open), row, request)
        const going = open ? await goOn(em, open, wanted, at) : undefined
        const endsAt = open && going ? open.endsAt : new Date(at.getTime() + (await timeoutSeconds(em)) * 1000)
        const life = { at, endsAt }
        const session =
          open && going ? open : await begin(em, row, content ?? { claims: {} }, wanted, { ...life, requestId })
        const issuances = going ?? (await issuancesOf(em, session.id))
        const templateIds = issuances.map(({ templateId }) => templateId).filter((id) => row.grantedIds.includes(id))
        const named = request.configurationIds ?? (row.usesIdentifiers ? templateIds : undefined)
        Object.assign(row, { uses: row.uses + 1, usedAt: at, updatedAt: at })
        const token = giveToken(session, client, named && detailsOf(issuances, named), life)
        // where the wallet names credentials by scopes
        const isByScope = request.scope !== undefined || row.scope
        const scope = isByScope ? await configurations.scopeIn(em, templateIds) : undefined
        return {
          token: { ...token, ...(scope !== undefined && { scope }) },
          endedSessionId: open && !going ? open.id : undefined,
        }
      }),
  }
}

export type Refreshing = ReturnType<typeof createRefreshing>
